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
