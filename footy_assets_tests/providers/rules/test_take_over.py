"""L2: a match while another provider acts for the lead, and when it is handed back."""

from dataclasses import replace

import pytest

from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.observe import Poll, observe
from footy_assets.matchday.rules.sighting import FixtureSighting, Player
from footy_assets.providers.rules.match import GoalClaim, Report
from footy_assets.providers.rules.take_over import (
    handed_back,
    is_missing_goals,
    is_outdated,
    merge_acting,
)
from footy_assets_tests.providers.reports import (
    HOME,
    NOON,
    SALAH,
    claim,
    goal,
    known,
    report,
    sighting,
)

# Our number of the same player, given to another provider's id.
THEIR_SALAH = Player(1_000_000_007, "Mohamed Salah")
PLAYERS = {"253": 1_000_000_007, "254": 1_000_000_008}


def named(minute: int, scorer: str = "Mohamed Salah", id_: str = "253") -> GoalClaim:
    return replace(claim(minute, scorer=scorer), scorer_id=id_)


def acted(live: list[GoalEvent], *claims: GoalClaim, score: int | None = None) -> FixtureSighting:
    goals = len(claims) if score is None else score
    acting = report("second", goals, 0, goals=claims, minute=60, period="2H")
    return merge_acting(known(), live, None, acting, {"score.home": goals}, PLAYERS)


class Goals:
    """The stored goals of a match, poll after poll."""

    def __init__(self) -> None:
        self.events: dict[str, GoalEvent] = {}
        self.polls = 0

    @property
    def live(self) -> list[GoalEvent]:
        return [event for event in self.events.values() if event.live]

    def see(self, seen: FixtureSighting) -> None:
        self.polls += 1
        poll = Poll(f"p{self.polls}", NOON)
        tombstones = [event for event in self.events.values() if not event.live]
        changes = observe(self.live, tombstones, seen, poll, lambda: f"k{len(self.events)}")
        self.events |= {change.after.key: change.after for change in changes}


@pytest.fixture
def goals() -> Goals:
    return Goals()


def test_a_new_goal_becomes_stable_with_the_scorer_of_the_one_that_acts(goals: Goals) -> None:
    for _ in range(3):
        goals.see(acted(goals.live, named(27)))
    assert [(one.player, one.stable) for one in goals.live] == [(THEIR_SALAH, True)]


def test_a_stored_goal_keeps_its_scorer_and_its_minute(goals: Goals) -> None:
    goals.see(sighting(goal(27), elapsed=30))
    goals.see(acted(goals.live, named(28)))
    assert [(one.player, one.minute.elapsed) for one in goals.live] == [(SALAH, 27)]


def test_a_goal_without_a_scorer_is_named(goals: Goals) -> None:
    goals.see(sighting(goal(27, Player()), elapsed=30))
    goals.see(acted(goals.live, named(27)))
    assert [one.player for one in goals.live] == [THEIR_SALAH]


def test_a_list_shorter_than_its_own_score_removes_nothing(goals: Goals) -> None:
    goals.see(sighting(goal(27), elapsed=30))
    for _ in range(4):
        goals.see(acted(goals.live, score=1))
    assert len(goals.live) == 1


def test_a_goal_that_the_one_that_acts_withdraws_is_removed_after_three_polls(goals: Goals) -> None:
    goals.see(sighting(goal(27), elapsed=30))
    for _ in range(3):
        assert len(goals.live) == 1
        goals.see(acted(goals.live))
    assert goals.live == []


def test_a_decision_of_the_one_that_acts_removes_the_goal_at_once(goals: Goals) -> None:
    goals.see(sighting(goal(27), elapsed=30))
    decided = report("second", 0, 0, goals=(), cancellations=(("home", "28'"),))
    goals.see(merge_acting(known(), goals.live, None, decided, {}, PLAYERS))
    assert goals.live == []


@pytest.mark.parametrize("apart", [-2, -1, 0, 1, 2])
def test_handed_back_a_goal_is_neither_doubled_nor_lost(goals: Goals, apart: int) -> None:
    for _ in range(3):
        goals.see(acted(goals.live, named(27)))
    for _ in range(4):
        seen = sighting(goal(27 + apart), elapsed=40)
        goals.see(handed_back(seen, goals.live, set(goals.events)))
    assert len(goals.events) == 1
    event = goals.live[0]
    assert (event.player, event.minute, event.stable) == (SALAH, MatchMinute(27 + apart), True)
    assert [former.event_id for former in event.formerly] == [
        f"5000_{HOME.id}_{THEIR_SALAH.id}_Goal_1"
    ]


def test_handed_back_two_goals_of_one_minute_stay_two(goals: Goals) -> None:
    other = Player(235, "D. Nunez")
    for _ in range(3):
        goals.see(acted(goals.live, named(27), named(28, "Darwin Nunez", "254")))
    for _ in range(4):
        seen = sighting(goal(27), goal(29, other), elapsed=40)
        goals.see(handed_back(seen, goals.live, set(goals.events)))
    assert sorted(one.player.id or 0 for one in goals.live) == [234, 235]
    assert len(goals.events) == 2


def test_two_providers_that_disagree_on_the_scorer_make_one_goal(goals: Goals) -> None:
    for _ in range(3):
        goals.see(acted(goals.live, named(27, "Darwin Nunez")))
    seen = sighting(goal(27), elapsed=40)
    goals.see(handed_back(seen, goals.live, set(goals.events)))
    assert [one.player for one in goals.live] == [SALAH]


def lead_back(score: int, cancellations: tuple[tuple[str, str], ...] = ()) -> Report:
    return report("lead", score, 0, cancellations=cancellations)


def test_a_lead_that_comes_back_with_fewer_goals_does_not_lead_yet() -> None:
    acting = report("second", 2, 0)
    assert is_missing_goals(lead_back(1), acting)
    assert not is_missing_goals(lead_back(2), acting)
    assert not is_missing_goals(lead_back(1, (("home", "27'"),)), acting)
    assert is_missing_goals(lead_back(1, (("away", "27'"),)), acting)


def test_handed_back_another_goal_of_the_scorer_does_not_double_one(goals: Goals) -> None:
    """The lead's scorer of a goal that the other credits to somebody else has one already."""
    for _ in range(3):
        goals.see(sighting(goal(8), elapsed=9))
    for _ in range(3):
        goals.see(acted(goals.live, named(8), named(29, "D. Nunez", "254")))
    for _ in range(4):
        seen = sighting(goal(8), goal(27), elapsed=40)
        goals.see(handed_back(seen, goals.live, set(goals.events)))
    assert len(goals.events) == 2
    assert [one.player for one in goals.live] == [SALAH] * 2


def test_handed_back_a_goal_that_the_other_did_not_find_keeps_its_minute() -> None:
    seen = sighting(goal(27), elapsed=40)
    assert handed_back(seen, [], set()) == seen


@pytest.mark.parametrize(
    ("period", "minute", "outdated"),
    [("1H", 17, True), ("1H", 18, False), ("2H", 46, False)],
)
def test_a_lead_that_comes_back_with_an_old_clock_does_not_lead_yet(
    period: str, minute: int, outdated: bool
) -> None:
    """With as many goals: one may be cancelled since then, and another scored."""
    acting = report("second", 1, 0, minute=20)
    assert is_outdated(report("lead", 1, 0, minute=minute, period=period), acting) is outdated


def test_a_lead_that_comes_back_a_period_behind_does_not_lead_yet() -> None:
    lead, acting = report("lead", minute=44), report("second", minute=48, period="2H")
    assert is_outdated(lead, acting)
    assert not is_outdated(acting, lead)
