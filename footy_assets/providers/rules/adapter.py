"""The interface of every provider besides the main one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from footy_assets.matchday.rules.feed import Unreadable
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets.providers.rules.match import (
    NO_SCORE,
    GoalClaim,
    NormalisedMatch,
    Report,
    Score,
    Sides,
)
from footy_assets.providers.rules.normalise import last_event
from footy_assets.providers.rules.recovery import BrowserFigures


@dataclass(frozen=True, slots=True)
class ProviderMatch:
    """A match as a provider reports it, under its own id. `goals` is None if it lists no goals."""

    listed: ListedMatch
    period: str
    score: Score = NO_SCORE
    cards: Score = NO_SCORE
    minute: MatchMinute | None = None
    venue: str | None = None
    goals: tuple[GoalClaim, ...] | None = None

    def to_report(self, match_id: int, domain: str, at: datetime, confidence: float) -> Report:
        match = NormalisedMatch(
            id=match_id,
            domain=domain,
            teams=Sides(self.listed.home, self.listed.away),
            period=self.period,
            start=self.listed.start,
            score=self.score,
            cards=self.cards,
            minute=self.minute,
            competition=self.listed.competition,
            venue=self.venue,
            last_event=last_event(self.goals),
            metadata={f"{domain}_id": self.listed.id},
        )
        return Report(match, at, confidence, self.goals)


@dataclass(frozen=True, slots=True)
class FetchResult:
    matches: tuple[ProviderMatch, ...]
    unreadable: tuple[Unreadable, ...] = ()


class Adapter(Protocol):
    def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
        """Its data of these matches; it may return others, too. Raises `ProviderError`."""
        ...

    def figures(self) -> BrowserFigures | None:
        """Figures of its browser; None if it uses none."""
        ...

    def recycle(self) -> None:
        """Restarts before the next request; the one under way ends first."""
        ...

    def reset(self) -> None:
        """Closes pages that were left open; the browser stays."""
        ...

    def close(self) -> None: ...
