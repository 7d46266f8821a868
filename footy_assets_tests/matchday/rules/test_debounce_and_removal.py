"""E4, E6, E7, E9: how a goal becomes stable, is refreshed and removed, and its state."""

from dataclasses import replace

import pytest

from footy_assets.matchday.rules.goal import EventState
from footy_assets.matchday.rules.sighting import NOBODY, Player
from footy_assets_tests.matchday.goals import GOAL
from footy_assets_tests.matchday.rules.polled_match import AWAY, PolledMatch, at, goal, var

UNKNOWN_SCORERS = [
    NOBODY,
    Player(None, "M. Salah"),
    Player(234, None),
    Player(234, "Unknown"),
    Player(234, "unknown"),
    Player(234, " UNKNOWN "),
    Player(234, ""),
    Player(0, "M. Salah"),
]


def test_E4_stable_after_three_distinct_polls() -> None:
    match = PolledMatch()
    states = []
    for _ in range(3):
        match.poll(goal(30))
        states.append(match[30].state)
    assert states == [EventState.DETECTED, EventState.DEBOUNCING, EventState.STABLE]
    assert match[30].seen_in_polls == ("p1", "p2", "p3")
    assert match[30].stable_at is not None


def test_E4_a_repeated_poll_id_counts_once() -> None:
    match = PolledMatch()
    for _ in range(5):
        match.poll(goal(30), poll_id="p1")
    assert match[30].seen_in_polls == ("p1",)


@pytest.mark.parametrize("unknown_scorer", UNKNOWN_SCORERS)
def test_E4_while_the_scorer_is_unknown_the_set_does_not_grow(unknown_scorer: Player) -> None:
    match = PolledMatch()
    match.poll_times(5, goal(30, unknown_scorer))
    assert match[30].seen_in_polls == ()
    assert match[30].state is EventState.DETECTED


def test_E4_a_poll_without_the_scorers_name_does_not_count() -> None:
    match = PolledMatch()
    match.poll_times(2, goal(30))
    match.poll(goal(30, NOBODY))
    assert match[30].seen_in_polls == ("p1", "p2")
    match.poll(goal(30))
    assert match[30].stable


def test_E4_polls_count_from_the_moment_the_scorer_is_known() -> None:
    match = PolledMatch()
    match.poll_times(4, goal(30, Player(234, "Unknown")))
    match.poll_times(2, goal(30))
    assert match[30].seen_in_polls == ("p5", "p6")
    match.poll(goal(30))
    assert match[30].stable
    assert match[30].event_id == "5000_40_234_Goal_1"


def test_E4_polls_need_not_follow_each_other() -> None:
    match = PolledMatch()
    match.poll(goal(30))
    match.poll()
    match.poll(goal(30))
    match.poll_times(2)
    match.poll(goal(30))
    assert match[30].seen_in_polls == ("p1", "p3", "p6")


def test_E4_a_stable_goal_changes_no_more_while_nothing_does() -> None:
    """F10: the set stops at three, so that a poll without changes writes nothing."""
    match = PolledMatch()
    match.poll_times(3, goal(30))
    assert match.poll(goal(30)) == []


def test_E6_missing_from_three_polls_in_a_row_is_removed() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(30))
    match.poll_times(2)
    assert match[30].missing_in_polls == ("p4", "p5")
    match.poll()
    [gone] = match.removed
    assert gone.removal is not None
    assert (gone.removal.reason, gone.removal.poll_id) == ("missing", "p6")
    assert gone.state is EventState.REMOVED


def test_E6_one_reappearance_resets() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(30))
    for _ in range(4):
        match.poll_times(2)
        match.poll(goal(30))
        assert match[30].missing_in_polls == ()
    assert match.removed == []
    assert match[30].event_id == "5000_40_234_Goal_1"


def test_E6_a_repeated_poll_id_is_one_miss() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(30))
    for _ in range(5):
        match.poll(poll_id="again")
    assert match[30].missing_in_polls == ("again",)


@pytest.mark.parametrize("unknown_scorer", UNKNOWN_SCORERS)
def test_E6_a_goal_without_a_known_scorer_is_removed_at_once(unknown_scorer: Player) -> None:
    match = PolledMatch()
    match.poll(goal(30, unknown_scorer))
    match.poll()
    assert [e.removal.reason for e in match.removed if e.removal] == ["unnamed_vanished"]


def test_E6_a_var_decision_removes_at_once_with_its_reason() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(30))
    match.poll(cancelled=[var(30, detail="Goal Disallowed - offside")])
    [gone] = match.removed
    assert gone.removal is not None
    assert (gone.removal.reason, gone.removal.detail) == ("var", "Goal Disallowed - offside")


@pytest.mark.parametrize("verdict_at", ["64", "65", "67", "69"])
def test_E6_the_decision_may_come_minutes_later(verdict_at: str) -> None:
    match = PolledMatch()
    match.poll_times(3, goal(64))
    match.poll(cancelled=[var(verdict_at)])
    assert match.live == []


def test_E6_a_cancelled_goal_still_listed_is_removed_and_stays_removed() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(30))
    for _ in range(4):
        match.poll(goal(30), cancelled=[var(30)])
        assert match.live == []
    match.poll_times(2, cancelled=[var(30)])
    assert len(match.events) == 1


