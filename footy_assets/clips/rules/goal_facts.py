"""V7: what is known of a goal, as the validator compares it with a clip's scorebug."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.sighting import Side
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.media.goal_minute import GoalMinute

# Goals this close to each other may be listed in another order than they were scored.
CLOSE_MINUTES = 2
NOTHING_LEARNED: Mapping[int, tuple[str, ...]] = MappingProxyType({})


def goal_facts(
    goal: GoalEvent,
    fixture: Fixture | None,
    others: Sequence[GoalEvent],
    aliases_of: Callable[[int], Sequence[str]],
    learned: Mapping[int, tuple[str, ...]] = NOTHING_LEARNED,
) -> GoalFacts:
    """`others` are the other goals of the match, `learned` the abbreviations of its teams. Without
    the match, only minute and score."""

    def names(side: Side) -> tuple[str, ...]:
        return side.name, *aliases_of(side.id)

    return GoalFacts(
        minute=GoalMinute(goal.minute.elapsed, goal.minute.extra or 0),
        home=names(fixture.home) if fixture else (),
        away=names(fixture.away) if fixture else (),
        score_after=goal.score_after if is_score_certain(goal, others) else None,
        home_scored=goal.side == "home" if goal.side else None,
        listed_score=goal.score_after,
        counted_otherwise=_counted_otherwise(goal, others),
        learned_home=learned.get(fixture.home.id, ()) if fixture else (),
        learned_away=learned.get(fixture.away.id, ()) if fixture else (),
    )


def is_score_certain(goal: GoalEvent, others: Sequence[GoalEvent]) -> bool:
    """V7: whether the score after a goal can speak against a clip. Not in a match with a goal that
    was removed or is missing, nor beside a goal of about the same minute: the scorebug may have
    counted otherwise."""
    return not any(_may_count_otherwise(other, goal) for other in others)


def _may_count_otherwise(other: GoalEvent, goal: GoalEvent) -> bool:
    close = abs(_played(other) - _played(goal)) <= CLOSE_MINUTES
    return not other.live or bool(other.missing_in_polls) or close


def _counted_otherwise(goal: GoalEvent, others: Sequence[GoalEvent]) -> tuple[int, int]:
    """How many such goals each side has."""
    sides = [other.side for other in others if _may_count_otherwise(other, goal)]
    home, away = (sum(side in (mine, None) for side in sides) for mine in ("home", "away"))
    return home, away


def _played(goal: GoalEvent) -> int:
    return goal.minute.elapsed + (goal.minute.extra or 0)
