"""L2: a match while another provider acts for the lead, and when it is handed back.

The list of the provider that acts counts like the lead's. Goals of two providers are paired by
side, minute and scorer, so that none is doubled or lost; a goal that is stored keeps its ids.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.minute import minutes_apart, parse_minute
from footy_assets.matchday.rules.sighting import (
    Cancellation,
    FixtureSighting,
    GoalSighting,
    Player,
    side_of,
)
from footy_assets.providers.rules.confidence import clock_of, is_clock_ahead
from footy_assets.providers.rules.match import GoalClaim, Report
from footy_assets.providers.rules.merge import (
    SAME_GOAL_WITHIN,
    LeadAnswer,
    as_known,
    pair_goals,
    reconciled_sighting,
    team_of,
    without_scorer_id,
)

# The detail of a VAR decision that another provider than the lead reports.
CANCELLED = "Goal cancelled"


def merge_acting(
    known: Fixture,
    live_goals: Sequence[GoalEvent],
    lead: LeadAnswer | None,
    acting: Report,
    fields: Mapping[str, Any],
    players: Mapping[str, int],
) -> FixtureSighting:
    """L2: the match as the provider that acts for the lead reports it. `players` are our numbers
    of the players it names; its goals and ours are paired by side, minute and scorer."""
    sighting = reconciled_sighting(known, lead, fields)
    by_acting = replace(
        sighting,
        incidents=None,
        corners=None,
        cancellations=tuple(_cancellations(acting, sighting)),
    )
    if acting.goals is None:
        return replace(by_acting, goals=None, goals_complete=False)
    stored = [as_known(event) for event in live_goals]
    pairs = {m: stored[n] for n, m in pair_goals(stored, acting.goals, sighting).items()}
    goals = tuple(
        _acting_goal(claim, pairs.get(m), sighting, players) for m, claim in enumerate(acting.goals)
    )
    return replace(by_acting, goals=goals, goals_complete=_lists_its_score(acting))


def handed_back(
    sighting: FixtureSighting, live_goals: Sequence[GoalEvent], found_by_other: Collection[str]
) -> FixtureSighting:
    """The lead's sighting, after another provider acted for it and found the goals with these keys.

    The lead may list such a goal with another scorer, and differ by more minutes than a rename
    allows (E5): the first time, the lead's takes the minute of the stored one, so that it is the
    same.
    """
    if sighting.goals is None or not found_by_other:
        return sighting
    goals = list(sighting.goals)
    unlisted, new = _differing(live_goals, goals)
    claims = [
        GoalClaim(side_of(one.team_id, sighting.home.id), one.minute, one.detail, one.player.name)
        for one in unlisted
        if one.key in found_by_other
    ]
    pairs = pair_goals([goals[n] for n in new], claims, sighting)
    for n, m in pairs.items():
        goals[new[n]] = replace(goals[new[n]], minute=claims[m].minute)
    return replace(sighting, goals=tuple(goals))


def _differing(
    live_goals: Sequence[GoalEvent], goals: Sequence[GoalSighting]
) -> tuple[list[GoalEvent], list[int]]:
    """The stored goals that are not listed with their scorer, and the positions of the listed ones
    that are not stored with theirs. A scorer may have several."""
    options = sorted(
        (apart, n, m)
        for n, goal in enumerate(goals)
        for m, event in enumerate(live_goals)
        if (goal.team_id, goal.scorer.id) == (event.team_id, event.player.id)
        and (apart := minutes_apart(goal.minute, event.minute)) <= SAME_GOAL_WITHIN
    )
    pairs: dict[int, int] = {}
    for _, n, m in options:
        if n not in pairs and m not in pairs.values():
            pairs[n] = m
    unlisted = [event for m, event in enumerate(live_goals) if m not in pairs.values()]
    return unlisted, [n for n in range(len(goals)) if n not in pairs]


def is_outdated(lead: Report, acting: Report) -> bool:
    """Did the lead come back with less than the provider that acted? Then the other goes on acting:
    nothing is lost, and no goal that was cancelled comes back."""
    return is_clock_behind(lead, acting) or is_missing_goals(lead, acting)


def is_clock_behind(lead: Report, acting: Report) -> bool:
    """Is the lead's match clock minutes behind, in the same period or in one before it?"""
    ours, theirs = clock_of(lead.match), clock_of(acting.match)
    return lead.match.minute is not None and is_clock_ahead(theirs, ours)


def is_missing_goals(lead: Report, acting: Report) -> bool:
    """Has the lead fewer goals, and no decision that would explain it?"""
    cancelled = Counter(side for side, _ in lead.cancellations)
    for side in ("home", "away"):
        ours, theirs = getattr(lead.match.score, side), getattr(acting.match.score, side)
        if ours is not None and theirs is not None and ours + cancelled[side] < theirs:
            return True
    return False


def _acting_goal(
    claim: GoalClaim,
    stored: GoalSighting | None,
    sighting: FixtureSighting,
    players: Mapping[str, int],
) -> GoalSighting:
    """A stored goal keeps its minute, and its scorer if it has one."""
    scorer = Player(players.get(claim.scorer_id or ""), claim.scorer)
    if stored is None:
        return replace(without_scorer_id(claim, sighting), scorer=scorer)
    return stored if stored.scorer.known else replace(stored, scorer=scorer)


def _cancellations(acting: Report, sighting: FixtureSighting) -> Iterator[Cancellation]:
    for side, text in acting.cancellations:
        if (minute := parse_minute(text)) is not None:
            yield Cancellation(team_of(side, sighting), None, minute, CANCELLED)


def _lists_its_score(report: Report) -> bool:
    """Does a provider list as many goals as its own score has?"""
    score = report.match.score
    listed = Counter(claim.side for claim in report.goals or ())
    return all(
        scored is None or listed[side] == scored
        for side, scored in (("home", score.home), ("away", score.away))
    )
