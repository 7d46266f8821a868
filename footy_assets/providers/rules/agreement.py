"""A4: how far a provider's matches agree with ours in kickoff, teams and competition."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import IntEnum
from typing import NamedTuple

from footy_assets.providers.rules.competitions import CompetitionName, find_competition
from footy_assets.providers.rules.listed_match import Aliases, ListedMatch
from footy_assets.providers.rules.team_likeness import Likeness, beginnings, likeness
from footy_assets.providers.rules.team_names import is_decided, squad_of_competition

KICKOFF_WITHIN = timedelta(minutes=30)


class Agreement(IntEnum):
    """How far a match of theirs agrees with one of ours.

    LIKELY: one team is sure, the other is spelled alike, and the competition is the same. PARTIAL
    and below are never mapped.
    """

    SWAPPED = 1
    PARTIAL = 2
    OTHER_KICKOFF = 3
    OTHER_COMPETITION = 4
    LIKELY = 5
    CLEAR = 6


class MatchCandidate(NamedTuple):
    theirs: int
    ours: int
    agreement: Agreement
    likeness: int
    reason: str


@dataclass(frozen=True, slots=True)
class _Team:
    """By all its names; `squad` is what the competition says of it."""

    names: tuple[str, ...]
    squad: frozenset[str]


class _OurTeams:
    """Finds ours that resemble a team of theirs, each of theirs once."""

    def __init__(self, teams: Iterator[_Team], aliases: Aliases) -> None:
        self._aliases = aliases
        self._teams = set(teams)
        self._by_beginning: dict[str, list[_Team]] = defaultdict(list)
        for team in self._teams:
            for beginning in beginnings(team.names):
                self._by_beginning[beginning].append(team)
        self._found: dict[_Team, dict[_Team, Likeness]] = {}

    def like(self, theirs: _Team) -> dict[_Team, Likeness]:
        """Those that are not different."""
        found = self._found.get(theirs)
        if found is None:
            found = self._found[theirs] = dict(self._compare(theirs))
        return found

    def _compare(self, theirs: _Team) -> Iterator[tuple[_Team, Likeness]]:
        near = {
            team
            for beginning in beginnings(theirs.names)
            for team in self._by_beginning.get(beginning, ())
        }
        for team in near:
            alike = likeness(theirs.names, team.names, theirs.squad, team.squad)
            if alike is not Likeness.DIFFERENT:
                yield team, alike
        if self._aliases.teams:
            for team in self._teams:
                if self._aliases.same_team(theirs.names[0], team.names[0]):
                    yield team, Likeness.SAME


@dataclass(frozen=True, slots=True)
class _Parsed:
    match: ListedMatch
    home: _Team
    away: _Team
    competition: CompetitionName


def _parse(match: ListedMatch) -> _Parsed:
    competition = find_competition(
        match.competition, match.competition_id, match.country, match.competition_number
    )
    squad = squad_of_competition(competition.all_words, match.competition_id)
    return _Parsed(
        match,
        _Team((match.home, *match.home_also), squad),
        _Team((match.away, *match.away_also), squad),
        competition,
    )


def find_candidates(
    theirs: Sequence[ListedMatch], ours: Sequence[ListedMatch], aliases: Aliases
) -> list[MatchCandidate]:
    """All pairs of a match of theirs and one of ours that agree in part at least."""
    parsed = [_parse(known) for known in ours]
    of_team: dict[_Team, list[int]] = defaultdict(list)
    for index, known in enumerate(parsed):
        for team in {known.home, known.away}:
            of_team[team].append(index)
    our_teams = _OurTeams(iter(of_team), aliases)
    found = []
    for index, match in enumerate(theirs):
        one = _parse(match)
        if not (is_decided(match.home) and is_decided(match.away)):
            continue
        home, away = our_teams.like(one.home), our_teams.like(one.away)
        near = {position for team in (*home, *away) for position in of_team[team]}
        for position in sorted(near):
            compared = _compare(one, parsed[position], home, away, aliases)
            if compared is not None:
                found.append(MatchCandidate(index, position, *compared))
    return found


def _compare(
    theirs: _Parsed,
    ours: _Parsed,
    like_home: dict[_Team, Likeness],
    like_away: dict[_Team, Likeness],
    aliases: Aliases,
) -> tuple[Agreement, int, str] | None:
    one, other = theirs.match, ours.match
    on_time = abs(one.start - other.start) <= KICKOFF_WITHIN
    if not on_time and one.start.date() != other.start.date():
        return None
    home = like_home.get(ours.home, Likeness.DIFFERENT)
    away = like_away.get(ours.away, Likeness.DIFFERENT)
    if min(home, away) >= Likeness.PART:
        league = _same_competition(theirs, ours, aliases)
        # Of two that agree alike, the one whose competition is known to be the same.
        alike = 2 * (home + away) + (league is True)
        if not on_time:
            reason = f"kickoff {one.start:%H:%M} for {other.start:%H:%M}"
            return Agreement.OTHER_KICKOFF, alike, reason
        if league is False:
            reason = f"competition {one.competition} for {other.competition}"
            return Agreement.OTHER_COMPETITION, alike, reason
        return Agreement.CLEAR, alike, ""
    if not on_time:
        return None
    if max(home, away) >= Likeness.PART:
        league = _same_competition(theirs, ours, aliases)
        if league is False:
            return None
        their_name, our_name = (one.away, other.away) if home > away else (one.home, other.home)
        likely = league is True and min(home, away) is Likeness.SIMILAR
        agreement = Agreement.LIKELY if likely else Agreement.PARTIAL
        return agreement, 2 * (home + away), f"team {their_name} for {our_name}"
    swapped = (like_home.get(ours.away), like_away.get(ours.home))
    if all(alike is not None and alike >= Likeness.PART for alike in swapped):
        return Agreement.SWAPPED, 0, "home and away the other way round"
    return None


def _same_competition(theirs: _Parsed, ours: _Parsed, aliases: Aliases) -> bool | None:
    if aliases.same_competition(theirs.match.competition, ours.match.competition):
        return True
    return theirs.competition.is_same_as(ours.competition)
