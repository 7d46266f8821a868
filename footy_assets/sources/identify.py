"""A4: which of our matches a provider means. An unsure mapping is told, not guessed."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache

KICKOFF_WITHIN = timedelta(minutes=30)
# Words that clubs carry or leave out at will.
EMPTY_WORDS = frozenset({"fc", "cf", "afc", "sc", "club", "football", "futbol", "calcio", "the"})


@dataclass(frozen=True, slots=True)
class Listed:
    """A match as a provider, or we, list it."""

    id: str
    start: datetime
    home: str
    away: str
    competition: str | None = None


@dataclass(frozen=True, slots=True)
class Aliases:
    """Names that mean the same though they do not look it: as written there, as written here."""

    teams: Mapping[str, str] = field(default_factory=dict)
    competitions: Mapping[str, str] = field(default_factory=dict)

    def same_team(self, theirs: str, ours: str) -> bool:
        return plain(theirs) == plain(ours) or self._says(self.teams, theirs, ours)

    def same_competition(self, theirs: str | None, ours: str | None) -> bool | None:
        """None: one of them does not say."""
        if not theirs or not ours:
            return None
        return plain(theirs) == plain(ours) or self._says(self.competitions, theirs, ours)

    @staticmethod
    def _says(table: Mapping[str, str], theirs: str, ours: str) -> bool:
        return any(plain(a) == plain(theirs) and plain(b) == plain(ours) for a, b in table.items())


@dataclass(frozen=True, slots=True)
class Mapped:
    match_id: str


@dataclass(frozen=True, slots=True)
class Unsure:
    """Something speaks for these matches of ours, and something against them."""

    theirs: Listed
    candidates: tuple[str, ...]
    reason: str


@lru_cache(maxsize=8192)
def plain(name: str) -> str:
    """Letters without their marks, without the words that mean nothing; "SV 04" stays itself."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    text = "".join(c for c in letters if not unicodedata.combining(c))
    words = re.findall(r"[^\W_]+", text)
    return " ".join([word for word in words if word not in EMPTY_WORDS] or words)


def identify(theirs: Listed, ours: Iterable[Listed], aliases: Aliases) -> Mapped | Unsure | None:
    """By kickoff, both teams and the competition. None: nothing here looks like it."""
    sure: list[str] = []
    doubts: list[tuple[str, str]] = []
    for known in ours:
        home = aliases.same_team(theirs.home, known.home)
        away = aliases.same_team(theirs.away, known.away)
        on_time = abs(theirs.start - known.start) <= KICKOFF_WITHIN
        league = aliases.same_competition(theirs.competition, known.competition)
        if home and away and on_time and league is not False:
            sure.append(known.id)
        elif home and away and on_time:
            doubts.append((known.id, f"competition {theirs.competition} for {known.competition}"))
        elif home and away and theirs.start.date() == known.start.date():
            doubts.append((known.id, f"kickoff {theirs.start:%H:%M} for {known.start:%H:%M}"))
        elif (home or away) and on_time and league is not False:
            said, meant = (theirs.away, known.away) if home else (theirs.home, known.home)
            doubts.append((known.id, f"team {said} for {meant}"))
        elif on_time and _swapped(theirs, known, aliases):
            doubts.append((known.id, "home and away the other way round"))
    if len(sure) == 1:
        return Mapped(sure[0])
    if sure:
        return Unsure(theirs, tuple(sure), f"{len(sure)} matches of ours look like it")
    if doubts:
        return Unsure(theirs, tuple(id_ for id_, _ in doubts), doubts[0][1])
    return None


def _swapped(theirs: Listed, known: Listed, aliases: Aliases) -> bool:
    return aliases.same_team(theirs.home, known.away) and aliases.same_team(theirs.away, known.home)
