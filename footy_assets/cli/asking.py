"""P5: who asks for something by hand, and why."""

import getpass
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from pymongo.database import Database

from footy_assets.operations.by_hand import ByHand
from footy_assets.settings import Settings
from footy_assets.store.audit import AuditLog
from footy_assets.store.collections import Document, ensure_indexes
from resources.mongo_connection import open_mongo

BY_HAND = "not told"

Why = Annotated[str, typer.Option("--why", metavar="TEXT", help="Kept in the audit.")]
Who = Annotated[
    str | None, typer.Option("--who", metavar="NAME", help="Kept in the audit; else your login.")
]


def asked(settings: Settings, database: Database[Document], who: str | None, why: str) -> ByHand:
    return ByHand(AuditLog(database), settings.make_clock(), who or _login(), why)


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user {os.getuid()}"


@contextmanager
def open_database(settings: Settings) -> Iterator[Database[Document]]:
    with open_mongo(settings) as database:
        ensure_indexes(database)
        yield database
