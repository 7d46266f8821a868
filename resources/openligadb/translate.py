"""A2: translates OpenLigaDB's answers into normalised matches (R5).

Volunteers type the data in, and any of them may change it. The score after each goal says which
side it counts for, also for own goals, and is trusted more than flags.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from footy_assets.matchday.rules.feed import Unreadable
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import GoalDetail
from footy_assets.matchday.rules.statuses import MatchStatus
from footy_assets.providers.rules.adapter import LeagueClaim, ProviderMatch, TeamClaim
from footy_assets.providers.rules.competitions import BY_SHORTCUT
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets.providers.rules.match import NO_SCORE, GoalClaim, Score
from resources.openligadb.models import OldbGoal, OldbMatch, OldbResult, OldbTeam
from resources.pieces import read_piece

COUNTRY = "Germany"
HALF_TIME, FULL_TIME, EXTRA_TIME, SHOOTOUT = 1, 2, 4, 5
# Two halves and the break take longer: a match that is flagged as finished before is not.
SHORTEST = timedelta(minutes=100)
# After extra time and a shoot-out: a match that nobody flagged as finished is over by then.
LONGEST = timedelta(hours=4)
LAST_MINUTE, LAST_OF_EXTRA_TIME = 90, 120


def parse_matches(items: list[Any]) -> tuple[list[OldbMatch], list[Unreadable]]:
    """Each match by itself. A match whose teams are not drawn yet is in neither list."""
    matches: list[OldbMatch] = []
    unreadable: list[Unreadable] = []
    for item in items:
        id_ = item.get("matchID", "?") if isinstance(item, dict) else "?"
        match = read_piece(OldbMatch, item, f"OpenLigaDB match {id_}", unreadable)
        if match is not None and _name(match.home) and _name(match.away):
            matches.append(match)
    return matches, unreadable


def to_match(match: OldbMatch, now: datetime) -> ProviderMatch:
    """The match as it is now: it has no clock, so its status follows from the kickoff."""
    kickoff, shortcut = match.kickoff.astimezone(UTC), match.league.casefold()
    competition = BY_SHORTCUT.get(shortcut)
    league = competition.name if competition else match.league_name or match.league
    period = _period(match, kickoff, now)
    started = period != MatchStatus.NOT_STARTED
    over = started and period != MatchStatus.IN_PLAY
    score = _score(match, over) if started else NO_SCORE
    return ProviderMatch(
        listed=ListedMatch(
            str(match.id),
            kickoff,
            _name(match.home),
            _name(match.away),
            league,
            shortcut,
            _also(match.home),
            _also(match.away),
        ),
        period=period,
        score=score,
        venue=match.location.stadium if match.location else None,
        goals=_goals(match, score, over) if started else None,
        home=_team(match.home),
        away=_team(match.away),
        league=LeagueClaim(shortcut, league, match.season, match.group.name, COUNTRY),
    )


def _period(match: OldbMatch, kickoff: datetime, now: datetime) -> MatchStatus:
    if now < kickoff:
        return MatchStatus.NOT_STARTED
    typed_in = bool(match.results or credible(match.goals or ()))
    if now >= kickoff + LONGEST and not match.finished and not typed_in:
        # It was postponed, or nobody followed it.
        return MatchStatus.NOT_STARTED
    if now < kickoff + (SHORTEST if match.finished else LONGEST):
        return MatchStatus.IN_PLAY
    types = {result.type for result in match.results or ()}
    if SHOOTOUT in types:
        return MatchStatus.AFTER_SHOOTOUT
    return MatchStatus.AFTER_EXTRA_TIME if EXTRA_TIME in types else MatchStatus.FULL_TIME


def _score(match: OldbMatch, over: bool) -> Score:
    """After the match its result; during it the score after the last goal.

    No score rather than 0:0 while there is neither: perhaps nobody is typing.
    """
    results = {result.type: result for result in match.results or ()}
    types = (EXTRA_TIME, FULL_TIME, HALF_TIME)
    extra_time, full_time, half_time = (_to_score(results.get(type_)) for type_ in types)
    goals = credible(match.goals or ())
    last = Score(goals[-1].home, goals[-1].away) if goals else None
    # The result of extra time comes first: then the kicks of a shoot-out may follow as goals.
    ranked = (full_time, last) if over else (last, full_time, half_time)
    return next((score for score in (extra_time, *ranked) if score is not None), NO_SCORE)


def _to_score(result: OldbResult | None) -> Score | None:
    if result is None or result.home is None or result.away is None:
        return None
    return Score(result.home, result.away)


def credible(goals: Iterable[OldbGoal]) -> list[OldbGoal]:
    """The entries that are goals, by the score after them.

    An entry without minute and scorer is a placeholder; one of 0:0 is a goal that was cancelled, or
    whose score is not typed in yet; one without a minute may repeat one that has it.
    """
    named = [
        goal
        for goal in goals
        if goal.home is not None
        and goal.away is not None
        and goal.home + goal.away > 0
        and (_minute_of(goal) or (goal.scorer or "").strip())
    ]
    dated = {(goal.home, goal.away) for goal in named if _minute_of(goal)}
    kept = [goal for goal in named if _minute_of(goal) or (goal.home, goal.away) not in dated]
    return sorted(kept, key=lambda goal: ((goal.home or 0) + (goal.away or 0), goal.minute or 0))


def _goals(match: OldbMatch, score: Score, over: bool) -> tuple[GoalClaim, ...] | None:
    """None unless each goal raises the score by one, has a minute, and the last makes the score:
    no list is better than a wrong one. During play an empty list says nothing, either."""
    claims: list[GoalClaim] = []
    home = away = 0
    for goal in credible(match.goals or ()):
        minute = _minute(goal, match)
        if minute is None and _is_beyond(goal, score):
            continue
        step = ((goal.home or 0) - home, (goal.away or 0) - away)
        if minute is None or step not in ((1, 0), (0, 1)):
            return None
        home, away = home + step[0], away + step[1]
        claims.append(
            GoalClaim(
                "home" if step[0] else "away",
                minute,
                _detail(goal),
                (goal.scorer or "").strip() or None,
                str(goal.scorer_id) if goal.scorer_id else None,
            )
        )
    if (home, away) != (score.home, score.away) or not (claims or over):
        return None
    return tuple(claims)


def _is_beyond(goal: OldbGoal, score: Score) -> bool:
    """Is it after the last goal of the score: a kick of a shoot-out?"""
    return (goal.home or 0) > (score.home or 0) or (goal.away or 0) > (score.away or 0)


def _detail(goal: OldbGoal) -> GoalDetail:
    if goal.own_goal:
        return GoalDetail.OWN_GOAL
    return GoalDetail.PENALTY if goal.penalty else GoalDetail.NORMAL_GOAL


def _minute_of(goal: OldbGoal) -> int | None:
    return goal.minute if goal.minute is not None and goal.minute > 0 else None


def _minute(goal: OldbGoal, match: OldbMatch) -> MatchMinute | None:
    """Minutes go on counting in stoppage time; that of the first half looks like the second."""
    if (minute := _minute_of(goal)) is None:
        return None
    extra_time = goal.extra_time or any(r.type == EXTRA_TIME for r in match.results or ())
    last = LAST_OF_EXTRA_TIME if extra_time else LAST_MINUTE
    return MatchMinute(minute) if minute <= last else MatchMinute(last, minute - last)


def _team(team: OldbTeam) -> TeamClaim | None:
    return None if team.id is None else TeamClaim(str(team.id), team.icon or None)


def _name(team: OldbTeam) -> str:
    return (team.name or "").strip()


def _also(team: OldbTeam) -> tuple[str, ...]:
    short = (team.short_name or "").strip()
    return (short,) if short and short != _name(team) else ()
