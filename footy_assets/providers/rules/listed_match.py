"""A match as a list names it, and the aliases an operator gives."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from footy_assets.matchday.rules.fixture import Fixture, FixtureHeading
from footy_assets.names import plain

# Words that club names have or omit at will.
EMPTY_WORDS = frozenset({"fc", "cf", "afc", "sc", "club", "football", "futbol", "calcio", "the"})


@dataclass(frozen=True, slots=True)
class ListedMatch:
    """A match in a provider's list, or in ours.

    `home_also` and `away_also` are other names of the teams: short ones, abbreviations. A team that
    is not decided yet has an empty name. `competition_number` is ours, `competition_id` the
    provider's own.
    """

    id: str
    start: datetime
    home: str
    away: str
    competition: str | None = None
    competition_id: str | None = None
    home_also: tuple[str, ...] = ()
    away_also: tuple[str, ...] = ()
    country: str | None = None
    competition_number: int | None = None


def to_listed(
    fixture: Fixture | FixtureHeading, id_: str | None = None, competition_id: str | None = None
) -> ListedMatch:
    """A match of ours: under our id, or under the provider's own ids."""
    return ListedMatch(
        id_ or str(fixture.id),
        fixture.kickoff,
        fixture.home.name,
        fixture.away.name,
        fixture.league.name,
        competition_id,
        country=fixture.league.country,
        competition_number=fixture.league.id,
    )


@dataclass(frozen=True, slots=True)
class Aliases:
    """Different names of the same team or competition: theirs to ours."""

    teams: Mapping[str, str] = field(default_factory=dict)
    competitions: Mapping[str, str] = field(default_factory=dict)

    def same_team(self, theirs: str, ours: str) -> bool:
        return _is_alias(self.teams, theirs, ours)

    def same_competition(self, theirs: str | None, ours: str | None) -> bool:
        return bool(theirs and ours) and _is_alias(self.competitions, theirs or "", ours or "")


@lru_cache(maxsize=8192)
def comparable(name: str) -> str:
    """A name without accents, case and filler words, unless nothing else is left ("SV 04")."""
    words = re.findall(r"[^\W_]+", plain(name).casefold())
    return " ".join([word for word in words if word not in EMPTY_WORDS] or words)


def _is_alias(table: Mapping[str, str], theirs: str, ours: str) -> bool:
    return any(
        comparable(a) == comparable(theirs) and comparable(b) == comparable(ours)
        for a, b in table.items()
    )
