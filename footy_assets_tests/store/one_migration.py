"""A migration that dies at a write: run by a process that a test starts."""

import os
import signal
from typing import Any

from pymongo import MongoClient
from pymongo.collection import Collection

from footy_assets.store.migrate import Migration

SMALL_BATCH = 2


def migrate_and_die(uri: str, database: str, write: int) -> None:
    """Kills its process after this write, from 1, before it learns of the acknowledgement. Writes
    of the lease count too."""
    made = Collection.update_many, Collection.update_one
    writes = 0

    def dying(call: Any) -> Any:
        def counted(*arguments: Any, **named: Any) -> Any:
            nonlocal writes
            result = call(*arguments, **named)
            writes += 1
            if writes == write:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return counted

    Collection.update_many, Collection.update_one = map(dying, made)  # type: ignore[method-assign]
    with MongoClient[dict[str, Any]](uri, tz_aware=True) as client:
        Migration(client[database], batch=SMALL_BATCH).run()
