"""V7: what is known of a goal, as the validator compares it with a clip's scorebug."""

from collections.abc import Callable, Sequence

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.sighting import Side
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.media.goal_minute import GoalMinute


def goal_facts(
    goal: GoalEvent, fixture: Fixture | None, aliases_of: Callable[[int], Sequence[str]]
) -> GoalFacts:
    """Without its match, only the goal's minute and score."""

    def names(side: Side) -> tuple[str, ...]:
        return side.name, *aliases_of(side.id)

    return GoalFacts(
        minute=GoalMinute(goal.minute.elapsed, goal.minute.extra or 0),
        home=names(fixture.home) if fixture else (),
        away=names(fixture.away) if fixture else (),
        score_after=goal.score_after,
        home_scored=goal.side == "home" if goal.side else None,
    )
