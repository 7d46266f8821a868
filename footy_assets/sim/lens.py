"""How one provider sees the world: late, early, frozen, or with a goal that was never scored."""

from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from footy_assets.sim.feed import Json


@dataclass(slots=True)
class Lens:
    """`ahead` may be negative. `invented` names fixtures where the home side has one goal more."""

    ahead: timedelta = timedelta(0)
    frozen_at: datetime | None = None
    invented: dict[int, int] = field(default_factory=dict)

    def time(self, now: datetime) -> datetime:
        return (self.frozen_at or now) + self.ahead

    def shown(self, fixture: Json) -> Json:
        minute = self.invented.get(fixture["fixture"]["id"])
        if minute is None or fixture["goals"]["home"] is None:
            return fixture
        shown = deepcopy(fixture)
        shown["goals"]["home"] += 1
        team = shown["teams"]["home"]
        if "events" in shown:
            shown["events"].append(
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
        return shown
