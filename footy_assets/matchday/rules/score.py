"""The score after each goal, and whether goals and score agree."""

from collections.abc import Iterable
from dataclasses import replace

from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.sighting import FixtureSighting, side_of
from footy_assets.matchday.rules.statuses import DECIDED_WITHOUT_PLAY


def with_scores(events: Iterable[GoalEvent], sighting: FixtureSighting) -> dict[str, GoalEvent]:
    """E8: every live goal with its side and the score after it."""
    listed = {
        (goal.team_id, goal.scorer.id, goal.minute): order
        for order, goal in enumerate(sighting.goals or ())
    }
    in_order = sorted(
        events,
        key=lambda e: (
            e.minute.sort_key,
            listed.get((e.team_id, e.player.id, e.minute), len(listed)),
            e.event_id,
        ),
    )
    home = away = 0
    scored: dict[str, GoalEvent] = {}
    for event in in_order:
        if not event.live:
            scored[event.key] = event
            continue
        side = side_of(event.team_id, sighting.home.id)
        home, away = home + (side == "home"), away + (side == "away")
        scored[event.key] = replace(event, side=side, score_after=(home, away))
    return scored


def explain_difference(
    status: str,
    provider: tuple[int | None, int | None],
    listed: tuple[int, int] | None,
    events: Iterable[GoalEvent],
) -> str | None:
    """Why our goals and the provider's score differ: "" if they agree, None if unknown."""
    ours_home = ours_away = pending = 0
    for event in events:
        if event.live:
            ours_home += event.side == "home"
            ours_away += event.side == "away"
            pending += bool(event.missing_in_polls)
    ours, theirs = (ours_home, ours_away), (provider[0] or 0, provider[1] or 0)
    if ours == theirs:
        return ""
    if status.upper() in DECIDED_WITHOUT_PLAY:
        return "the result was awarded, not played"
    if pending:
        return f"{pending} goal(s) on the way out"
    if listed is None:
        return "the provider lists no events for this match"
    if listed == ours:
        return f"the provider's own list of goals says {listed[0]}-{listed[1]}"
    return None
