"""What the tests of operations have in common: the parts, and short words for using them."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from footy_assets.clock import ManualClock
from footy_assets.matchday.fixture import Fixture
from footy_assets.matchday.goal import GoalEvent
from footy_assets.operations.ingest import Ingest
from footy_assets.operations.monitor import CycleReport, run_cycle
from footy_assets.operations.rules import Following, Rules
from footy_assets.operations.views import event_row, fixture_row
from footy_assets.sim import SimServer, fixture_json
from footy_assets.store.matchdays import MatchdayStore
from resources.api_football.client import ApiFootball

Row = dict[str, Any]
FIXTURE = 5000


async def never_wait(seconds: float) -> None:
    """Retries without their pauses."""


@dataclass
class Bench:
    store: MatchdayStore
    sim: SimServer
    feed: ApiFootball
    clock: ManualClock
    rules: Rules = field(default_factory=Rules)

    def ingest(self, following: Following | None = None) -> Ingest:
        return Ingest(self.store, self.feed, self.clock, following or Following(teams="*"))

    def put(self, id: int = FIXTURE, **told: Any) -> None:
        """What the provider says of a match from now on."""
        told = {"kickoff": self.sim.world.starts_at} | told
        self.sim.put(fixture_json(id, **told))

    def follow(self, *ids: int) -> None:
        assert self.ingest().ids(list(ids or (FIXTURE,))).failures == []

    def poll(self, seconds: float = 30) -> CycleReport:
        self.clock.advance(seconds)
        return run_cycle(self.store, self.feed, self.clock, self.rules)

    def watch(self, told: Row, polls: int = 1, id: int = FIXTURE) -> CycleReport:
        """Tell, then poll; the last report."""
        self.put(id, **told)
        return [self.poll() for _ in range(polls)][-1]

    def fixture(self, id: int = FIXTURE) -> Fixture:
        return self.store.known([id])[id]

    def goals(self, id: int = FIXTURE) -> list[GoalEvent]:
        return sorted(self.store.goals_of([id])[id], key=lambda goal: goal.minute.sort_key)

    def live(self, id: int = FIXTURE) -> list[GoalEvent]:
        return [goal for goal in self.goals(id) if goal.live]

    def rows(self) -> tuple[list[Row], list[Row]]:
        """Fixtures and events as `footy fixtures` and `footy events` show them."""
        fixtures = [
            fixture for day in self.sim.world.days for fixture in self.store.fixtures_of(day)
        ]
        goals = self.store.goals_of([fixture.id for fixture in fixtures])
        return (
            [fixture_row(fixture, self.clock.now()) for fixture in fixtures],
            [event_row(goal, f.matchday) for f in fixtures for goal in goals[f.id]],
        )

    def fixture_calls(self) -> int:
        return sum(request.path == "/fixtures" for request in self.sim.requests)

    def to(self, hours: float) -> None:
        self.clock.at += timedelta(hours=hours)
