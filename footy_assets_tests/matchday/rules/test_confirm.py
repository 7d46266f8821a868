"""F11: extra polls of a match with an unconfirmed goal: what counts, and when they happen."""

from datetime import UTC, datetime, timedelta

import pytest

from footy_assets.clock import ManualClock
from footy_assets.matchday.confirm import confirmation_polls, policy_with_confirmation
from footy_assets.matchday.monitor import CycleReport, MonitorPolicy
from footy_assets.matchday.rules.confirm import (
    COUNTED_APART,
    confirmation_seconds,
    counts,
    needs_confirmation,
)
from footy_assets.matchday.rules.fixture import new_fixture
from footy_assets.matchday.rules.goal import GoalEvent, RemovalReason
from footy_assets.matchday.rules.lifecycle import Deadlines, after_poll
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.observe import Poll, observe
from footy_assets.matchday.rules.pace import Quota
from footy_assets.matchday.rules.sighting import (
    Cancellation,
    FixtureSighting,
    GoalSighting,
    League,
    Player,
    Side,
)
from footy_assets.matchday.rules.statuses import FixtureState

NOON = datetime(2025, 5, 10, 12, tzinfo=UTC)
SALAH = GoalSighting(40, Player(234, "M. Salah"), MatchMinute(30), "Normal Goal")
NAMELESS = GoalSighting(40, Player(), MatchMinute(30), "Normal Goal")
PRO = Quota(7_500, 7_000, 300, 299)


def sighting(
    *goals: GoalSighting, status: str = "1H", cancelled: tuple[Cancellation, ...] = ()
) -> FixtureSighting:
    home, away = Side(40, "Liverpool", winner=status == "FT" or None), Side(50, "Manchester City")
    return FixtureSighting(
        *(1, NOON, status, 31, None, League(39, "Premier League"), home, away),
        goals_home=len(goals),
        goals_away=0,
        goals=goals,
        cancellations=cancelled,
    )


class Match:
    """Polled at seconds after noon; below, `*` marks an extra poll."""

    def __init__(self) -> None:
        self.goals: dict[str, GoalEvent] = {}

    def poll(self, second: float, seen: FixtureSighting, *, extra: bool = False) -> None:
        poll = Poll(f"p{second}", NOON + timedelta(seconds=second), extra, COUNTED_APART)
        live = [goal for goal in self.goals.values() if goal.live]
        gone = [goal for goal in self.goals.values() if not goal.live]
        changes = observe(live, gone, seen, poll, new_key=lambda: f"k{second}")
        self.goals |= {change.after.key: change.after for change in changes}

    def polls(self, timeline: str, seen: FixtureSighting) -> GoalEvent:
        for moment in timeline.split():
            self.poll(float(moment.rstrip("*")), seen, extra=moment.endswith("*"))
        [goal] = self.goals.values()
        return goal


@pytest.mark.parametrize(
    ("last", "at", "counted"),
    [(None, 0, True), (0, 10, True), (0, 9.999, False), (0, 0, False), (60, 0, True)],
    ids=["the first", "10 s later", "too soon", "at once", "the other's clock is ahead"],
)
def test_f11_a_poll_counts_10_s_after_the_last_that_counted(
    last: float | None, at: float, counted: bool
) -> None:
    before = None if last is None else NOON + timedelta(seconds=last)
    assert counts(before, NOON + timedelta(seconds=at), COUNTED_APART) is counted
    assert counts(before, NOON + timedelta(seconds=at), timedelta(0))


