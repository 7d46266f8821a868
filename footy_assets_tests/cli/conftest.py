"""The real command, with a provider and a database to talk to."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from pymongo.database import Database
from structlog.testing import capture_logs
from typer.testing import CliRunner

from footy_assets.cli.app import app
from footy_assets.clock import ScaledClock
from footy_assets.sim import SimServer, World, fixture_json, goal

SCRIPT = Path(sys.executable).with_name("footy")
# The installed command, or the same without being installed.
FOOTY = (
    [str(SCRIPT)]
    if SCRIPT.exists()
    else [sys.executable, "-c", "from footy_assets.cli import main; main()"]
)
KICKOFF = datetime(2025, 5, 10, 14, 0, tzinfo=UTC)
KEY = "k3y-f0r-tests"
NOW = KICKOFF + timedelta(minutes=32)


@dataclass
class Footy:
    env: dict[str, str]
    sim: SimServer
    kept: list[subprocess.CompletedProcess[str]] = field(default_factory=list)

    def __call__(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        """In a process of its own, as a user has it."""
        done = subprocess.run(
            [*FOOTY, *arguments],
            env={**self.env, **env},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def json(self, *arguments: str) -> Any:
        """In this process: to start one takes longer than most commands do."""
        others: dict[str, str | None] = {n: None for n in os.environ if n.startswith("FOOTY_")}
        # What a process of its own logs to stderr is nobody's here.
        with patch("footy_assets.cli.app.configure_logs"), capture_logs():
            done = CliRunner().invoke(app, [*arguments, "--json"], env={**others, **self.env})
        assert done.exit_code == 0, (done.output, done.exception)
        return json.loads(done.stdout)

    def live_match(self, *goals: dict[str, Any], **more: Any) -> None:
        told = {"status": "1H", "elapsed": 32, "kickoff": KICKOFF, "goals": goals, **more}
        self.sim.put(fixture_json(5000, **told))


@pytest.fixture
def footy(mongo_uri: str, database: Database[dict[str, Any]], tmp_path: Path) -> Iterator[Footy]:
    clock = ScaledClock(NOW, 1.0, time.time())
    clean = {name: value for name, value in os.environ.items() if not name.startswith("FOOTY_")}
    with SimServer(World.from_scripts([], day=KICKOFF.date()), clock, key=KEY) as sim:
        env = clean | {
            "FOOTY_HOME": str(tmp_path / "home"),
            "FOOTY_MONGO_URI": mongo_uri,
            "FOOTY_MONGO_DATABASE": database.name,
            "FOOTY_API_FOOTBALL_URL": sim.url,
            "FOOTY_API_FOOTBALL_KEY": KEY,
            "FOOTY_WIKIDATA_URL": sim.wikidata_url,
            "FOOTY_TRACKED_TEAMS": "*",
            "FOOTY_SOURCES": "none",
            "FOOTY_CLOCK": clock.spec(),
        }
        yield Footy(env, sim)


SALAH = goal(31, team=40, player=234, name="M. Salah")
