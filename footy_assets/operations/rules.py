"""What an operator may set, as the operations take it."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from footy_assets.discovery.attempts import SearchPlan
from footy_assets.matchday.lifecycle import Deadlines
from footy_assets.operations.searching import SearchRules
from footy_assets.settings import Settings


@dataclass(frozen=True, slots=True)
class Following:
    """The leagues whose clubs are followed, and further teams."""

    leagues: tuple[int, ...] = ()
    teams: tuple[int, ...] | Literal["*"] = ()


@dataclass(frozen=True, slots=True)
class Rules:
    deadlines: Deadlines = field(default_factory=Deadlines)
    search_attempts: int = 0
    # How long a cycle waits for the provider; a sensor tick must stay far below 60 s.
    answer_within: float = 20.0


def following(settings: Settings) -> Following:
    return Following(settings.tracked_leagues, settings.tracked_teams)


def rules(settings: Settings) -> Rules:
    deadlines = Deadlines(
        unfinished_after=timedelta(hours=settings.fixture_deadline_hours),
        retention=timedelta(days=settings.retention_days),
    )
    # With nowhere to search, a stable goal waits for nothing.
    return Rules(deadlines, settings.search_attempts if settings.sources else 0)


def search_plan(settings: Settings) -> SearchPlan:
    return SearchPlan(
        attempts=settings.search_attempts,
        apart=timedelta(seconds=settings.search_apart_seconds),
        give_up_after=timedelta(minutes=settings.search_give_up_minutes),
    )


def search_rules(settings: Settings) -> SearchRules:
    return SearchRules(search_plan(settings), settings.search_chosen)
