"""The providers beside the main one, as a process of ours."""

import sys
from collections.abc import Mapping

from footy_assets.runtime.home import Home
from footy_assets.settings import Settings
from resources.embedded.process import OwnedProcess
from resources.football_sources import SourcesOnDisk

WATCH = "from footy_assets.cli import main; main()"


def has_other_sources(settings: Settings) -> bool:
    """With API-Football alone there is nothing to run."""
    return not SourcesOnDisk(settings).first().alone


def start_source_watch(home: Home, env: Mapping[str, str]) -> OwnedProcess:
    return OwnedProcess.start(
        "the other football providers",
        [sys.executable, "-c", WATCH, "sources", "watch"],
        log=home.logs / "sources.log",
        env=env,
        die_with_parent=True,
    )
