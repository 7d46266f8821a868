"""Merges the reports of all providers into one sighting of a match, for the rules of goals.

A goal that only another provider than the lead lists is seen at once, but without its scorer's id,
so it becomes stable only when the lead names it (E4). A goal of the lead that two others could
confirm and neither does is treated the same way. A goal that another provider does not list is
never counted as missing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.minute import MatchMinute, minutes_apart
from footy_assets.matchday.rules.sighting import FixtureSighting, GoalSighting, Player, side_of
from footy_assets.matchday.rules.statuses import is_before
from footy_assets.providers.rules.confidence import MIN_CONFIDENCE
from footy_assets.providers.rules.identify import comparable
from footy_assets.providers.rules.match import OVER, GoalClaim, Report

SAME_GOAL_WITHIN = 2
# If the lead's clock is this many minutes past a goal, it should list the goal.
MISSING_AFTER = 2
MIN_WITNESSES = 2
CANCELLED_WITHIN = 5


@dataclass(frozen=True, slots=True)
class LeadAnswer:
    """The lead's sighting, and its report with the confidence it has."""

    sighting: FixtureSighting
    report: Report

    @property
    def trusted(self) -> bool:
        return self.report.confidence >= MIN_CONFIDENCE


def merge(
    known: Fixture,
    live_goals: Sequence[GoalEvent],
    lead: LeadAnswer | None,
    others: Sequence[Report],
    fields: Mapping[str, Any],
) -> FixtureSighting:
    """`live_goals` are the stored goals; `others` the trusted reports of the other providers,
    highest precedence first; `fields` the reconciled fields."""
    sighting = reconciled_sighting(known, lead, fields)
    if lead is not None and lead.trusted:
        return replace(sighting, goals=_lead_goals(lead, others))
    claims = next((other.goals for other in others if other.goals is not None), None)
    goals = None if claims is None else _without_lead(claims, live_goals, sighting)
    without_lead = replace(sighting, cancellations=(), incidents=None, corners=None)
    return replace(without_lead, goals=goals, goals_complete=False)


def reconciled_sighting(
    known: Fixture, lead: LeadAnswer | None, fields: Mapping[str, Any]
) -> FixtureSighting:
    base = lead.sighting if lead is not None else _from_fixture(known)
    return _with_fields(base, fields)


def merge_untrusted(lead: LeadAnswer, score: Mapping[str, Any]) -> FixtureSighting:
    """For an old answer with no other report: a goal that it does not list is not missing."""
    return replace(_with_fields(lead.sighting, score), goals_complete=False)


def _lead_goals(lead: LeadAnswer, others: Sequence[Report]) -> tuple[GoalSighting, ...] | None:
    sighting = lead.sighting
    if sighting.goals is None:
        return None
    listed: list[GoalSighting] = []
    in_order = sorted(sighting.goals, key=lambda goal: goal.minute.sort_key)
    witnesses = [one for one in others if one.goals is not None or one.match.score.home is not None]
    confirmed = {n for one in witnesses for n in _confirmed_goals(in_order, one, sighting)}
    for number, goal in enumerate(in_order):
        # Two others could confirm this goal, and neither does: it waits for one of them.
        unconfirmed = len(witnesses) >= MIN_WITNESSES and number not in confirmed
        listed.append(replace(goal, scorer=Player(None, goal.scorer.name)) if unconfirmed else goal)
    return (*listed, *_unlisted(lead, others, listed))


def _unlisted(
    lead: LeadAnswer, others: Sequence[Report], listed: Sequence[GoalSighting]
) -> list[GoalSighting]:
    """Goals that other providers list and the lead does not, or not yet."""
    sighting = lead.sighting
    found: list[GoalSighting] = []
    for other in others:
        free = [*listed, *found]
        for claim in sorted(other.goals or (), key=lambda claim: claim.minute.sort_key):
            same = _closest(claim, free, sighting)
            if same is not None:
                free.remove(same)
                continue
            if _is_cancelled(claim, sighting):
                continue
            listed_by = sum(_lists(one, claim.side, claim.minute) for one in others)
            if listed_by < 2 and _is_past(lead.report, claim.minute):
                continue
            found.append(without_scorer_id(claim, sighting))
    return found


def _without_lead(
    claims: Sequence[GoalClaim], live_goals: Sequence[GoalEvent], sighting: FixtureSighting
) -> tuple[GoalSighting, ...]:
    """Another provider's list: a stored goal keeps its ids, a new one has no scorer id."""
    free = [as_known(event) for event in live_goals]
    listed = []
    for claim in sorted(claims, key=lambda claim: claim.minute.sort_key):
        same = _closest(claim, free, sighting)
        if same is not None:
            free.remove(same)
        listed.append(same or without_scorer_id(claim, sighting))
    return tuple(listed)


