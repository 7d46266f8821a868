"""A matchday of OpenLigaDB: what is fetched at once, and polled for changes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from footy_assets.matchday.rules.feed import Unreadable
from resources.openligadb.models import OldbMatch

# A wanted match may be one of a matchday with a kickoff this near.
NEAR = timedelta(hours=3)


@dataclass(frozen=True, slots=True)
class MatchdayKey:
    """A matchday of a league, or a round of a cup."""

    league: str
    season: int
    order: int

    @property
    def path(self) -> str:
        return f"{self.league}/{self.season}/{self.order}"

    def neighbour(self, step: int) -> "MatchdayKey":
        return replace(self, order=self.order + step)


@dataclass(frozen=True, slots=True)
class FetchedMatchday:
    key: MatchdayKey
    fetched_at: datetime
    last_change: str | None
    matches: tuple[OldbMatch, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()

    def has_kickoff_near(self, starts: Sequence[datetime]) -> bool:
        return any(abs(match.kickoff - start) <= NEAR for match in self.matches for start in starts)

    def step_towards(self, day: date) -> int:
        """To the matchday that may have this day: 0 this one, else the one before or after."""
        days = {match.kickoff.date() for match in self.matches}
        if not days or day in days:
            return 0
        return -1 if day < min(days) else 1
