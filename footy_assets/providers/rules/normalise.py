"""R5: translates the main provider's sighting into a report."""

from datetime import datetime

from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import FixtureSighting, IncidentKind, side_of
from footy_assets.providers.rules.match import (
    GoalClaim,
    LastEvent,
    NormalisedMatch,
    Report,
    Score,
    Sides,
    to_claims,
)


def to_report(
    sighting: FixtureSighting, domain: str, at: datetime, confidence: float = 1.0
) -> Report:
    claims = to_claims(sighting.goals, sighting.home.id)
    match = NormalisedMatch(
        id=sighting.fixture_id,
        domain=domain,
        teams=Sides(sighting.home.name, sighting.away.name),
        period=sighting.status.strip().upper(),
        start=sighting.kickoff,
        score=Score(sighting.goals_home, sighting.goals_away),
        cards=_cards(sighting),
        minute=None if sighting.elapsed is None else MatchMinute(sighting.elapsed, sighting.extra),
        competition=sighting.league.name,
        last_event=last_event(claims),
    )
    decisions = tuple(
        (side_of(one.team_id, sighting.home.id), str(one.minute)) for one in sighting.cancellations
    )
    return Report(match, at, confidence, claims, decisions)


def last_event(claims: tuple[GoalClaim, ...] | None) -> LastEvent | None:
    newest = max(claims or (), key=lambda claim: claim.minute.sort_key, default=None)
    if newest is None:
        return None
    return LastEvent(newest.minute, newest.side, newest.detail, newest.scorer)


def _cards(sighting: FixtureSighting) -> Score:
    if sighting.incidents is None:
        return Score()
    cards = [one.team_id for one in sighting.incidents if one.kind is IncidentKind.CARD]
    home = sum(team == sighting.home.id for team in cards)
    return Score(home, len(cards) - home)
