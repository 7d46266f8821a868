"""A2: translates the summary of a match, and the roster of a team."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import ValidationError

from footy_assets.matchday.rules.feed import Unreadable
from footy_assets.matchday.rules.minute import MatchMinute, minutes_apart
from footy_assets.matchday.rules.sighting import HomeOrAway, IncidentKind
from footy_assets.matchday.rules.statuses import MatchStatus
from footy_assets.providers.rules.adapter import (
    CancellationClaim,
    IncidentClaim,
    LineUpClaim,
    LineUpPlayer,
    MatchDetails,
)
from footy_assets.providers.rules.match import GoalClaim, PersonClaim
from resources.espn.models import (
    EspnComment,
    EspnCompetition,
    EspnPlay,
    EspnRoster,
    EspnRosterPlayer,
    EspnSquad,
    EspnSummary,
)
from resources.espn.plays import (
    MatchTeams,
    ParsedPlays,
    match_teams,
    minute_of_play,
    parse_plays,
    person,
    side_of_play,
    type_id,
)
from resources.espn.translate import goals_complete, period_of, score_of
from resources.json_parts import decode, is_list
from resources.pieces import first_problem

DELETED_AFTER_REVIEW, CARD_UPGRADE = "175", "167"
VAR_TYPES = frozenset({CARD_UPGRADE, "171", "172", DELETED_AFTER_REVIEW})
DECISION = re.compile(r"VAR Decision:\s*(.+)", re.IGNORECASE)
OVERTURNED = re.compile(r"\bgoal overturned\b", re.IGNORECASE)
# API-Football's words for what ESPN says after "VAR Decision:". The first that fits.
GOAL_CANCELLED = "Goal cancelled"
DECISIONS = (
    (re.compile(r"no goal\b|goal\b.*\b(not|disallowed|cancelled|overturned)\b"), GOAL_CANCELLED),
    (re.compile(r"goal\b"), "Goal confirmed"),
    (re.compile(r"no penalty\b|penalty\b.*\b(not|cancelled|overturned)\b"), "Penalty cancelled"),
    (re.compile(r"penalty\b"), "Penalty confirmed"),
    (re.compile(r"card (upgraded|changed)\b"), "Card upgrade"),
)
UNKNOWN_DECISION = "VAR decision"
MAX_DETAIL_LENGTH = 80
# Minutes from a goal to the decision about it.
LONGEST_REVIEW = 10
# The position of everybody on the bench.
BENCH = "SUB"


@dataclass(frozen=True, slots=True)
class _VarDecision:
    """`at_goal`: it stands where the goal was, and so has its minute."""

    side: HomeOrAway
    minute: MatchMinute
    detail: str
    player: PersonClaim
    at_goal: bool


@dataclass(slots=True)
class _Comments:
    decisions: list[_VarDecision] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)


def parse_summary(
    summary: EspnSummary, subject: str, *, with_line_ups: bool = True
) -> MatchDetails:
    """Raises ValueError if the teams are not known. Every other part is parsed on its own."""
    competition = summary.header.competitions[0]
    teams = match_teams(competition)
    events = parse_plays(summary.key_events or (), teams, subject)
    goals, complete = _goals(summary, competition, events, teams, subject)
    about_var = _comments_on_var(summary)
    # Commentary needs them for the ids of the players it names.
    is_used = with_line_ups or bool(about_var)
    rosters = summary.rosters if is_used else None
    line_ups, bad_players = _line_ups(rosters or (), teams, subject)
    comments = _read_var(about_var, teams, _ids_by_name(events, line_ups), subject)
    decisions = _one_for_each(comments.decisions)
    var = [
        IncidentClaim(IncidentKind.VAR, one.side, one.minute, one.detail, one.player)
        for one in decisions
    ]
    has_events = summary.key_events is not None or bool(var)
    incidents = sorted([*events.incidents, *var], key=lambda one: one.minute.sort_key)
    return MatchDetails(
        goals=goals,
        goals_complete=complete,
        incidents=tuple(incidents) if has_events else None,
        cancellations=tuple(
            CancellationClaim(one.side, one.minute, one.detail, one.player)
            for one in decisions
            if one.detail == GOAL_CANCELLED
        ),
        line_ups=line_ups,
        unreadable=(*events.unreadable, *comments.unreadable, *bad_players),
    )


def _goals(
    summary: EspnSummary,
    competition: EspnCompetition,
    events: ParsedPlays,
    teams: MatchTeams,
    subject: str,
) -> tuple[tuple[GoalClaim, ...] | None, bool]:
    """Of the two lists of goals, the first that agrees with the score; and whether it is whole."""
    period = period_of(competition.status) if competition.status else MatchStatus.IN_PLAY
    score = score_of(competition, period)
    lists = [events] if summary.key_events is not None else []
    if lists and goals_complete(events, period, score):
        return tuple(events.goals), True
    if is_list(competition.details):
        lists.append(parse_plays(decode(competition.details), teams, f"{subject} header"))
        if goals_complete(lists[-1], period, score):
            return tuple(lists[-1].goals), True
    return (tuple(lists[0].goals), False) if lists else (None, True)


# -- VAR ----------------------------------------------------------------------------------


def _comments_on_var(summary: EspnSummary) -> list[tuple[int, Any]]:
    """Those of the commentary, and the events as such; each with its place in both lists."""
    wrapped = [{"play": play} for play in summary.key_events or ()]
    comments = enumerate((*(summary.commentary or ()), *wrapped))
    return [(index, raw) for index, raw in comments if _is_on_var(raw)]


def _read_var(
    comments: Iterable[tuple[int, Any]],
    teams: MatchTeams,
    ids: dict[str, str | None],
    subject: str,
) -> _Comments:
    """The decisions in the commentary, and those that only the events have."""
    found = _Comments()
    seen: set[str] = set()
    for index, raw in comments:
        try:
            comment = EspnComment.model_validate(raw)
            play = comment.play
            if play is None or play.id in seen:
                continue
            found.decisions.append(_var_decision(play, comment, teams, ids))
            seen |= {play.id} if play.id is not None else set()
        except (ValidationError, ValueError) as error:
            problem = Unreadable(f"{subject} comment {index}", first_problem(error))
            found.unreadable.append(problem)
    return found


def _var_decision(
    play: EspnPlay, comment: EspnComment, teams: MatchTeams, ids: dict[str, str | None]
) -> _VarDecision:
    texts = [text for text in (comment.text, play.text) if text]
    who = person(play.people[0]) if play.people else PersonClaim()
    if who.id is None and who.name is not None:
        who = replace(who, id=ids.get(who.name))
    is_deleted = type_id(play) == DELETED_AFTER_REVIEW
    cancelled = is_deleted and (not texts or any(OVERTURNED.search(text) for text in texts))
    return _VarDecision(
        side=side_of_play(play, teams),
        minute=minute_of_play(play, comment.time),
        detail=GOAL_CANCELLED if cancelled else _decision(texts, type_id(play)),
        player=who,
        at_goal=is_deleted,
    )


def _decision(texts: Iterable[str], type_: str | None) -> str:
    """What the text says: type 172 is called "decision cancelled" whatever was decided."""
    for text in texts:
        if found := DECISION.search(text):
            said = found[1].strip().rstrip(".")
            ours = (word for pattern, word in DECISIONS if pattern.match(said.lower()))
            return next(ours, said[:MAX_DETAIL_LENGTH])
    return "Card upgrade" if type_ == CARD_UPGRADE else UNKNOWN_DECISION


def _one_for_each(decisions: Sequence[_VarDecision]) -> list[_VarDecision]:
    """ESPN lists a cancelled goal twice: where it was, and where "No Goal" was decided."""
    cancelled = [one for one in decisions if one.at_goal and one.detail == GOAL_CANCELLED]
    return [
        one
        for one in decisions
        if one.detail != GOAL_CANCELLED
        or one.at_goal
        or not any(_is_same_goal(goal, one) for goal in cancelled)
    ]


def _is_same_goal(goal: _VarDecision, later: _VarDecision) -> bool:
    names = {goal.player.name, later.player.name} - {None}
    return (
        goal.side == later.side
        and len(names) <= 1
        and goal.minute.sort_key <= later.minute.sort_key
        and minutes_apart(goal.minute, later.minute) <= LONGEST_REVIEW
    )


def _is_on_var(raw: Any) -> bool:
    try:
        return str(raw["play"]["type"]["id"]) in VAR_TYPES
    except (KeyError, TypeError):
        return False


def _ids_by_name(events: ParsedPlays, line_ups: Iterable[LineUpClaim]) -> dict[str, str | None]:
    """Commentary has names only. Two players of one name have no id here."""
    people = [
        *(player.person for line_up in line_ups for player in line_up.players),
        *(PersonClaim(goal.scorer_id, goal.scorer) for goal in events.goals),
        *(one.player for one in events.incidents),
    ]
    ids: dict[str, str | None] = {}
    for one in people:
        if one.name is not None and one.id is not None:
            ids[one.name] = one.id if ids.get(one.name, one.id) == one.id else None
    return ids


# -- players ------------------------------------------------------------------------------


def _line_ups(
    rosters: Iterable[Any], teams: MatchTeams, subject: str
) -> tuple[tuple[LineUpClaim, ...], list[Unreadable]]:
    line_ups: list[LineUpClaim] = []
    unreadable: list[Unreadable] = []
    for index, raw in enumerate(rosters):
        where = f"{subject} line-up {index}"
        try:
            roster = EspnRoster.model_validate(raw)
            side = teams.side(roster.team) or _side_named(roster.home_away)
        except (ValidationError, ValueError) as error:
            unreadable.append(Unreadable(where, first_problem(error)))
            continue
        players, bad = _players(roster.roster or (), where)
        unreadable += bad
        if players:
            line_ups.append(LineUpClaim(side, players, roster.formation or None))
    return tuple(line_ups), unreadable


def _side_named(text: str | None) -> HomeOrAway:
    if (text or "").lower() not in ("home", "away"):
        raise ValueError("homeAway: neither home nor away")
    return "home" if str(text).lower() == "home" else "away"


def parse_squad(squad: EspnSquad, subject: str) -> tuple[LineUpPlayer, ...]:
    """Raises ValueError if there are athletes, and none can be read."""
    items = [
        player
        for item in squad.athletes
        for player in (item["items"] if _is_group(item) else (item,))
    ]
    players, unreadable = _players(items, subject)
    if unreadable and not players:
        raise ValueError(unreadable[0].reason)
    return players


def _is_group(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("items"), list)


def _players(
    items: Iterable[Any], subject: str
) -> tuple[tuple[LineUpPlayer, ...], list[Unreadable]]:
    players: list[LineUpPlayer] = []
    unreadable: list[Unreadable] = []
    for index, raw in enumerate(items):
        try:
            players.append(_player(EspnRosterPlayer.model_validate(raw)))
        except (ValidationError, ValueError) as error:
            unreadable.append(Unreadable(f"{subject} player {index}", first_problem(error)))
    return tuple(players), unreadable


def _player(found: EspnRosterPlayer) -> LineUpPlayer:
    who = person(found.athlete) if found.athlete else PersonClaim(found.id, found.display_name)
    if who.id is None and who.name is None:
        raise ValueError("athlete: neither an id nor a name")
    position = found.position.abbreviation if found.position else None
    return LineUpPlayer(
        who, found.jersey, None if position == BENCH else position, bool(found.starter)
    )
