"""How one provider's data differs from the truth: late, early, frozen, with an invented goal, or
with other scorers and minutes."""

from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from footy_assets.sim.feed import Json


@dataclass(slots=True)
class Lens:
    """`offset` may be negative. `invented` maps fixtures to the minute of an extra home goal,
    `scorers` the fixture and minute of a goal to the id and name of another scorer. Goals are
    listed `minutes_late`."""

    offset: timedelta = timedelta(0)
    frozen_at: datetime | None = None
    invented: dict[int, int] = field(default_factory=dict)
    scorers: dict[tuple[int, int], tuple[int, str]] = field(default_factory=dict)
    minutes_late: int = 0

    def time(self, now: datetime) -> datetime:
        return (self.frozen_at or now) + self.offset

    def apply(self, fixture: Json) -> Json:
        return self._with_invented(self._with_other_goals(fixture))

    def _with_other_goals(self, fixture: Json) -> Json:
        if "events" not in fixture or not (self.scorers or self.minutes_late):
            return fixture
        id_ = fixture["fixture"]["id"]
        return {**fixture, "events": [self._other_goal(id_, event) for event in fixture["events"]]}

    def _other_goal(self, fixture_id: int, event: Json) -> Json:
        if event["type"] != "Goal":
            return event
        minute, extra = event["time"]["elapsed"], event["time"]["extra"]
        late = {"elapsed": minute + self.minutes_late, "extra": None}
        if extra is not None:
            late = {"elapsed": minute, "extra": extra + self.minutes_late}
        changed = {**event, "time": late}
        if scorer := self.scorers.get((fixture_id, minute)):
            changed["player"] = {"id": scorer[0], "name": scorer[1]}
        return changed

    def _with_invented(self, fixture: Json) -> Json:
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
