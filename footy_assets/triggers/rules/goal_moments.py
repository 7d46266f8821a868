"""T1, T11: the moments of goals: scored, named, completed by an assist, cancelled."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent, RemovalReason
from footy_assets.matchday.rules.observe import GoalChange
from footy_assets.matchday.rules.sighting import GoalDetail, goal_detail, side_of
from footy_assets.triggers.rules import vocabulary as v
from footy_assets.triggers.rules.moments import Moment, Rank, score_at

GOAL_TYPES: Mapping[GoalDetail | None, str] = {
    GoalDetail.PENALTY: v.PENALTY_GOAL,
    GoalDetail.OWN_GOAL: v.OWN_GOAL,
}


def goal_moments(
    fixture: Fixture, changes: Sequence[GoalChange], live_goals: Collection[GoalEvent]
) -> Iterator[Moment]:
    for change in changes:
        old, goal = change.before, change.after
        status = goal.minute.status
        score = goal.score_after or score_at(live_goals, goal.minute)
        if not goal.live:
            if old is not None:
                yield _cancelled(fixture, goal, live_goals)
        elif old is None or len(old.formerly) != len(goal.formerly):
            yield Moment(
                goal.minute,
                Rank.EVENT,
                _goal_id(goal),
                status,
                score,
                _goal_options(goal),
                replaces=_goal_id(old) if old is not None else None,
            )
        elif goal.assist.id and goal.assist.id != old.assist.id:
            # Often reported later than the goal.
            options = {v.ASSIST_PLAYER: str(goal.assist.id), v.TEAM: goal.side or "home"}
            id = f"{goal.fixture_id}/goal/{goal.key}/assist/{goal.assist.id}"
            yield Moment(goal.minute, Rank.LATER_DETAIL, id, status, score, options)


def _goal_options(goal: GoalEvent) -> dict[str, Any]:
    side = goal.side or "home"
    kind = GOAL_TYPES.get(goal_detail(goal.detail), v.NORMAL_GOAL)
    options = {v.TEAM: side, v.GOAL_TEAM: side, v.GOAL_TYPE: kind}
    if kind == v.PENALTY_GOAL:
        options[v.PENALTY_OUTCOME] = v.SCORED
    if goal.player.id:
        options |= {v.PLAYER: str(goal.player.id), v.GOAL_PLAYER: str(goal.player.id)}
    if goal.assist.id and kind != v.OWN_GOAL:
        options[v.ASSIST_PLAYER] = str(goal.assist.id)
    return options


def _cancelled(fixture: Fixture, goal: GoalEvent, live_goals: Collection[GoalEvent]) -> Moment:
    options: dict[str, Any] = {v.TEAM: side_of(goal.team_id, fixture.home.id)}
    if goal.player.id:
        options[v.PLAYER] = str(goal.player.id)
    if goal.removal is not None and goal.removal.reason is RemovalReason.VAR:
        options[v.VAR_OUTCOME] = v.GOAL_CANCELLED
    return Moment(
        goal.minute,
        Rank.CANCELLATION,
        f"{goal.fixture_id}/goal/{goal.key}/gone",
        goal.minute.status,
        score_at(live_goals, goal.minute),
        options,
        cancels=_goal_id(goal),
    )


def _goal_id(goal: GoalEvent) -> str:
    """A goal whose identity changes gets a new snapshot, which replaces the former one."""
    return f"{goal.fixture_id}/goal/{goal.key}/{len(goal.formerly)}"


def goal_key_of(snapshot_id: str) -> str | None:
    """The key of the goal that a snapshot is about; None if it is about no goal."""
    parts = snapshot_id.split("/")
    return parts[2] if len(parts) > 3 and parts[1] == "goal" else None
