"""`footy login`: where a person logs in by hand, once."""

from enum import StrEnum
from typing import Annotated

import typer

from footy_assets.cli.output import stderr, stdout
from footy_assets.settings import load_settings


class Account(StrEnum):
    X = "x"


def login(
    account: Annotated[Account, typer.Argument(help="Which account: x.")],
    minutes: Annotated[
        float, typer.Option(min=0.01, help="How long the window waits for you.")
    ] = 15.0,
    headless: Annotated[bool, typer.Option("--headless", hidden=True)] = False,
) -> None:
    """Open a window in which you log in; searches use that login from then on.

    Nothing is typed for you and no password is kept: the browser's own profile under FOOTY_HOME
    remembers the session. On a machine without a screen set FOOTY_X_COOKIES_FILE instead.
    """
    from resources.x.login import log_in_by_hand

    settings, console = load_settings(), stderr()
    log_in_by_hand(settings, console.print, patience=minutes * 60, headless=headless)
    stdout().print(f"You are logged in to {account.upper()}; the profile is {settings.x_profile}")
    if settings.x_cookies_file is not None:
        console.print(
            "FOOTY_X_COOKIES_FILE is set and goes before this login: unset it to use this one.",
            style="yellow",
        )