def as_known(event: GoalEvent) -> GoalSighting:
    return GoalSighting(
        team_id=event.team_id,
        scorer=event.player,
        minute=event.minute,
        detail=event.detail,
        assist=event.assist,
        comments=event.comments,
    )


def _closest(
    claim: GoalClaim, goals: Sequence[GoalSighting], sighting: FixtureSighting
) -> GoalSighting | None:
    near = [
        goal
        for goal in goals
        if _side(goal, sighting) == claim.side
        and minutes_apart(goal.minute, claim.minute) <= SAME_GOAL_WITHIN
    ]
    return min(near, key=lambda goal: minutes_apart(goal.minute, claim.minute), default=None)


def _confirmed_goals(
    goals: Sequence[GoalSighting], report: Report, sighting: FixtureSighting
) -> Iterator[int]:
    """Which of these goals another provider confirms. Each of its goals confirms one of ours: that
    of the same scorer, or the closest. If it only has a score, the first so many are confirmed."""
    if report.goals is None:
        for side in ("home", "away"):
            ours = [n for n, goal in enumerate(goals) if _side(goal, sighting) == side]
            yield from ours[: getattr(report.match.score, side) or 0]
        return
    yield from pair_goals(goals, report.goals, sighting)


def pair_goals(
    goals: Sequence[GoalSighting], claims: Sequence[GoalClaim], sighting: FixtureSighting
) -> dict[int, int]:
    """Which claim is which goal, one to one: of the same side and at most two minutes apart, that
    of the same scorer first, then the closest."""
    options = sorted(
        (_surname(claim.scorer) != _surname(goal.scorer.name), apart, n, m)
        for n, goal in enumerate(goals)
        for m, claim in enumerate(claims)
        if _side(goal, sighting) == claim.side
        and (apart := minutes_apart(goal.minute, claim.minute)) <= SAME_GOAL_WITHIN
    )
    pairs: dict[int, int] = {}
    for _, _, n, m in options:
        if n not in pairs and m not in pairs.values():
            pairs[n] = m
    return pairs


def _surname(name: str | None) -> str | None:
    words = comparable(name).split() if name else []
    return words[-1] if words else None


def _lists(report: Report, side: str, minute: MatchMinute) -> bool:
    return any(
        claim.side == side and minutes_apart(claim.minute, minute) <= SAME_GOAL_WITHIN
        for claim in report.goals or ()
    )


def _is_past(report: Report, minute: MatchMinute) -> bool:
    """Is the provider's clock so far past this minute that it should list the goal?"""
    match = report.match
    if match.phase in OVER:
        return True
    if match.period != minute.status:
        return is_before(minute.status, match.period)
    if match.minute is None:
        return False
    now = match.minute.elapsed + (match.minute.extra or 0)
    return now >= minute.elapsed + (minute.extra or 0) + MISSING_AFTER


def _is_cancelled(claim: GoalClaim, sighting: FixtureSighting) -> bool:
    """E6: does the lead list a VAR decision that cancels this goal?"""
    team = team_of(claim.side, sighting)
    return any(
        decision.team_id == team
        and minutes_apart(decision.minute, claim.minute) <= CANCELLED_WITHIN
        for decision in sighting.cancellations
    )


def without_scorer_id(claim: GoalClaim, sighting: FixtureSighting) -> GoalSighting:
    return GoalSighting(
        team_id=team_of(claim.side, sighting),
        scorer=Player(None, claim.scorer),
        minute=claim.minute,
        detail=claim.detail,
    )


def _side(goal: GoalSighting, sighting: FixtureSighting) -> str:
    return side_of(goal.team_id, sighting.home.id)


def team_of(side: str, sighting: FixtureSighting) -> int:
    return sighting.home.id if side == "home" else sighting.away.id


def _from_fixture(known: Fixture) -> FixtureSighting:
    return FixtureSighting(
        fixture_id=known.id,
        kickoff=known.kickoff,
        status=known.status,
        elapsed=known.elapsed,
        extra=None,
        league=known.league,
        home=known.home,
        away=known.away,
        goals_home=known.goals[0],
        goals_away=known.goals[1],
    )


def _with_fields(base: FixtureSighting, fields: Mapping[str, Any]) -> FixtureSighting:
    minute = fields.get("minute")
    start = fields.get("start")
    return replace(
        base,
        kickoff=datetime.fromisoformat(start) if start else base.kickoff,
        status=fields.get("period", base.status),
        elapsed=minute[0] if minute else base.elapsed,
        extra=minute[1] if minute else base.extra,
        goals_home=fields.get("score.home", base.goals_home),
        goals_away=fields.get("score.away", base.goals_away),
    )
