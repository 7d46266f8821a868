"""V7: what the validator is told about a goal."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from footy_assets.clips.rules.goal_facts import goal_facts
from footy_assets.matchday.rules.goal import GoalEvent, Removal, RemovalReason
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import Player

GOAL = GoalEvent(
    "goal-a",
    "5000_40_306_Goal_1",
    5000,
    40,
    Player(306, "Salah"),
    MatchMinute(30),
    "Normal Goal",
    side="away",
    score_after=(1, 2),
)
OTHER = replace(GOAL, key="goal-b", minute=MatchMinute(70), score_after=(1, 3))


def test_v7_the_score_before_a_goal_follows_from_its_side() -> None:
    assert goal_facts(GOAL, None, (), lambda _: ()).possible_scores == {(1, 1), (1, 2)}
    assert goal_facts(GOAL, None, [OTHER], lambda _: ()).possible_scores == {(1, 1), (1, 2)}


@pytest.mark.parametrize(
    "other",
    [
        replace(OTHER, removal=Removal(datetime(2025, 5, 10, tzinfo=UTC), RemovalReason.VAR)),
        replace(OTHER, missing_in_polls=("poll-9",)),
        replace(OTHER, minute=MatchMinute(31)),
    ],
)
def test_v7_a_score_that_others_may_count_otherwise_refuses_nothing(other: GoalEvent) -> None:
    facts = goal_facts(GOAL, None, [other], lambda _: ())
    assert facts.possible_scores == frozenset()
    assert facts.minute is not None


def test_v7_no_way_of_counting_gives_such_a_score() -> None:
    removed = replace(OTHER, removal=Removal(datetime(2025, 5, 10, tzinfo=UTC), RemovalReason.VAR))
    near = replace(OTHER, side="home", minute=MatchMinute(31))
    certain = goal_facts(GOAL, None, [OTHER], lambda _: ())
    assert certain.conceivable_scores == certain.possible_scores == {(1, 1), (1, 2)}
    with_removed = goal_facts(GOAL, None, [OTHER, removed], lambda _: ()).conceivable_scores
    assert with_removed == {(1, 0), (1, 1), (1, 2), (1, 3)}
    with_both = goal_facts(GOAL, None, [removed, near], lambda _: ()).conceivable_scores
    assert with_both == {(home, away) for home in range(3) for away in range(4)}
    unknown = replace(GOAL, score_after=None)
    assert goal_facts(unknown, None, [removed], lambda _: ()).conceivable_scores == frozenset()
