"""The matchday that a demo plays, and how far it got: `footy demo --resume` continues there."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from footy_assets.clock import ScaledClock, parse_clock
from footy_assets.errors import BadInput
from footy_assets.parsing import parse_json, read_text
from footy_assets.runtime.home import Home
from footy_assets.sim import World, make_world

PROGRESS_FILE = "demo.json"
# The six matches that show most in little time.
SHORT_DAY = (
    *("hat-trick", "VAR reversals", "late scorer names", "re-attributions"),
    *("flicker, two in one minute", "first of two goals removed"),
)


@dataclass(frozen=True)
class DemoDay:
    seed: int = 7
    everything: bool = False
    clips: bool = True
    matches: Sequence[str] = ()

    def world(self) -> World:
        world = make_world(self.seed)
        titles = [script.title for script in world.scripts]
        if unknown := set(self.matches) - set(titles):
            raise BadInput(
                f"the demo has no match {', '.join(map(repr, sorted(unknown)))}",
                f"Choose from: {', '.join(map(repr, titles))}",
            )
        return world if self.everything else world.only(self.matches or SHORT_DAY)


def load_progress(home: Home) -> tuple[DemoDay, datetime]:
    """The matchday of the last demo in this home, and the time it reached."""
    try:
        saved: dict[str, Any] = parse_json(read_text(home.path / PROGRESS_FILE))
        return DemoDay(**saved["day"]), datetime.fromisoformat(saved["reached"])
    except (BadInput, ValueError, KeyError, TypeError) as error:
        raise BadInput("there is no demo to resume", "Start one: footy demo") from error


def load_clock(home: Home) -> tuple[DemoDay, ScaledClock]:
    """The matchday of the demo that runs, and its clock."""
    try:
        day, _ = load_progress(home)
    except BadInput as error:
        raise BadInput("no demo is running", "Start one: footy demo --kickoff-in 180") from error
    clock = parse_clock(parse_json(read_text(home.path / PROGRESS_FILE))["clock"])
    assert isinstance(clock, ScaledClock)
    return day, clock


def save_progress(home: Home, day: DemoDay, clock: ScaledClock) -> None:
    fresh = home.path / f"{PROGRESS_FILE}.fresh"
    reached = clock.now().isoformat()
    saved = {"day": asdict(day), "reached": reached, "clock": clock.spec()}
    fresh.write_text(json.dumps(saved))
    fresh.replace(home.path / PROGRESS_FILE)
