"""F10: which polls the rules of goals may leave out, and which they may not."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from footy_assets.matchday.rules.fixture import Fixture, new_fixture
from footy_assets.matchday.rules.goal import STABLE_AFTER_POLLS, GoalEvent
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.observe import GoalChange, Poll, observe
from footy_assets.matchday.rules.plan import PollInput
from footy_assets.matchday.rules.quiet import QuietMatches
from footy_assets.matchday.rules.sighting import (
    FixtureSighting,
    GoalSighting,
    League,
    Player,
    Side,
)
from footy_assets.matchday.rules.statuses import FixtureState

KICKOFF = datetime(2025, 5, 10, 14, tzinfo=UTC)
SALAH = GoalSighting(40, Player(234, "M. Salah"), MatchMinute(30), "Normal Goal")
NAMELESS = replace(SALAH, scorer=Player())


def sighting(*goals: GoalSighting, elapsed: int = 31) -> FixtureSighting:
    return FixtureSighting(
        fixture_id=1,
        kickoff=KICKOFF,
        status="1H",
        elapsed=elapsed,
        extra=None,
        league=League(39, "Premier League"),
        home=Side(40, "Liverpool"),
        away=Side(50, "Manchester City"),
        goals_home=len(goals),
        goals_away=0,
        goals=goals,
    )


FIXTURE: Fixture = new_fixture(sighting(), FixtureState.ACTIVE, KICKOFF)


class PolledMatch:
    """A match whose goals are kept as the polls change them."""

    def __init__(self) -> None:
        self.quiet = QuietMatches()
        self.goals: dict[str, GoalEvent] = {}
        self.polls = self.observed = 0

    def poll(self, seen: FixtureSighting) -> Sequence[GoalChange]:
        self.polls += 1
        number = self.polls
        poll = Poll(f"p{number}", KICKOFF + timedelta(seconds=30 * number))
        live = tuple(goal for goal in self.goals.values() if goal.live)
        dead = tuple(goal for goal in self.goals.values() if not goal.live)

        def observed() -> list[GoalChange]:
            self.observed += 1
            return observe(live, dead, seen, poll, new_key=lambda: f"k{number}")

        changes = self.quiet.changes(PollInput(FIXTURE, live, dead), seen, observed)
        self.goals |= {change.after.key: change.after for change in changes}
        return changes


def test_E4_every_poll_counts_until_a_goal_is_stable() -> None:
    match = PolledMatch()
    for _ in range(STABLE_AFTER_POLLS):
        assert match.poll(sighting(SALAH))
    [goal] = match.goals.values()
    assert goal.stable
    assert goal.seen_in_polls == ("p1", "p2", "p3")


def test_F10_the_rules_do_not_run_again_for_what_changed_nothing() -> None:
    match = PolledMatch()
    for minute in range(31, 41):
        match.poll(sighting(SALAH, elapsed=minute))
    # Three that count, and one that shows that nothing more does.
    assert (match.polls, match.observed) == (10, STABLE_AFTER_POLLS + 1)


def test_E6_every_poll_counts_that_misses_a_goal() -> None:
    match = PolledMatch()
    for _ in range(5):
        match.poll(sighting(SALAH))
    misses = [match.poll(sighting()) for _ in range(3)]
    assert all(misses)
    assert [goal.live for goal in match.goals.values()] == [False]


def test_a_goal_that_another_process_changed_is_judged_again() -> None:
    match = PolledMatch()
    for _ in range(5):
        match.poll(sighting(SALAH))
    [(key, goal)] = match.goals.items()
    match.goals[key] = replace(goal, minute=MatchMinute(29))
    [change] = match.poll(sighting(SALAH))
    assert change.after.minute == MatchMinute(30)


def test_E4_a_scorer_who_is_named_later_counts_from_then_on() -> None:
    match = PolledMatch()
    for _ in range(4):
        match.poll(sighting(NAMELESS))
    assert match.observed == 2
    for _ in range(STABLE_AFTER_POLLS):
        assert match.poll(sighting(SALAH))
    [goal] = match.goals.values()
    assert goal.stable


def test_the_matches_that_are_remembered_are_bounded() -> None:
    quiet, calls = QuietMatches(at_most=2), []

    def nothing() -> list[GoalChange]:
        calls.append(1)
        return []

    for id_ in (1, 2, 1, 2, 3, 1):
        quiet.changes(PollInput(FIXTURE), replace(sighting(), fixture_id=id_), nothing)
    assert len(calls) == 4