@pytest.mark.parametrize(
    ("timeline", "seen_in"),
    [
        ("0 10*", ["p0.0", "p10.0"]),
        ("0 10* 20*", ["p0.0", "p10.0", "p20.0"]),
        ("0 2* 4* 6* 8*", ["p0.0"]),
        ("0 9* 18* 27*", ["p0.0", "p18.0"]),
        ("0 20* 29 30.5", ["p0.0", "p20.0", "p30.5"]),
        ("0 30 60", ["p0.0", "p30.0", "p60.0"]),
        ("0 10* 20* 30 60", ["p0.0", "p10.0", "p20.0"]),
    ],
)
def test_f11_a_goal_is_stable_after_three_polls_at_least_10_s_apart(
    timeline: str, seen_in: list[str]
) -> None:
    goal = Match().polls(timeline, sighting(SALAH))
    assert list(goal.seen_in_polls) == seen_in
    assert goal.stable is (len(seen_in) == 3)


def test_f11_an_extra_poll_of_an_unknown_scorer_counts_as_little_as_any_other() -> None:
    assert Match().polls("0 10* 20*", sighting(NAMELESS)).seen_in_polls == ()


@pytest.mark.parametrize("goal", [SALAH, NAMELESS])
def test_f11_a_goal_that_flickers_between_two_ordinary_polls_misses_none(
    goal: GoalSighting,
) -> None:
    match = Match()
    match.polls("0", sighting(goal))
    stored = match.polls("10* 20* 29*", sighting())
    assert stored.live
    assert stored.missing_in_polls == ()


def test_f11_a_goal_is_removed_no_sooner_with_extra_polls_than_without() -> None:
    match = Match()
    match.polls("0", sighting(SALAH))
    assert match.polls("10* 20* 30 40* 50* 60 70* 80*", sighting()).live
    gone = match.polls("90", sighting())
    assert gone.missing_in_polls == ("p30.0", "p60.0", "p90.0")
    assert gone.removal is not None
    assert gone.removal.reason is RemovalReason.MISSING


def test_f11_a_goal_that_an_extra_poll_sees_again_is_not_missing_any_more() -> None:
    match = Match()
    match.polls("0", sighting(SALAH))
    match.polls("30 60", sighting())
    assert match.polls("70*", sighting(SALAH)).missing_in_polls == ()


def test_f11_a_var_decision_in_an_extra_poll_removes_a_goal_at_once() -> None:
    decision = Cancellation(40, 234, MatchMinute(30), "Goal cancelled")
    match = Match()
    match.polls("0", sighting(SALAH))
    assert not match.polls("10*", sighting(cancelled=(decision,))).live


def test_f11_a_scorer_who_is_corrected_in_an_extra_poll_keeps_the_goal() -> None:
    match = Match()
    match.polls("0 10*", sighting(SALAH))
    diaz = GoalSighting(40, Player(7, "L. Diaz"), MatchMinute(30), "Normal Goal")
    goal = match.polls("20*", sighting(diaz))
    assert goal.player.id == 7
    assert len(goal.seen_in_polls) == 3


def test_f11_an_extra_poll_confirms_no_end_of_a_match() -> None:
    active = new_fixture(sighting(), FixtureState.ACTIVE, NOON)
    ended = sighting(status="FT")
    extra = after_poll(active, ended, [], Poll("p1", NOON, extra=True), Deadlines())
    assert (extra.state, extra.status, extra.completed_polls) == (FixtureState.ACTIVE, "FT", ())
    ordinary = after_poll(extra, ended, [], Poll("p2", NOON), Deadlines())
    assert ordinary.state is FixtureState.COMPLETED


# -- which matches, how often ------------------------------------------------------------------


def test_f11_a_match_is_polled_faster_for_named_goals_that_are_not_stable_for_three_minutes() -> (
    None
):
    named, nameless = Match(), Match()
    fresh = named.polls("0", sighting(SALAH))
    assert needs_confirmation([fresh], NOON)
    assert needs_confirmation([fresh], NOON + timedelta(seconds=179))
    assert not needs_confirmation([fresh], NOON + timedelta(seconds=180))
    assert not needs_confirmation([nameless.polls("0", sighting(NAMELESS))], NOON)
    assert not needs_confirmation([named.polls("10* 20*", sighting(SALAH))], NOON)


