"""A backup and a restore that die on their way: run by processes that a test starts."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from pymongo import MongoClient
from pymongo.collection import Collection

from footy_assets.store.backup import dump, inventory
from footy_assets.store.backup.run import back_up, restore
from resources.s3.client import S3Address, connect
from resources.s3.clip_store import ClipStore

NOW = datetime(2025, 5, 10, 18, tzinfo=UTC)
Options = dict[str, str]


def quiet(text: str) -> None: ...


@contextmanager
def opened(options: Options) -> Iterator[tuple[Any, ClipStore]]:
    keys = SecretStr(options["access"]), SecretStr(options["secret"])
    client = connect(S3Address(options["s3"], "us-east-1", *keys))
    with MongoClient[dict[str, Any]](options["uri"], tz_aware=True) as mongo:
        yield mongo[options["database"]], ClipStore(client, options["bucket"])


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def back_up_and_die(options: Options, folder: str, files: int) -> None:
    """Dies when it begins to write this file, from 1."""
    begun = 0

    def dying(call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(root: Path, path: Path) -> Any:
            nonlocal begun
            begun += 1
            if begun == files:
                die()
            return call(root, path)

        return counted

    for module in (dump, inventory):
        module.summed_file = dying(module.summed_file)  # type: ignore[attr-defined]
    with opened(options) as (database, store):
        back_up(database, store, Path(folder), NOW, with_objects=True, say=quiet)


def restore_and_die(options: Options, folder: str, collections: int) -> None:
    """Dies after the documents of so many collections; with 0, after the first upload to S3."""
    made, filled = Collection.insert_many, 0

    def counted(*arguments: Any, **named: Any) -> Any:
        nonlocal filled
        result = made(*arguments, **named)
        filled += 1
        if filled == collections:
            die()
        return result

    Collection.insert_many = counted  # type: ignore[method-assign]
    with opened(options) as (database, store):
        if collections == 0:
            put = store.put
            store.put = lambda *a, **n: (put(*a, **n), die())[0]  # type: ignore[method-assign]
        restore(database, store, Path(folder), force=False, say=quiet)
