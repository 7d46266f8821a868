"""What is asked of a provider beside the main one, whoever it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from footy_assets.matchday.feed import Unreadable
from footy_assets.matchday.minute import MatchMinute
from footy_assets.sources.identify import Listed
from footy_assets.sources.match import NO_SCORE, GoalClaim, NormalisedMatch, Report, Score, Sides
from footy_assets.sources.normalise import last_event
from footy_assets.sources.recovery import BrowserFigures


@dataclass(frozen=True, slots=True)
class Sheet:
    """A match as a provider tells it, under its own id. `goals` is None where it lists none."""

    listed: Listed
    period: str
    score: Score = NO_SCORE
    cards: Score = NO_SCORE
    minute: MatchMinute | None = None
    venue: str | None = None
    goals: tuple[GoalClaim, ...] | None = None

    def as_report(self, match_id: int, domain: str, at: datetime, confidence: float) -> Report:
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
class Fetched:
    sheets: tuple[Sheet, ...]
    unreadable: tuple[Unreadable, ...] = ()


class Adapter(Protocol):
    def fetch(self, wanted: Sequence[Listed], within: float) -> Fetched:
        """What it knows of these matches, and of others if it likes. Raises `ProviderError`."""
        ...

    def figures(self) -> BrowserFigures | None:
        """Of the browser behind it; None where there is none."""
        ...

    def recycle(self) -> None:
        """Begin anew with the next question; the one in flight is finished first."""
        ...

    def reset(self) -> None:
        """Close what it left open; the browser itself stays."""
        ...

    def close(self) -> None: ...