@pytest.mark.parametrize(
    ("wanted", "base", "quota", "seconds"),
    [
        (None, 30, PRO, 10),
        (15, 30, PRO, 15),
        (0, 30, PRO, None),
        (None, 30, None, None),
        (10, 30, None, 10),
        (20, 30, PRO, None),
        (None, 10, PRO, None),
        (None, 30, Quota(100, 100, 10, 10), None),
        (10, 30, Quota(100, 100, 10, 10), None),
        (None, 30, Quota(75_000, 18_000, 300, 299), None),
        (10, 30, Quota(75_000, 18_000, 300, 299), 10),
        (None, 30, Quota(7_500, 7_000, 300, 100), None),
        (None, 30, Quota(7_500, 7_000), 10),
        (10, 30, Quota(7_500, 160), None),
    ],
    ids=[
        *("unset and plenty left", "set", "off", "the provider tells no quota"),
        *("set, and no quota told", "no room between ordinary polls", "ordinary polls as fast"),
        *("a small plan", "a small plan, though set", "little of the day", "little, but set"),
        *("little of the minute", "no limit a minute", "polls slow down already"),
    ],
)
def test_f11_extra_polls_need_a_setting_or_plenty_of_requests(
    wanted: float | None, base: float, quota: Quota | None, seconds: float | None
) -> None:
    assert confirmation_seconds(wanted, base, quota, 5, NOON) == seconds


class Polls:
    """Extra polls of an ordinary one at noon, after which some matches are unconfirmed."""

    def __init__(self, *, took: float = 0.0, confirmed_after: int = 99) -> None:
        self.clock = ManualClock(NOON)
        self.took, self.confirmed_after = took, confirmed_after
        self.at: list[float] = []
        self.asked: list[list[int]] = []

    def run(self, wanted: float | None = None, quota: Quota | None = PRO) -> None:
        ordinary = CycleReport(Poll("p", NOON), calls=3, quota=quota, unconfirmed={5, 3})
        self.clock.advance(self.took)
        for _ in confirmation_polls(self.extra, ordinary, self.clock, wanted, 30.0, quota):
            pass

    def extra(self, ids: object) -> CycleReport:
        now = self.clock.now()
        self.at.append(round((now - NOON).total_seconds(), 1))
        self.asked.append(list(ids))  # type: ignore[call-overload]
        self.clock.advance(self.took)
        left = {5} if len(self.at) < self.confirmed_after else set()
        return CycleReport(Poll("e", now, extra=True), calls=1, unconfirmed=left)


@pytest.mark.parametrize(
    ("took", "wanted", "at"),
    [
        (0.0, None, [10.0, 20.1]),
        (3.0, None, [10.0, 20.1]),
        (0.0, 15.0, [15.0]),
        (12.0, None, [12.0]),
        (25.0, None, []),
        (0.0, 0.0, []),
    ],
    ids=["quick", "slow", "15 s", "slower than 10 s", "too late for any", "off"],
)
def test_f11_extra_polls_end_before_the_next_ordinary_one(
    took: float, wanted: float | None, at: list[float]
) -> None:
    polls = Polls(took=took)
    polls.run(wanted)
    assert polls.at == pytest.approx(at, abs=0.11)


def test_f11_extra_polls_ask_for_unconfirmed_matches_only_and_stop_without_any() -> None:
    polls = Polls(confirmed_after=1)
    polls.run()
    assert polls.asked == [[3, 5]]
    polls = Polls()
    polls.run()
    assert polls.asked == [[3, 5], [5]]


def test_f11_ordinary_polls_are_held_apart_only_where_extra_polls_may_be() -> None:
    policy = MonitorPolicy()
    assert policy_with_confirmation(policy, None, 30.0).counted_apart == COUNTED_APART
    assert policy_with_confirmation(policy, 0, 30.0) == policy
    assert policy_with_confirmation(policy, None, 5.0) == policy
