"""Gives goals that come with a name but no id the player's id, by name within the team's roster.

A name that fits several players, or none for certain, stays without an id: nothing is guessed.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from footy_assets.identity_cache import cached_by_identity
from footy_assets.matchday.rules.line_up import MatchRosters
from footy_assets.matchday.rules.sighting import (
    FixtureSighting,
    GoalDetail,
    GoalSighting,
    Player,
    Side,
    goal_detail,
)
from footy_assets.names import plain, without_apostrophes

CACHED_LISTS = 4096

Words = tuple[str, ...]


@dataclass(slots=True)
class _Person:
    """One player of a roster with all names that the roster gives them; `id` may be missing."""

    id: int | None
    names: list[Words] = field(default_factory=list)


def name_scorers(sighting: FixtureSighting, rosters: MatchRosters) -> FixtureSighting:
    """The sighting with an id for each scorer and assist that a roster identifies (E4).

    A scorer with an id but no name gets the name of the roster.
    """
    if not lacks_players(sighting):
        return sighting
    goals = tuple(_with_players(goal, sighting, rosters) for goal in sighting.goals or ())
    return sighting if goals == sighting.goals else replace(sighting, goals=goals)


def lacks_players(sighting: FixtureSighting) -> bool:
    """Whether a roster could add something: a scorer or assist has a name or an id, not both."""
    return sighting.goals is not None and _lack_players(sighting.goals)


@cached_by_identity(CACHED_LISTS)
def _lack_players(goals: tuple[GoalSighting, ...]) -> bool:
    """Cached: the goals of a match seldom change between two polls."""
    return any(_is_half_known(goal.scorer) or _is_half_known(goal.assist) for goal in goals)


def scorer_team(team_id: int, detail: str, home: Side, away: Side) -> int:
    """The team that the scorer of a goal for `team_id` plays for: of an own goal the other (E1)."""
    if goal_detail(detail) is not GoalDetail.OWN_GOAL:
        return team_id
    return away.id if team_id == home.id else home.id


def find_player_id(name: str, roster: Iterable[Player]) -> int | None:
    """The id of the player of a roster that this name means; None if that is not certain.

    The whole name decides first, then initial and surname, then the surname alone if no other
    player has it.
    """
    wanted = _words(name)
    if not wanted:
        return None
    people = _people(roster)
    # "Silva" may be short for "Thiago Silva", even if another is called just "Silva".
    whole = [one for one in people if any(_is_name_or_surname(wanted, w) for w in one.names)]
    if whole:
        return _only(whole)
    namesakes = [one for one in people if any(w[-1] == wanted[-1] for w in one.names)]
    fits = [one for one in namesakes if _may_be(one, wanted)]
    by_initial = any(
        words[-1] == wanted[-1] and not _ends_with(wanted, words)
        for one in fits
        for words in one.names
    )
    return _only(fits) if by_initial else _only(namesakes if fits else ())


def _with_players(
    goal: GoalSighting, sighting: FixtureSighting, rosters: MatchRosters
) -> GoalSighting:
    team = scorer_team(goal.team_id, goal.detail, sighting.home, sighting.away)
    scorer = _completed(goal.scorer, rosters.of(team))
    assist = _completed(goal.assist, rosters.of(goal.team_id))
    if (scorer, assist) == (goal.scorer, goal.assist):
        return goal
    return replace(goal, scorer=scorer, assist=assist)


def _completed(player: Player, roster: Sequence[Player]) -> Player:
    if not _is_half_known(player):
        return player
    if player.id:
        names = (one.name for one in roster if one.id == player.id and one.known)
        return replace(player, name=next(names, player.name))
    return replace(player, id=find_player_id(player.name or "", roster))


def _is_half_known(player: Player) -> bool:
    """Has an id or a name, but not both."""
    return _is_named(player) != bool(player.id)


def _is_named(player: Player) -> bool:
    return replace(player, id=1).known


def _people(roster: Iterable[Player]) -> list[_Person]:
    """Each player once. One without an id is the same as another of exactly that name."""
    people: dict[int, _Person] = {}
    without_id: list[Words] = []
    for player in roster:
        words = _words(player.name or "")
        if not words or not _is_named(player):
            continue
        if not player.id:
            without_id.append(words)
        elif words not in (names := people.setdefault(player.id, _Person(player.id)).names):
            names.append(words)
    known = {words for one in people.values() for words in one.names}
    rest = [_Person(None, [words]) for words in dict.fromkeys(without_id) if words not in known]
    return [*people.values(), *rest]


def _only(people: Sequence[_Person]) -> int | None:
    return people[0].id if len(people) == 1 else None


def _is_name_or_surname(wanted: Words, words: Words) -> bool:
    return sorted(wanted) == sorted(words) or _ends_with(words, wanted)


def _may_be(person: _Person, wanted: Words) -> bool:
    """No first name of a namesake is another one: it is missing, or one is short for the other."""
    return all(
        _ends_with(wanted, words)
        or words[0].startswith(wanted[0])
        or wanted[0].startswith(words[0])
        for words in person.names
        if words[-1] == wanted[-1]
    )


def _ends_with(words: Words, end: Words) -> bool:
    return words[-len(end) :] == end


@lru_cache(maxsize=8192)
def _words(name: str) -> Words:
    return tuple(re.findall(r"[^\W_]+", without_apostrophes(plain(name)).casefold()))
