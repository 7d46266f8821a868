"""Starts the process that hears Bluesky's stream and reads feeds."""

import sys
from collections.abc import Mapping

from footy_assets.runtime.home import Home
from footy_assets.settings import Settings
from resources.embedded.process import OwnedProcess

LISTEN = "from footy_assets.cli import main; main()"


def has_listener(settings: Settings) -> bool:
    """False if no goal is searched for: then nobody reads what is heard."""
    listens = settings.listens_to_bluesky or settings.keeps_feeds
    return listens and settings.search_attempts > 0


def start_listener(home: Home, env: Mapping[str, str]) -> OwnedProcess:
    return OwnedProcess.start(
        "the listener",
        [sys.executable, "-c", LISTEN, "listen"],
        log=home.logs / "listen.log",
        env=env,
        die_with_parent=True,
    )
