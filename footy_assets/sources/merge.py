"""What reaches the rules of goals: one sighting of a match, made of what all providers said.

Only the main provider's ids are ours. A goal that only another one lists is seen at once, without
its scorer's id, so it stands as soon as the main provider names it, and not before (E4). A goal of
the main provider that two others could tell of and neither does is listed without an id in the same
way: seen, not let through. From another provider's list no goal goes missing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from footy_assets.matchday.fixture import Fixture
from footy_assets.matchday.goal import GoalEvent
from footy_assets.matchday.minute import MatchMinute, minutes_apart
from footy_assets.matchday.sighting import FixtureSighting, GoalSighting, Player
from footy_assets.sources.confidence import LEAST_CONFIDENCE, PERIODS
from footy_assets.sources.identify import plain
from footy_assets.sources.match import OVER, GoalClaim, Report

SAME_GOAL_WITHIN = 2
# The main provider's clock this far past a goal that it does not list speaks against it.
DENIES_AFTER = 2
CAN_TELL = 2
TAKEN_BACK_WITHIN = 5
PERIOD_OF_MINUTE = ("1H", "2H", "ET", "ET")


@dataclass(frozen=True, slots=True)
class MainAnswer:
    """The main provider's sighting, and its report with the confidence it deserves."""

    sighting: FixtureSighting
    report: Report

    @property
    def believed(self) -> bool:
        return self.report.confidence >= LEAST_CONFIDENCE


def merge(
    known: Fixture,
    standing: Sequence[GoalEvent],
    main: MainAnswer | None,
    others: Sequence[Report],
    fields: Mapping[str, Any],
) -> FixtureSighting:
    """`standing` are the goals we know; `others` the believed reports of all but the main provider,
    highest precedence first; `fields` what was reconciled of all."""
    base = main.sighting if main is not None else _from_known(known)
    sighting = _with_fields(base, fields)
    if main is not None and main.believed:
        return replace(sighting, goals=_main_goals(main, others))
    claims = next((other.goals for other in others if other.goals is not None), None)
    goals = None if claims is None else _without_main(claims, standing, sighting)
    without_main = replace(sighting, cancellations=(), incidents=None, corners=None)
    return replace(without_main, goals=goals, goals_complete=False)


def merge_unbelieved(main: MainAnswer, score: Mapping[str, Any]) -> FixtureSighting:
    """An old answer with nobody beside it: what it does not list is not missing."""
    return replace(_with_fields(main.sighting, score), goals_complete=False)


def _main_goals(main: MainAnswer, others: Sequence[Report]) -> tuple[GoalSighting, ...] | None:
    sighting = main.sighting
    if sighting.goals is None:
        return None
    listed: list[GoalSighting] = []
    in_order = sorted(sighting.goals, key=lambda goal: goal.minute.sort_key)
    able = [one for one in others if one.goals is not None or one.match.score.home is not None]
    backed = {n for one in able for n in _backed(in_order, one, sighting)}
    for number, goal in enumerate(in_order):
        # Two others could tell of this goal, and neither does: it waits for one of them.
        alone = len(able) >= CAN_TELL and number not in backed
        listed.append(replace(goal, scorer=Player(None, goal.scorer.name)) if alone else goal)
    return (*listed, *_unlisted(main, others, listed))


def _unlisted(
    main: MainAnswer, others: Sequence[Report], listed: Sequence[GoalSighting]
) -> list[GoalSighting]:
    """Goals that others list and the main provider does not, or not yet."""
    sighting = main.sighting
    found: list[GoalSighting] = []
    for other in others:
        free = [*listed, *found]
        for claim in sorted(other.goals or (), key=lambda claim: claim.minute.sort_key):
            same = _closest(claim, free, sighting)
            if same is not None:
                free.remove(same)
                continue
            if _taken_back(claim, sighting):
                continue
            backing = sum(_lists(one, claim.side, claim.minute) for one in others)
            if backing < 2 and _is_past(main.report, claim.minute):
                continue
            found.append(_unnamed(claim, sighting))
    return found


def _without_main(
    claims: Sequence[GoalClaim], standing: Sequence[GoalEvent], sighting: FixtureSighting
) -> tuple[GoalSighting, ...]:
    """Another provider's list: a goal that we know is told as we know it, a new one is unnamed."""
    free = [_as_known(event) for event in standing]
    listed = []
    for claim in sorted(claims, key=lambda claim: claim.minute.sort_key):
        same = _closest(claim, free, sighting)
        if same is not None:
            free.remove(same)
        listed.append(same or _unnamed(claim, sighting))
    return tuple(listed)


def _as_known(event: GoalEvent) -> GoalSighting:
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


def _backed(
    goals: Sequence[GoalSighting], report: Report, sighting: FixtureSighting
) -> Iterator[int]:
    """Which of these goals another provider tells, too: each of its goals speaks for one of ours,
    that of the same scorer or the closest. Where it only has a score, for the first so many."""
    if report.goals is None:
        for side in ("home", "away"):
            ours = [n for n, goal in enumerate(goals) if _side(goal, sighting) == side]
            yield from ours[: getattr(report.match.score, side) or 0]
        return
    options = sorted(
        (_surname(claim.scorer) != _surname(goal.scorer.name), apart, n, m)
        for n, goal in enumerate(goals)
        for m, claim in enumerate(report.goals)
        if _side(goal, sighting) == claim.side
        and (apart := minutes_apart(goal.minute, claim.minute)) <= SAME_GOAL_WITHIN
    )
    pairs: dict[int, int] = {}
    for _, _, n, m in options:
        if n not in pairs and m not in pairs.values():
            pairs[n] = m
    yield from pairs


def _surname(name: str | None) -> str | None:
    words = plain(name).split() if name else []
    return words[-1] if words else None


def _lists(report: Report, side: str, minute: MatchMinute) -> bool:
    return any(
        claim.side == side and minutes_apart(claim.minute, minute) <= SAME_GOAL_WITHIN
        for claim in report.goals or ()
    )


def _is_past(report: Report, minute: MatchMinute) -> bool:
    """The provider's own clock is well past this minute: it has had the time to list a goal."""
    match = report.match
    if match.status in OVER:
        return True
    of_goal = PERIOD_OF_MINUTE[minute.period]
    if match.period != of_goal:
        known = match.period in PERIODS
        return known and PERIODS.index(match.period) > PERIODS.index(of_goal)
    if match.minute is None:
        return False
    now = match.minute.elapsed + (match.minute.extra or 0)
    return now >= minute.elapsed + (minute.extra or 0) + DENIES_AFTER


def _taken_back(claim: GoalClaim, sighting: FixtureSighting) -> bool:
    """E6: another provider lists a goal on that the main one has seen taken back."""
    team = _team_id(claim.side, sighting)
    return any(
        decision.team_id == team
        and minutes_apart(decision.minute, claim.minute) <= TAKEN_BACK_WITHIN
        for decision in sighting.cancellations
    )


def _unnamed(claim: GoalClaim, sighting: FixtureSighting) -> GoalSighting:
    return GoalSighting(
        team_id=_team_id(claim.side, sighting),
        scorer=Player(None, claim.scorer),
        minute=claim.minute,
        detail=claim.detail,
    )


def _side(goal: GoalSighting, sighting: FixtureSighting) -> str:
    return "home" if goal.team_id == sighting.home.id else "away"


def _team_id(side: str, sighting: FixtureSighting) -> int:
    return sighting.home.id if side == "home" else sighting.away.id


def _from_known(known: Fixture) -> FixtureSighting:
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
