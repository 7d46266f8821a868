"""Several pollers at once, in threads and in processes: one counts, the others write nothing."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, date, datetime
from threading import Barrier, Thread

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.matchday.monitor import CycleReport, run_cycle
from footy_assets.matchday.rules.feed import Answer
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.sim import World, goal
from footy_assets.store.collections import Document
from footy_assets_tests.forked import exit_code, fork
from footy_assets_tests.matchday.harness import FIXTURE, MatchdayHarness
from footy_assets_tests.matchday.one_poller import poll_in_process
from footy_assets_tests.policies import polling_policy
from resources.api_football.client import ApiFootball
from resources.mongo.connection import connect

pytestmark = pytest.mark.slow

NOW = datetime(2025, 5, 10, 12, 40, tzinfo=UTC)
SALAH = goal(30, player=234, name="M. Salah")
FIRST_HALF = {"status": "1H", "kickoff": datetime(2025, 5, 10, 12, 0, tzinfo=UTC)}


@pytest.fixture(scope="session")
def world() -> World:
    return World(date(2025, 5, 10), ())


class BarrierFeed:
    """A feed that answers once all pollers have sent a request: all have read the same state."""

    def __init__(self, feed: ApiFootball, barrier: Barrier) -> None:
        self.feed, self.barrier = feed, barrier

    def by_ids(self, ids: Sequence[int], within: float | None = None) -> Answer:
        answer = self.feed.by_ids(ids, within)
        self.barrier.wait(20)
        return answer

    def __getattr__(self, name: str) -> object:
        return getattr(self.feed, name)


@pytest.fixture
def pollers(
    harness: MatchdayHarness, database: Database[Document], mongo_uri: str
) -> Iterator[list[tuple[MatchdayStore, BarrierFeed]]]:
    barrier = Barrier(3)
    with ExitStack() as stack:
        yield [
            (
                MatchdayStore(stack.enter_context(connect(mongo_uri, database.name))),
                BarrierFeed(stack.enter_context(ApiFootball(harness.sim.url, None)), barrier),
            )
            for _ in range(3)
        ]


def all_at_once(pollers: list[tuple[MatchdayStore, BarrierFeed]]) -> list[CycleReport]:
    reports: list[CycleReport] = []

    def cycle(store: MatchdayStore, feed: BarrierFeed) -> None:
        reports.append(run_cycle(store, feed, ManualClock(NOW), polling_policy()))  # type: ignore[arg-type]

    threads = [Thread(target=cycle, args=poller) for poller in pollers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(reports) == len(pollers)
    return reports


def test_of_three_pollers_that_read_the_same_state_one_counts(
    harness: MatchdayHarness, pollers: list[tuple[MatchdayStore, BarrierFeed]]
) -> None:
    harness.clock.at = NOW
    harness.put(**FIRST_HALF, goals=[SALAH, goal(12)])
    harness.track()
    for round_ in (1, 2, 3):
        reports = all_at_once(pollers)
        [winner] = [report for report in reports if report.written]
        assert sorted(report.superseded for report in reports) == [0, 1, 1]
        salah = next(g for g in harness.goals() if g.player.id == 234)
        assert len(salah.seen_in_polls) == round_
        assert salah.seen_in_polls[-1] == winner.poll.id
        assert [report.changed for report in reports].count(True) == 1
    assert len(harness.goals()) == 2
    assert salah.stable


def test_of_three_pollers_one_counts_misses_and_one_completes(
    harness: MatchdayHarness, pollers: list[tuple[MatchdayStore, BarrierFeed]]
) -> None:
    harness.clock.at = NOW
    harness.put(**FIRST_HALF, goals=[SALAH])
    harness.track()
    for _ in range(3):
        harness.poll()
    harness.put(**FIRST_HALF)
    all_at_once(pollers)
    assert len(harness.goals()[0].missing_in_polls) == 1
    for _ in range(2):
        all_at_once(pollers)
    assert not harness.goals()[0].live
    harness.put(**{**FIRST_HALF, "status": "FT"})
    for _ in range(2):
        all_at_once(pollers)
    assert len(harness.fixture().completed_polls) == 2
    assert harness.fixture().state is FixtureState.ACTIVE
    all_at_once(pollers)
    assert harness.fixture().state is FixtureState.COMPLETED


def test_processes_that_poll_at_once_double_nothing(
    harness: MatchdayHarness, database: Database[Document], mongo_uri: str
) -> None:
    harness.clock.at = NOW
    ids = list(range(FIXTURE, FIXTURE + 12))
    for id_ in ids:
        harness.put(
            id_, **FIRST_HALF, goals=[SALAH, goal(35, player=234, name="M. Salah"), goal(12)]
        )
    harness.track(*ids)
    options = mongo_uri, database.name, harness.sim.url, NOW, 6
    running = [fork(poll_in_process, *options) for _ in range(3)]
    assert [exit_code(process) for process in running] == [0, 0, 0]
    stored_polls = {poll["_id"] for poll in database["polls"].find()}
    for id_ in ids:
        goals = harness.goals(id_)
        assert [g.event_id for g in goals] == [
            f"{id_}_40_unknown_Goal_1",
            f"{id_}_40_234_Goal_1",
            f"{id_}_40_234_Goal_2",
        ]
        assert [len(g.seen_in_polls) for g in goals] == [0, 3, 3]
        assert set(goals[1].seen_in_polls) <= stored_polls
        # One revision for the first sight and one for each poll that counted.
        assert harness.fixture(id_).revision == 3
