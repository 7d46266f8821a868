"""Starts the watcher of the providers besides the main one."""

import sys
from collections.abc import Mapping

from footy_assets.providers.connection import ProvidersFileLoader
from footy_assets.runtime.home import Home
from footy_assets.settings import Settings
from resources.embedded.process import OwnedProcess

WATCH = "from footy_assets.cli import main; main()"


def has_other_providers(settings: Settings) -> bool:
    """False with API-Football alone: nothing to watch."""
    return not ProvidersFileLoader(settings).load_or_fail().only_lead


def start_provider_watch(home: Home, env: Mapping[str, str]) -> OwnedProcess:
    return OwnedProcess.start(
        "the other football providers",
        [sys.executable, "-c", WATCH, "sources", "watch"],
        log=home.logs / "sources.log",
        env=env,
        die_with_parent=True,
    )
