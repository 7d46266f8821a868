"""The live poll with its store, simulated provider, feed and clock, for tests."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from footy_assets.clock import ManualClock
from footy_assets.matchday.ingest import Ingest
from footy_assets.matchday.monitor import CycleReport, MonitorPolicy, run_cycle
from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.tracking import TrackingPolicy
from footy_assets.matchday.views import event_row, fixture_row
from footy_assets.sim import SimServer, fixture_json
from footy_assets_tests.policies import polling_policy
from resources.api_football.client import ApiFootball

Row = dict[str, Any]
FIXTURE = 5000


async def no_sleep(seconds: float) -> None:
    """Retries without waiting."""


@dataclass
class MatchdayHarness:
    store: MatchdayStore
    sim: SimServer
    feed: ApiFootball
    clock: ManualClock
    policy: MonitorPolicy = field(default_factory=polling_policy)

    def ingest(self, tracking: TrackingPolicy | None = None) -> Ingest:
        return Ingest(self.store, self.feed, self.clock, tracking or TrackingPolicy(teams="*"))

    def put(self, id: int = FIXTURE, **fields: Any) -> None:
        """Set the provider's answer for a match."""
        fields = {"kickoff": self.sim.world.starts_at} | fields
        self.sim.put(fixture_json(id, **fields))

    def track(self, *ids: int) -> None:
        assert self.ingest().ids(list(ids or (FIXTURE,))).failures == []

    def poll(self, seconds: float = 30) -> CycleReport:
        self.clock.advance(seconds)
        return run_cycle(self.store, self.feed, self.clock, self.policy)

    def put_and_poll(self, fields: Row, polls: int = 1, id: int = FIXTURE) -> CycleReport:
        """Set the provider's answer, then poll; returns the last report."""
        self.put(id, **fields)
        return [self.poll() for _ in range(polls)][-1]

    def fixture(self, id: int = FIXTURE) -> Fixture:
        return self.store.fixtures_by_id([id])[id]

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

    def advance_hours(self, hours: float) -> None:
        self.clock.at += timedelta(hours=hours)
