"""A4: identifies a provider's match among ours. An unsure mapping is reported, not guessed."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache

from footy_assets.names import plain

KICKOFF_WITHIN = timedelta(minutes=30)
# Words that club names have or omit at will.
EMPTY_WORDS = frozenset({"fc", "cf", "afc", "sc", "club", "football", "futbol", "calcio", "the"})


@dataclass(frozen=True, slots=True)
class ListedMatch:
    """A match in a provider's list, or in ours.

    `home_also` and `away_also` are other names of the teams: short ones, abbreviations.
    """

    id: str
    start: datetime
    home: str
    away: str
    competition: str | None = None
    competition_id: str | None = None
    home_also: tuple[str, ...] = ()
    away_also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Aliases:
    """Different names of the same team or competition: theirs to ours."""

    teams: Mapping[str, str] = field(default_factory=dict)
    competitions: Mapping[str, str] = field(default_factory=dict)

    def same_team(self, theirs: str, ours: str) -> bool:
        return comparable(theirs) == comparable(ours) or self._is_alias(self.teams, theirs, ours)

    def same_competition(self, theirs: str | None, ours: str | None) -> bool | None:
        """None if one of them is missing."""
        if not theirs or not ours:
            return None
        return comparable(theirs) == comparable(ours) or self._is_alias(
            self.competitions, theirs, ours
        )

    @staticmethod
    def _is_alias(table: Mapping[str, str], theirs: str, ours: str) -> bool:
        return any(
            comparable(a) == comparable(theirs) and comparable(b) == comparable(ours)
            for a, b in table.items()
        )


@dataclass(frozen=True, slots=True)
class Mapped:
    match_id: str


@dataclass(frozen=True, slots=True)
class UnsureMapping:
    """`candidates` agree with the provider's match in part; `reason` is the difference."""

    theirs: ListedMatch
    candidates: tuple[str, ...]
    reason: str


@lru_cache(maxsize=8192)
def comparable(name: str) -> str:
    """A name without accents, case and filler words, unless nothing else is left ("SV 04")."""
    words = re.findall(r"[^\W_]+", plain(name).casefold())
    return " ".join([word for word in words if word not in EMPTY_WORDS] or words)


def identify(
    theirs: ListedMatch, ours: Iterable[ListedMatch], aliases: Aliases
) -> Mapped | UnsureMapping | None:
    """By kickoff, both teams and the competition. None if no match resembles it."""
    sure: list[str] = []
    unsure_mappings: list[tuple[str, str]] = []
    for known in ours:
        home = aliases.same_team(theirs.home, known.home)
        away = aliases.same_team(theirs.away, known.away)
        on_time = abs(theirs.start - known.start) <= KICKOFF_WITHIN
        league = aliases.same_competition(theirs.competition, known.competition)
        if home and away and on_time and league is not False:
            sure.append(known.id)
        elif home and away and on_time:
            unsure_mappings.append(
                (known.id, f"competition {theirs.competition} for {known.competition}")
            )
        elif home and away and theirs.start.date() == known.start.date():
            unsure_mappings.append(
                (known.id, f"kickoff {theirs.start:%H:%M} for {known.start:%H:%M}")
            )
        elif (home or away) and on_time and league is not False:
            their_name, our_name = (theirs.away, known.away) if home else (theirs.home, known.home)
            unsure_mappings.append((known.id, f"team {their_name} for {our_name}"))
        elif on_time and _swapped(theirs, known, aliases):
            unsure_mappings.append((known.id, "home and away the other way round"))
    if len(sure) == 1:
        return Mapped(sure[0])
    if sure:
        return UnsureMapping(theirs, tuple(sure), f"{len(sure)} matches of ours resemble it")
    if unsure_mappings:
        return UnsureMapping(
            theirs, tuple(id_ for id_, _ in unsure_mappings), unsure_mappings[0][1]
        )
    return None


def _swapped(theirs: ListedMatch, known: ListedMatch, aliases: Aliases) -> bool:
    return aliases.same_team(theirs.home, known.away) and aliases.same_team(theirs.away, known.home)