def test_E6_a_goal_listed_a_minute_from_its_decision_is_removed_when_the_score_drops_it() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(30))
    match.poll(goal(30), cancelled=[var(31)], score=(0, 0))
    assert match.live == []
    match.poll(goal(30), cancelled=[var(31)], score=(0, 0))
    assert len(match.events) == 1


def test_E6_a_cancellation_does_not_hit_the_scorers_other_goal() -> None:
    """29' is valid, 30' is cancelled."""
    match = PolledMatch()
    match.poll_times(3, goal(29), goal(30))
    keys = {29: match[29].key, 30: match[30].key}
    match.poll_times(4, goal(29), cancelled=[var(30)])
    assert [e.key for e in match.removed] == [keys[30]]
    assert match[29].key == keys[29]
    assert match[29].missing_in_polls == ()


def test_E6_a_cancelled_goal_listed_with_the_valid_one_is_the_one_removed() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(29), goal(30))
    keys = {29: match[29].key, 30: match[30].key}
    match.poll_times(2, goal(29), goal(30), cancelled=[var(30)], score=(1, 0))
    assert [e.key for e in match.removed] == [keys[30]]
    assert match.ids == ["5000_40_234_Goal_1"]


def test_E6_a_decision_on_a_goal_never_seen_leaves_the_valid_one_a_minute_before() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(29))
    before = match[29]
    match.poll_times(3, goal(29), cancelled=[var(30)])
    assert match[29] == before


def test_E6_a_valid_goal_first_seen_with_a_cancelled_one_still_listed() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(29), goal(30), cancelled=[var(30)], score=(1, 0))
    assert match.ids == ["5000_40_234_Goal_1"]
    assert match[29].stable


@pytest.mark.parametrize("other", [goal(30, 7), goal(30, team=AWAY), goal(31), goal(24)])
def test_E6_a_decision_on_another_goal_leaves_this_one(other: object) -> None:
    match = PolledMatch()
    match.poll_times(3, other)  # type: ignore[arg-type]
    match.poll_times(3, other, cancelled=[var(30)])  # type: ignore[arg-type]
    assert len(match.live) == 1


def test_E6_a_decision_cancels_one_goal_only() -> None:
    """The decision stays listed to the end of the match and must not cancel another goal."""
    match = PolledMatch()
    match.poll_times(3, goal(27), goal(30))
    match.poll(goal(27), cancelled=[var(30)])
    match.poll(cancelled=[var(30)])
    assert match[27].missing_in_polls == ("p5",)
    match.poll(goal(27), cancelled=[var(30)])
    assert match.ids == ["5000_40_234_Goal_1"]


def test_E6_a_goal_given_after_all_is_a_new_one() -> None:
    """The cancellation leaves the list and the goal is listed again."""
    match = PolledMatch()
    match.poll_times(3, goal(30))
    first = match[30].key
    match.poll(cancelled=[var(30)])
    match.poll_times(3, goal(30))
    assert match[30].key != first
    assert match[30].event_id == "5000_40_234_Goal_1"
    assert match[30].stable
    assert [e.key for e in match.removed] == [first]


def test_E6_a_goal_back_after_its_removal_is_a_new_one() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(30))
    first = match[30].key
    match.poll_times(3)
    match.poll(goal(30))
    assert match[30].key != first
    assert match[30].seen_in_polls == ("p7",)


def test_E6_a_goal_that_cannot_be_read_is_not_missing() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(30), goal(60, None))
    assert match.poll(complete=False) == []
    match.poll_times(5, complete=False)
    assert [e.missing_in_polls for e in match.live] == [(), ()]


def test_E7_every_poll_refreshes_time_assist_and_comments_only() -> None:
    match = PolledMatch(search_attempts=10)
    match.poll_times(3, goal(30))
    before = match[30]
    diaz = Player(7, "L. Diaz")
    [change] = match.poll(goal(31, assist=diaz, comments="header", detail="Penalty"))
    assert change.after == replace(
        before, minute=at(31), assist=diaz, comments="header", detail="Penalty"
    )


def test_E7_a_poll_never_changes_attempts() -> None:
    match = PolledMatch(search_attempts=10)
    match.poll_times(3, goal(30))
    key = match[30].key
    match.events[key] = replace(match.events[key], attempts_counted=4)
    match.poll(goal(31))
    match.poll(goal(31, 7))
    assert (match[31].attempts_planned, match[31].attempts_counted) == (10, 4)


@pytest.mark.parametrize(
    ("polls", "planned", "counted", "label"),
    [
        (0, 0, 0, "detected"),
        (1, 0, 0, "detected"),
        (2, 0, 0, "debouncing"),
        (3, 0, 0, "stable"),
        (3, 10, 0, "stable"),
        (3, 10, 1, "searching (1/10)"),
        (3, 10, 9, "searching (9/10)"),
        (3, 10, 10, "complete"),
    ],
)
def test_E9_the_state_is_derived_from_the_data(
    polls: int, planned: int, counted: int, label: str
) -> None:
    event = replace(
        GOAL,
        seen_in_polls=tuple(f"p{n}" for n in range(polls)),
        attempts_planned=planned,
        attempts_counted=counted,
    )
    assert event.state_label == label


def test_E9_removed_wins_over_every_other_state() -> None:
    match = PolledMatch(search_attempts=10)
    match.poll_times(3, goal(30))
    match.poll(cancelled=[var(30)])
    assert [e.state_label for e in match.removed] == ["removed"]
