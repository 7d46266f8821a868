"""`footy login`: opens a browser window in which a user logs in."""

from enum import StrEnum
from typing import Annotated

import typer

from footy_assets.cli.invocation import invocation_settings
from footy_assets.cli.output import stderr, stdout
from footy_assets.site_name import SiteName


class Account(StrEnum):
    X = SiteName.X


def login(
    account: Annotated[Account, typer.Argument(help="The site: x.")],
    minutes: Annotated[
        float, typer.Option(min=0.01, help="Minutes to wait for your login.")
    ] = 15.0,
    headless: Annotated[bool, typer.Option("--headless", hidden=True)] = False,
) -> None:
    """Open a browser window for you to log in; searches then use that login.

    Nothing is typed for you and no password is stored: the browser profile under FOOTY_HOME
    keeps the session. On a machine without a screen set FOOTY_X_COOKIES_FILE instead.
    """
    from resources.x.login import log_in_interactively

    settings, console = invocation_settings(), stderr()
    log_in_interactively(settings, console.print, timeout=minutes * 60, headless=headless)
    stdout().print(f"You are logged in to {account.upper()}; profile: {settings.x_profile}")
    if settings.x_cookies_file is not None:
        console.print(
            "FOOTY_X_COOKIES_FILE takes precedence over this login: unset it to use this one.",
            style="yellow",
        )
