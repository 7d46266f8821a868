"""How one provider's data differs from the truth: late, early, frozen, or with an invented goal."""

from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from footy_assets.sim.feed import Json


@dataclass(slots=True)
class Lens:
    """`offset` may be negative. `invented` maps fixtures to the minute of an extra home goal."""

    offset: timedelta = timedelta(0)
    frozen_at: datetime | None = None
    invented: dict[int, int] = field(default_factory=dict)

    def time(self, now: datetime) -> datetime:
        return (self.frozen_at or now) + self.offset

    def apply(self, fixture: Json) -> Json:
        minute = self.invented.get(fixture["fixture"]["id"])
        if minute is None or fixture["goals"]["home"] is None:
            return fixture
        changed = deepcopy(fixture)
        changed["goals"]["home"] += 1
        team = changed["teams"]["home"]
        if "events" in changed:
            changed["events"].append(
                {
                    "time": {"elapsed": minute, "extra": None},
                    "team": {"id": team["id"], "name": team["name"], "logo": None},
                    "player": {"id": 999_001, "name": "N. Obody"},
                    "assist": {"id": None, "name": None},
                    "type": "Goal",
                    "detail": "Normal Goal",
                    "comments": None,
                }
            )
        return changed
