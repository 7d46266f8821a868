"""P5: the operator and the reason of a command."""

import getpass
import os
from typing import Annotated

import typer
from pymongo.database import Database

from footy_assets.operator_actions import OperatorAction
from footy_assets.settings import Settings
from footy_assets.store.audit import AuditLog
from footy_assets.store.collections import Document

Why = Annotated[
    str, typer.Option("--why", metavar="TEXT", help="Reason, recorded in the audit log.")
]
Who = Annotated[
    str | None,
    typer.Option(
        "--who", metavar="NAME", help="Name recorded in the audit log; default: your login."
    ),
]


def operator_action(
    settings: Settings, database: Database[Document], who: str | None, why: str
) -> OperatorAction:
    return OperatorAction(AuditLog(database), settings.make_clock(), who or _login(), why)


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user {os.getuid()}"
