"""T1: the moments of cards, substitutions, missed penalties, VAR decisions and corners."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.observe import GoalChange
from footy_assets.matchday.rules.sighting import (
    EventType,
    Incident,
    IncidentKind,
    is_cancellation,
    side_of,
)
from footy_assets.triggers.rules import vocabulary as v
from footy_assets.triggers.rules.moments import Moment, Rank, score_at

CARD_TYPES = {
    "yellow card": v.YELLOW,
    "red card": v.RED,
    "second yellow card": v.SECOND_YELLOW,
}
MAX_DETAIL_LENGTH = 80


def incident_moments(
    before: Fixture,
    after: Fixture,
    changes: Sequence[GoalChange],
    live_goals: Collection[GoalEvent],
) -> Iterator[Moment]:
    """One for each new incident. A corrected minute is not new; one that flickers keeps its id."""
    applied = {goal.after.removal.cancellation for goal in changes if goal.after.removal}
    known, unnamed = Counter(map(_key, before.incidents)), _keys_without_player(before.incidents)
    still = Counter(_key(incident) for incident in after.incidents)
    seen: Counter[str] = Counter()
    for incident in after.incidents:
        key = _key(incident)
        seen[key] += 1
        if seen[key] <= known[key] or _decision(incident) in applied:
            continue
        former = unnamed.get((incident.kind, incident.team_id, incident.detail, incident.minute))
        replaces = (
            former if former is not None and not still[former] and incident.player.id else None
        )
        yield Moment(
            incident.minute,
            Rank.EVENT,
            f"{after.id}/{key}/{seen[key]}",
            incident.minute.status,
            score_at(live_goals, incident.minute),
            _incident_options(after, incident),
            # It cancels a goal that we have not seen, so no snapshot.
            cancels=f"{after.id}/unseen" if _is_cancelled_goal(incident) else None,
            replaces=f"{after.id}/{replaces}/1" if replaces else None,
        )


def corner_moments(
    before: Fixture, after: Fixture, live_goals: Collection[GoalEvent], elapsed: int | None
) -> Iterator[Moment]:
    """One if the count changed: the feed counts corners, and does not list them."""
    if after.corners is None or after.corners == before.corners:
        return
    home, away = after.corners
    minute = MatchMinute(after.reported_minute if elapsed is None else elapsed)
    options = {v.TEAM_CORNERS: {"home": home, "away": away}}
    id, score = f"{after.id}/corners/{home}-{away}", score_at(live_goals, minute)
    yield Moment(minute, Rank.COUNT, id, minute.status, score, options)


def _key(incident: Incident) -> str:
    who = f"{incident.player.id or '-'}/{incident.other.id or '-'}"
    return f"{incident.kind}/{incident.team_id}/{who}/{incident.detail.lower()[:MAX_DETAIL_LENGTH]}"


def _keys_without_player(incidents: Iterable[Incident]) -> dict[tuple[Any, ...], str]:
    return {
        (one.kind, one.team_id, one.detail, one.minute): _key(one)
        for one in incidents
        if one.player.id is None
    }


def _decision(incident: Incident) -> str:
    """The form in which a removed goal stores the decision that cancelled it."""
    return f"{incident.team_id}:{incident.player.id}:{incident.minute}:{incident.detail}"


def _is_cancelled_goal(incident: Incident) -> bool:
    return incident.kind is IncidentKind.VAR and is_cancellation(EventType.VAR, incident.detail)


def _incident_options(fixture: Fixture, incident: Incident) -> dict[str, Any]:
    side, detail = side_of(incident.team_id, fixture.home.id), incident.detail.lower()
    player, other = incident.player.id, incident.other.id
    options: dict[str, Any] = {v.TEAM: side}
    if player:
        options[v.PLAYER] = str(player)
    if incident.kind is IncidentKind.CARD:
        options |= {v.CARD_TEAM: side, v.CARD_TYPE: CARD_TYPES.get(detail, v.YELLOW)}
        if player:
            options[v.CARD_PLAYER] = str(player)
    elif incident.kind is IncidentKind.SUBSTITUTION:
        options |= {v.SUBSTITUTION_OUT: str(player)} if player else {}
        options |= {v.SUBSTITUTION_IN: str(other)} if other else {}
    elif incident.kind is IncidentKind.MISSED_PENALTY:
        options[v.PENALTY_OUTCOME] = v.MISSED
    elif _is_cancelled_goal(incident):
        options[v.VAR_OUTCOME] = v.GOAL_CANCELLED
    else:
        options[v.VAR_OUTCOME] = detail[:MAX_DETAIL_LENGTH] or "unknown"
    return options
