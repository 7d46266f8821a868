"""F1, F5, F6, F8: from staging to completed."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footy_assets.matchday.rules.fixture import ClosedBy, Fixture, has_unknown_status
from footy_assets.matchday.rules.goal import GoalEvent, Removal, RemovalReason
from footy_assets.matchday.rules.lifecycle import (
    Deadlines,
    activates,
    after_poll,
    first_state,
    is_poll_due,
    is_rescheduled,
    past_deadline,
)
from footy_assets.matchday.rules.observe import Poll
from footy_assets.matchday.rules.sighting import FixtureSighting, Player
from footy_assets.matchday.rules.statuses import FixtureState, state_of
from footy_assets_tests.matchday.rules.polled_match import (
    KICKOFF,
    PolledMatch,
    at,
    fixture,
    goal,
    sighting,
)

STAGING = ("TBD", "NS")
ACTIVE = ("1H", "HT", "2H", "ET", "BT", "P", "SUSP", "INT", "LIVE", "PST")
COMPLETED = ("FT", "AET", "PEN", "CANC", "ABD", "AWD", "WO")
MIDNIGHT = datetime.fromisoformat("2025-05-10T00:00:00+00:00")
MID_MATCH = KICKOFF + timedelta(minutes=50)


def poll_fixture(
    known: Fixture,
    seen: FixtureSighting,
    now: datetime = MID_MATCH,
    events: Sequence[GoalEvent] = (),
    poll_id: str = "p",
    deadlines: Deadlines | None = None,
) -> Fixture:
    return after_poll(known, seen, events, Poll(poll_id, now), deadlines or Deadlines())


@pytest.mark.parametrize(
    ("status", "state"),
    [
        *((status, FixtureState.STAGING) for status in STAGING),
        *((status, FixtureState.ACTIVE) for status in ACTIVE),
        *((status, FixtureState.COMPLETED) for status in COMPLETED),
    ],
)
def test_F1_each_status_has_its_state(status: str, state: FixtureState) -> None:
    assert state_of(status) is state
    assert state_of(f" {status.lower()} ") is state


def test_F1_postponed_is_active_because_short_delays_are_common() -> None:
    assert poll_fixture(fixture(), sighting(status="PST")).state is FixtureState.ACTIVE


@pytest.mark.parametrize("state", list(FixtureState))
def test_F1_an_unknown_status_keeps_the_state(state: FixtureState) -> None:
    early = KICKOFF - timedelta(hours=3)
    after = poll_fixture(fixture(state), sighting(status="XX"), now=early)
    assert (after.state, after.status) == (state, "XX")


def test_F1_an_unknown_status_is_reported() -> None:
    assert has_unknown_status(sighting(status="XX"))
    assert not has_unknown_status(sighting(status="2H"))


def test_F1_an_unknown_status_does_not_end_the_match() -> None:
    known = fixture(completed_polls=("a", "b"))
    after = poll_fixture(known, sighting(status="XX"))
    assert (after.state, after.completed_polls) == (FixtureState.ACTIVE, ())


def test_F5_one_poll_per_quarter_hour_is_96_a_day_instead_of_2880() -> None:
    looks, last = 0, None
    for tick in range(2880):
        now = MIDNIGHT + timedelta(seconds=30 * tick)
        if is_poll_due(last, now):
            looks, last = looks + 1, now
    assert looks == 96


@pytest.mark.parametrize(
    ("last", "now", "due"),
    [
        (None, "13:07:00", True),
        ("13:00:00", "13:14:59", False),
        ("13:14:59", "13:15:00", True),
        ("13:15:00", "13:29:30", False),
        ("13:59:59", "14:00:00", True),
        ("13:07:00", "14:07:00", True),
    ],
)
def test_F5_the_quarter_of_the_wall_clock_decides(last: str | None, now: str, due: bool) -> None:
    def today(text: str) -> datetime:
        return datetime.fromisoformat(f"2025-05-10T{text}+00:00")

    assert is_poll_due(today(last) if last else None, today(now)) is due


def test_F5_the_same_quarter_of_another_day_is_another_quarter() -> None:
    assert is_poll_due(MIDNIGHT, MIDNIGHT + timedelta(days=1))


@given(st.integers(0, 40), st.integers(0, 86_400), st.integers(0, 86_400))
def test_F5_a_poll_is_due_exactly_when_the_quarter_differs(
    days: int, first: int, then: int
) -> None:
    day = MIDNIGHT + timedelta(days=days)
    last, now = day + timedelta(seconds=first), day + timedelta(seconds=then)
    assert is_poll_due(last, now) == (first // 900 != then // 900)


@pytest.mark.parametrize(
    ("before_kickoff", "active"),
    [
        (timedelta(minutes=30, seconds=1), False),
        (timedelta(minutes=30), True),
        (-timedelta(1), True),
    ],
)
def test_F6_half_an_hour_before_kickoff_activates(before_kickoff: timedelta, active: bool) -> None:
    now = KICKOFF - before_kickoff
    assert activates(KICKOFF, "NS", now) is active
    after = poll_fixture(fixture(FixtureState.STAGING), sighting(status="NS"), now=now)
    assert (after.state is FixtureState.ACTIVE) is active


@pytest.mark.parametrize("status", ["1H", "LIVE", "2H", "PST"])
def test_F6_a_live_status_activates_at_once(status: str) -> None:
    now = KICKOFF - timedelta(hours=2)
    after = poll_fixture(fixture(FixtureState.STAGING), sighting(status=status), now=now)
    assert after.state is FixtureState.ACTIVE


def test_F6_a_match_first_seen_after_its_end_is_polled_before_it_is_completed() -> None:
    assert first_state(sighting(status="FT"), MID_MATCH) is FixtureState.ACTIVE
    assert first_state(sighting(status="NS"), KICKOFF - timedelta(days=1)) is FixtureState.STAGING


def test_F6_a_postponed_kickoff_returns_a_match_to_staging() -> None:
    tomorrow = KICKOFF + timedelta(days=1)
    after = poll_fixture(fixture(), sighting(status="NS", kickoff=tomorrow), now=KICKOFF)
    assert (after.state, after.kickoff) == (FixtureState.STAGING, tomorrow)


def test_F6_a_match_with_goals_never_returns_to_staging() -> None:
    match = PolledMatch()
    match.poll(goal(5))
    tomorrow = KICKOFF + timedelta(days=1)
    seen = sighting(goal(5), status="NS", kickoff=tomorrow)
    assert (
        poll_fixture(fixture(), seen, now=KICKOFF, events=match.live).state is FixtureState.ACTIVE
    )


def stable_goal(**changes: object) -> GoalEvent:
    match = PolledMatch()
    match.poll_times(3, goal(30))
    return replace(match[30], **changes)  # type: ignore[arg-type]


def test_F8_three_polls_in_a_row_complete_a_match_without_a_winner() -> None:
    known = fixture()
    for number in (1, 2):
        known = poll_fixture(known, sighting(status="FT"), poll_id=f"p{number}")
        assert known.state is FixtureState.ACTIVE
    known = poll_fixture(known, sighting(status="FT"), poll_id="p3")
    assert (known.state, known.completed_polls) == (FixtureState.COMPLETED, ("p1", "p2", "p3"))
    assert known.completed_at == MID_MATCH
    assert known.closed_because is None


def test_F8_a_repeated_poll_id_counts_once() -> None:
    known = fixture()
    for _ in range(5):
        known = poll_fixture(known, sighting(status="FT"), poll_id="again")
    assert (known.state, known.completed_polls) == (FixtureState.ACTIVE, ("again",))


def test_F8_a_winner_flag_needs_one_poll() -> None:
    after = poll_fixture(fixture(), sighting(status="FT", winner=True))
    assert after.state is FixtureState.COMPLETED


def test_F8_a_winner_flag_waits_for_a_list_of_goals_that_lags_behind_the_score() -> None:
    lagging = sighting(status="FT", winner=True, score=(1, 0))
    assert poll_fixture(fixture(), lagging).state is FixtureState.ACTIVE


def test_F8_a_winner_flag_while_playing_completes_nothing() -> None:
    assert poll_fixture(fixture(), sighting(status="2H", winner=True)).state is FixtureState.ACTIVE


def test_F8_another_status_in_between_starts_the_count_anew() -> None:
    known = poll_fixture(fixture(), sighting(status="FT"), poll_id="p1")
    known = poll_fixture(known, sighting(status="2H"), poll_id="p2")
    assert known.completed_polls == ()


UNFINISHED = {
    "debouncing": {"seen_in_polls": ("a", "b"), "stable_at": None},
    "searching": {"attempts_planned": 10, "attempts_counted": 9},
    "on its way out": {"missing_in_polls": ("x",)},
}


@pytest.mark.parametrize("why", list(UNFINISHED))
def test_F8_the_count_starts_only_after_the_events_are_done(why: str) -> None:
    event = stable_goal(**UNFINISHED[why])
    known = fixture(completed_polls=("p1", "p2"))
    after = poll_fixture(known, sighting(status="FT", winner=True), events=[event])
    assert (after.state, after.completed_polls) == (FixtureState.ACTIVE, ())


FINISHED = {
    "stable, no search planned": {},
    "searched to the end": {"attempts_planned": 10, "attempts_counted": 10},
    "removed": {"seen_in_polls": (), "removal": Removal(KICKOFF, RemovalReason.VAR)},
    "never named": {"seen_in_polls": (), "player": Player(None, None)},
    "id without a name": {"seen_in_polls": (), "player": Player(9, "Unknown")},
}


@pytest.mark.parametrize("what", list(FINISHED))
def test_F8_a_finished_event_does_not_keep_the_match_open(what: str) -> None:
    event = stable_goal(**FINISHED[what])
    after = poll_fixture(fixture(), sighting(status="FT", winner=True), events=[event])
    assert after.state is FixtureState.COMPLETED


@pytest.mark.parametrize("status", ["PST", "SUSP", "INT", "2H", "NS", "XX"])
def test_F8_a_match_that_never_finishes_is_closed_after_48_hours_with_a_reason(status: str) -> None:
    deadline = KICKOFF + timedelta(hours=48)
    just_before = poll_fixture(
        fixture(), sighting(status=status), now=deadline - timedelta(seconds=1)
    )
    assert just_before.state is FixtureState.ACTIVE
    closed = poll_fixture(fixture(), sighting(status=status), now=deadline)
    assert closed.state is FixtureState.COMPLETED
    assert closed.completed_at == deadline
    assert closed.closed_because == f"status {status} more than 48 h after kickoff"
    assert closed.closed_by is ClosedBy.DEADLINE


def test_F8_a_match_the_provider_forgot_is_closed_too() -> None:
    closed = past_deadline(fixture(), KICKOFF + timedelta(hours=48), Deadlines())
    assert closed.closed_because is not None


def test_F8_the_deadline_is_configurable() -> None:
    short = Deadlines(unfinished_after=timedelta(hours=6))
    now = KICKOFF + timedelta(hours=6)
    closed = poll_fixture(fixture(), sighting(status="PST"), now=now, deadlines=short)
    assert closed.closed_because == "status PST more than 6 h after kickoff"


def test_F8_the_deadline_follows_a_kickoff_that_moved() -> None:
    later = KICKOFF + timedelta(days=3)
    now = KICKOFF + timedelta(hours=60)
    after = poll_fixture(fixture(), sighting(status="PST", kickoff=later), now=now)
    assert after.state is FixtureState.ACTIVE


def test_F8_a_goal_that_never_finishes_does_not_keep_a_match_open_forever() -> None:
    """Its scorer was named once and never again: it becomes neither stable nor removed."""
    event = stable_goal(seen_in_polls=("a",), stable_at=None, first_seen_at=MID_MATCH)
    seen = sighting(goal(30), status="FT", winner=True)
    late = MID_MATCH + timedelta(hours=48)
    waiting = poll_fixture(fixture(), seen, now=late - timedelta(seconds=1), events=[event])
    assert waiting.state is FixtureState.ACTIVE
    closed = poll_fixture(fixture(), seen, now=late, events=[event])
    assert closed.state is FixtureState.COMPLETED
    assert closed.closed_because is not None
    assert closed.closed_by is ClosedBy.DEADLINE


def test_F8_a_match_of_last_week_seen_for_the_first_time_is_not_closed_early() -> None:
    now = KICKOFF + timedelta(days=7)
    event = stable_goal(seen_in_polls=("a",), stable_at=None, first_seen_at=now)
    seen = sighting(goal(30), status="FT", winner=True)
    assert poll_fixture(fixture(), seen, now=now, events=[event]).state is FixtureState.ACTIVE


def test_F8_a_closed_match_with_a_new_kickoff_is_rescheduled() -> None:
    closed = fixture(
        FixtureState.COMPLETED,
        closed_because="status PST more than 48 h",
        closed_by=ClosedBy.DEADLINE,
    )
    later = KICKOFF + timedelta(days=9)
    now = KICKOFF + timedelta(days=3)
    assert is_rescheduled(closed, sighting(status="NS", kickoff=later), now)
    assert not is_rescheduled(closed, sighting(status="NS"), now)
    played = replace(closed, closed_because=None, closed_by=None)
    assert not is_rescheduled(played, sighting(status="NS", kickoff=later), now)


def test_P5_a_match_that_an_operator_closed_is_never_rescheduled() -> None:
    """Whatever the text of the reason is."""
    closed = fixture(
        FixtureState.COMPLETED,
        closed_because="status PST, abandoned",
        closed_by=ClosedBy.OPERATOR,
    )
    later = KICKOFF + timedelta(days=9)
    now = KICKOFF + timedelta(days=3)
    assert not is_rescheduled(closed, sighting(status="NS", kickoff=later), now)


def test_F10_the_running_minute_alone_is_not_a_change() -> None:
    known = fixture().updated_from(sighting(status="1H", elapsed=10), KICKOFF)
    later = KICKOFF + timedelta(minutes=5)
    assert known.updated_from(sighting(status="1H", elapsed=15), later) is known
    assert known.minute(later) == 15
    assert known.minute(KICKOFF + timedelta(hours=2)) == 45
    assert at("45+2").sort_key > at(45).sort_key
