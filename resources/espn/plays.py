"""The entries of ESPN's lists of events: goals, cards, substitutions and missed penalties."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from footy_assets.matchday.rules.feed import Unreadable
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import GoalDetail, HomeOrAway, IncidentKind
from footy_assets.providers.rules.adapter import IncidentClaim
from footy_assets.providers.rules.match import NOBODY_CLAIMED, GoalClaim, PersonClaim, Score
from resources.espn.models import (
    EspnClock,
    EspnCompetition,
    EspnCompetitor,
    EspnNamed,
    EspnPlay,
)
from resources.pieces import first_problem

YELLOW, RED, SUBSTITUTION = "94", "93", "76"
OWN_GOAL, PENALTY_SCORED, SHOOTOUT_KICK = "97", "98", "104"
SHOOTOUT_PERIOD = 5
MISSED_PENALTIES = frozenset({"113", "114"})
# Goal, header, free kick, volley, and the two above.
GOALS = frozenset({"70", "137", "138", "173", OWN_GOAL, PENALTY_SCORED})
CLOCK = re.compile(r"(\d{1,3})'?(?:\s*\+\s*(\d{1,2})'?)?")


@dataclass(frozen=True, slots=True)
class MatchTeams:
    """Which side a team is, by its id, or by its name where there is no id."""

    home: EspnNamed
    away: EspnNamed

    def side(self, team: EspnNamed | None) -> HomeOrAway | None:
        by_id = team is not None and team.id is not None
        found = None if team is None else _key(team, by_id)
        is_home, is_away = found == _key(self.home, by_id), found == _key(self.away, by_id)
        if found is None or is_home == is_away:
            return None
        return "home" if is_home else "away"


def _key(team: EspnNamed, by_id: bool) -> str | None:
    return team.id if by_id else team.display_name


@dataclass(slots=True)
class ParsedPlays:
    """`goals_complete` is False if an entry that may be a goal could not be parsed."""

    goals: list[GoalClaim] = field(default_factory=list)
    incidents: list[IncidentClaim] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    goals_complete: bool = True

    def agrees_with(self, score: Score) -> bool:
        home = sum(goal.side == "home" for goal in self.goals)
        return (home, len(self.goals) - home) == (score.home, score.away)

    def cards(self) -> Score:
        sides = [one.side for one in self.incidents if one.kind is IncidentKind.CARD]
        return Score(sides.count("home"), sides.count("away"))


def home_and_away(competition: EspnCompetition) -> tuple[EspnCompetitor, EspnCompetitor]:
    """Raises ValueError unless there is one home and one away team; their order means nothing."""
    sides = {one.home_away.lower(): one for one in competition.competitors}
    if len(competition.competitors) != 2 or set(sides) != {"home", "away"}:
        raise ValueError("competitors: not one home and one away team")
    return sides["home"], sides["away"]


def match_teams(competition: EspnCompetition) -> MatchTeams:
    home, away = (
        EspnNamed(id=side.team.id, display_name=side.team.display_name)
        for side in home_and_away(competition)
    )
    return MatchTeams(home, away)


def parse_plays(items: Iterable[Any], teams: MatchTeams, subject: str) -> ParsedPlays:
    parsed = ParsedPlays()
    seen: set[str] = set()
    for index, raw in enumerate(items):
        try:
            play = EspnPlay.model_validate(raw)
            if play.id is not None and play.id in seen:
                continue
            seen |= {play.id} if play.id is not None else set()
            _add(parsed, play, teams)
        except (ValidationError, ValueError) as error:
            parsed.unreadable.append(Unreadable(f"{subject} event {index}", first_problem(error)))
            parsed.goals_complete = parsed.goals_complete and not _may_be_goal(raw)
    return parsed


def _add(parsed: ParsedPlays, play: EspnPlay, teams: MatchTeams) -> None:
    if is_shootout_kick(play):
        return
    if is_goal(play):
        parsed.goals.append(_goal(play, teams))
    elif (kind := _incident_kind(play)) is not None:
        parsed.incidents.append(_incident(play, kind, teams))


def is_shootout_kick(play: EspnPlay) -> bool:
    """A kick that scores is a `scoringPlay`, too."""
    in_shootout = play.period is not None and play.period.number == SHOOTOUT_PERIOD
    return bool(play.shootout) or in_shootout or type_id(play) == SHOOTOUT_KICK


def is_goal(play: EspnPlay) -> bool:
    return type_id(play) in GOALS if play.scoring is None else play.scoring


def type_id(play: EspnPlay) -> str | None:
    return play.type.id if play.type else None


def _goal(play: EspnPlay, teams: MatchTeams) -> GoalClaim:
    """The scorer is None while ESPN does not name them."""
    own_goal = bool(play.own_goal) or type_id(play) == OWN_GOAL
    detail = GoalDetail.NORMAL_GOAL
    if own_goal:
        detail = GoalDetail.OWN_GOAL
    elif play.penalty or type_id(play) == PENALTY_SCORED:
        detail = GoalDetail.PENALTY
    scorer = _person(play, 0)
    # With an own goal ESPN lists an attacker second. A scoreboard lists no assists.
    has_assist = play.athletes is None and not own_goal
    return GoalClaim(
        side=side_of_play(play, teams),
        minute=minute_of_play(play),
        detail=detail,
        scorer=scorer.name,
        scorer_id=scorer.id,
        assist=_person(play, 1) if has_assist else NOBODY_CLAIMED,
    )


def _incident_kind(play: EspnPlay) -> IncidentKind | None:
    if play.yellow_card or play.red_card or type_id(play) in (YELLOW, RED):
        return IncidentKind.CARD
    if type_id(play) == SUBSTITUTION:
        return IncidentKind.SUBSTITUTION
    return IncidentKind.MISSED_PENALTY if type_id(play) in MISSED_PENALTIES else None


def _incident(play: EspnPlay, kind: IncidentKind, teams: MatchTeams) -> IncidentClaim:
    side, minute = side_of_play(play, teams), minute_of_play(play)
    if kind is IncidentKind.SUBSTITUTION:
        # ESPN names the player who comes on first.
        return IncidentClaim(kind, side, minute, "Substitution", _person(play, 1), _person(play, 0))
    detail: str = GoalDetail.MISSED_PENALTY
    if kind is IncidentKind.CARD:
        detail = "Red Card" if play.red_card or type_id(play) == RED else "Yellow Card"
    return IncidentClaim(kind, side, minute, detail, _person(play, 0))


def side_of_play(play: EspnPlay, teams: MatchTeams) -> HomeOrAway:
    side = teams.side(play.team)
    if side is None:
        raise ValueError("team: neither the home nor the away team")
    return side


def minute_of_play(play: EspnPlay, time: EspnClock | None = None) -> MatchMinute:
    for clock in (play.clock, time):
        minute = clock and (parse_minute(clock.text) or _minute_of_seconds(clock.value))
        if minute:
            return minute
    raise ValueError("clock: no minute")


def parse_minute(text: str | None) -> MatchMinute | None:
    """ "90'+5'" is 90+5."""
    found = CLOCK.fullmatch((text or "").strip())
    return MatchMinute(int(found[1]), int(found[2] or 0) or None) if found else None


def _minute_of_seconds(value: float | None) -> MatchMinute | None:
    """The 1st minute has the seconds 0 to 59. 2700 is the 45th: the value stops there."""
    if not value or not 0 < value < 9000:
        return None
    whole, seconds = divmod(int(value), 60)
    return MatchMinute(whole if seconds == 0 else whole + 1)


def person(found: EspnNamed | None) -> PersonClaim:
    return PersonClaim(found.id, found.display_name or None) if found else NOBODY_CLAIMED


def _person(play: EspnPlay, index: int) -> PersonClaim:
    people = play.people
    return person(people[index]) if index < len(people) else NOBODY_CLAIMED


def _may_be_goal(raw: Any) -> bool:
    return not isinstance(raw, dict) or raw.get("scoringPlay") is not False
