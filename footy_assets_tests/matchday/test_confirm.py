"""F11 with a simulated provider and a real MongoDB: extra polls between two ordinary ones."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from footy_assets.matchday.confirm import run_extra_cycle
from footy_assets.matchday.monitor import CycleReport, run_cycle
from footy_assets.matchday.rules.confirm import COUNTED_APART
from footy_assets.matchday.rules.goal import EventState
from footy_assets.sim import World, goal
from footy_assets_tests.matchday.harness import FIXTURE, MatchdayHarness
from footy_assets_tests.policies import polling_policy

KICKOFF = datetime(2025, 5, 10, 12, tzinfo=UTC)
PLAYING = {"status": "1H", "elapsed": 31, "kickoff": KICKOFF}
SALAH = goal(30, player=234, name="M. Salah")
OTHER = FIXTURE + 1


@pytest.fixture(scope="session")
def world() -> World:
    return World(date(2025, 5, 10), ())


@pytest.fixture
def playing(harness: MatchdayHarness) -> MatchdayHarness:
    harness.clock.at = KICKOFF + timedelta(minutes=31)
    harness.policy = replace(polling_policy(), counted_apart=COUNTED_APART)
    harness.put(**PLAYING)
    harness.put(OTHER, **PLAYING)
    harness.track(FIXTURE, OTHER)
    return harness


def extra(harness: MatchdayHarness, report: CycleReport, seconds: float = 10) -> CycleReport:
    harness.clock.advance(seconds)
    ids = sorted(report.unconfirmed)
    return run_extra_cycle(harness.store, harness.feed, harness.clock, harness.policy, ids)


def test_f11_extra_polls_of_one_match_make_its_goal_stable_in_20_s(
    playing: MatchdayHarness,
) -> None:
    assert playing.poll().unconfirmed == set()
    report = playing.put_and_poll({**PLAYING, "goals": [SALAH]})
    assert report.unconfirmed == {FIXTURE}
    for state in (EventState.DEBOUNCING, EventState.STABLE):
        report = extra(playing, report)
        assert playing.sim.requests[-1].params == {"ids": str(FIXTURE)}
        assert playing.goals()[0].state is state
    assert report.unconfirmed == set()
    [stable] = playing.goals()
    assert stable.stable_at == playing.clock.now()
    assert stable.last_counted_at == stable.stable_at


def test_f11_polls_closer_than_10_s_count_once_and_the_next_one_counts_again(
    playing: MatchdayHarness,
) -> None:
    """Also of ordinary polls: what has changed no goal once may change it later."""
    report = playing.put_and_poll({**PLAYING, "goals": [SALAH]})
    for _ in range(3):
        report = extra(playing, report, seconds=3)
        assert report.written == 0
    playing.poll(0.5)
    playing.poll(0.2)
    assert len(playing.goals()[0].seen_in_polls) == 1
    playing.poll(0.3)
    assert len(playing.goals()[0].seen_in_polls) == 2


def test_f11_of_an_ordinary_and_an_extra_poll_at_once_one_counts(
    playing: MatchdayHarness,
) -> None:
    first = playing.put_and_poll({**PLAYING, "goals": [SALAH]})
    playing.clock.advance(15)
    ordinary: list[CycleReport] = []

    class OrdinaryMeanwhile:
        """The other poll reads and writes while this one waits for its answer."""

        def by_ids(self, ids: list[int], within: float | None = None) -> object:
            answer = playing.feed.by_ids(ids, within)
            ordinary.append(run_cycle(playing.store, playing.feed, playing.clock, playing.policy))
            return answer

    report = run_extra_cycle(
        *(playing.store, OrdinaryMeanwhile(), playing.clock, playing.policy),  # type: ignore[arg-type]
        first.unconfirmed,
    )
    assert (ordinary[0].written, report.written, report.superseded) == (1, 0, 1)
    assert playing.goals()[0].seen_in_polls == (first.poll.id, ordinary[0].poll.id)


def test_f11_an_extra_poll_without_an_answer_changes_nothing_and_the_goal_still_waits(
    playing: MatchdayHarness,
) -> None:
    first = playing.put_and_poll({**PLAYING, "goals": [SALAH]})
    before = playing.goals()
    playing.sim.faults.errors({"token": "Error/Missing application key."}, times=None)
    report = extra(playing, first)
    assert report.failures
    assert report.unconfirmed == {FIXTURE}
    assert playing.goals() == before
