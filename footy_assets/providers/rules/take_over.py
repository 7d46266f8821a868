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
from footy_assets.matchday.rules.minute import parse_minute
from footy_assets.matchday.rules.sighting import (
    Cancellation,
    FixtureSighting,
    GoalSighting,
    Player,
    side_of,
)
from footy_assets.providers.rules.match import GoalClaim, Report
from footy_assets.providers.rules.merge import (
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
    sighting: FixtureSighting, live_goals: Sequence[GoalEvent], theirs: Collection[int]
) -> FixtureSighting:
    """The lead's sighting, after another provider acted for it and gave scorers the ids `theirs`.

    A goal that the other found and the lead lists may differ by more minutes than a rename allows
    (E5): the first time, the lead's takes the minute of the stored one, so that it is the same.
    """
    if sighting.goals is None or not theirs:
        return sighting
    listed = {(goal.team_id, goal.scorer.id) for goal in sighting.goals}
    stored = {(event.team_id, event.player.id) for event in live_goals}
    found_by_other = [
        event
        for event in live_goals
        if event.player.id in theirs and (event.team_id, event.player.id) not in listed
    ]
    new = [goal for goal in sighting.goals if (goal.team_id, goal.scorer.id) not in stored]
    claims = [
        GoalClaim(side_of(one.team_id, sighting.home.id), one.minute, one.detail, one.player.name)
        for one in found_by_other
    ]
    same = {id(new[n]): claims[m].minute for n, m in pair_goals(new, claims, sighting).items()}
    goals = (replace(goal, minute=same.get(id(goal), goal.minute)) for goal in sighting.goals)
    return replace(sighting, goals=tuple(goals))


def is_missing_goals(lead: Report, acting: Report) -> bool:
    """Did the lead come back with fewer goals than the provider that acted, and no decision that
    would explain it? Then the other goes on acting: nothing is lost."""
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
