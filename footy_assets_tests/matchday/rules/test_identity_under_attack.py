"""E2–E8 against random histories of a provider: first the pure rules, then with the store."""

from collections.abc import Sequence
from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.matchday.monitor import run_cycle
from footy_assets.matchday.rules.feed import Answer, SeasonSpan
from footy_assets.matchday.rules.fixture import new_fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.sighting import FixtureSighting
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.store.collections import Document
from footy_assets_tests.matchday.rules.polled_match import KICKOFF, PolledMatch, sighting
from footy_assets_tests.matchday.rules.provider_model import ProviderMachine
from footy_assets_tests.policies import polling_policy

pytestmark = pytest.mark.slow

# Shrinking sixty steps takes minutes, and the printed history of a failure is short enough.
UNSHRUNK = (Phase.explicit, Phase.reuse, Phase.generate)
QUIET = (HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large)


class PureMachine(ProviderMachine):
    def __init__(self) -> None:
        super().__init__()
        self.match = PolledMatch(search_attempts=10)

    def poll_provider(self, seen: FixtureSighting) -> str:
        self.match.poll_sighting(seen)
        return self.match.polls[-1]

    def known(self) -> dict[str, GoalEvent]:
        return dict(self.match.events)


class FixedFeed:
    """A `Feed` that answers with the sighting that a test sets."""

    def __init__(self) -> None:
        self.seen: FixtureSighting | None = None

    def by_ids(self, ids: Sequence[int], within: float | None = None) -> Answer:
        assert self.seen is not None
        return Answer({id_: self.seen for id_ in ids if id_ == self.seen.fixture_id}, calls=1)

    def by_date(self, day: date) -> Answer:
        return Answer()

    def team_ids(self, league_id: int, season: int) -> list[int]:
        return []

    def seasons(self, league_id: int) -> list[SeasonSpan]:
        return []


class StoredMachine(ProviderMachine):
    """The same histories, with every goal stored in MongoDB between two polls."""

    def __init__(self, database: Database[Document]) -> None:
        super().__init__()
        for collection in ("fixtures", "events", "polls"):
            database[collection].delete_many({})
        self.store = MatchdayStore(database)
        self.feed = FixedFeed()
        self.clock = ManualClock(KICKOFF + timedelta(minutes=1))
        self.store.add([new_fixture(sighting(status="1H"), FixtureState.ACTIVE, KICKOFF)])
        self.pure = PolledMatch(search_attempts=10)
        self.read: dict[str, GoalEvent] = {}

    def poll_provider(self, seen: FixtureSighting) -> str:
        self.clock.advance(30)
        self.feed.seen = seen
        report = run_cycle(self.store, self.feed, self.clock, polling_policy(search_attempts=10))
        assert report.failures == []
        assert report.superseded == 0
        self.pure.poll_sighting(seen, report.poll.id)
        self.read = {goal.key: goal for goal in self.store.goals_of([5000])[5000]}
        self.equals_the_pure_rules()
        return report.poll.id

    def known(self) -> dict[str, GoalEvent]:
        return dict(self.read)

    def equals_the_pure_rules(self) -> None:
        """Keys and times differ; everything that the rules decide is equal."""
        assert sorted(map(_facts, self.read.values())) == sorted(
            map(_facts, self.pure.events.values())
        )


def _facts(event: GoalEvent) -> tuple[str, ...]:
    facts = (
        event.event_id,
        event.minute,
        event.player,
        event.score_after,
        event.seen_in_polls,
        event.missing_in_polls,
        event.attempts_planned,
        [(former.event_id, former.poll_id) for former in event.formerly],
        event.removal and (event.removal.reason, event.removal.poll_id, event.removal.cancellation),
    )
    return tuple(map(str, facts))


def histories(examples: int, steps: int) -> settings:
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        phases=UNSHRUNK,
        print_blob=False,
        suppress_health_check=QUIET,
    )


def test_identities_never_move_whatever_the_provider_does() -> None:
    run_state_machine_as_test(
        PureMachine,
        settings=histories(250, steps=60),
    )


def test_stored_goals_equal_those_of_the_pure_rules(database: Database[Document]) -> None:
    run_state_machine_as_test(
        lambda: StoredMachine(database),
        settings=histories(25, steps=40),
    )
