"""Builders for reports, goal claims and sightings of providers."""

from datetime import UTC, datetime, timedelta

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import (
    Cancellation,
    FixtureSighting,
    GoalSighting,
    League,
    Player,
    Side,
)
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.providers.rules.match import GoalClaim, NormalisedMatch, Report, Score, Sides

NOON = datetime(2025, 5, 10, 12, tzinfo=UTC)
HOME, AWAY = Side(40, "Liverpool"), Side(50, "Manchester City")
LEAGUE = League(39, "Premier League")
SALAH = Player(234, "M. Salah")


def after(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def report(
    domain: str = "main",
    home: int | None = 0,
    away: int | None = 0,
    *,
    minute: int | None = 30,
    extra: int | None = None,
    period: str = "1H",
    goals: tuple[GoalClaim, ...] | None = None,
    confidence: float = 1.0,
    at: datetime = NOON,
    venue: str | None = None,
    cancellations: tuple[tuple[str, str], ...] = (),
) -> Report:
    match = NormalisedMatch(
        id=5000,
        domain=domain,
        teams=Sides(HOME.name, AWAY.name),
        period=period,
        start=NOON - timedelta(minutes=30),
        score=Score(home, away),
        minute=None if minute is None else MatchMinute(minute, extra),
        venue=venue,
    )
    return Report(match, at, confidence, goals, cancellations)


def claim(minute: int, side: str = "home", scorer: str | None = "Salah") -> GoalClaim:
    return GoalClaim(side, MatchMinute(minute), "Normal Goal", scorer)


def goal(minute: int, player: Player = SALAH, team: int = HOME.id) -> GoalSighting:
    return GoalSighting(team, player, MatchMinute(minute), "Normal Goal")


def sighting(
    *goals: GoalSighting,
    status: str = "1H",
    elapsed: int | None = 30,
    score: tuple[int, int] | None = None,
    cancellations: tuple[Cancellation, ...] = (),
) -> FixtureSighting:
    home = sum(one.team_id == HOME.id for one in goals)
    final_score = score or (home, len(goals) - home)
    return FixtureSighting(
        5000,
        NOON - timedelta(minutes=30),
        status,
        elapsed,
        None,
        LEAGUE,
        HOME,
        AWAY,
        final_score[0],
        final_score[1],
        tuple(goals),
        cancellations,
    )


def known() -> Fixture:
    return Fixture(
        5000,
        NOON - timedelta(minutes=30),
        "1H",
        LEAGUE,
        HOME,
        AWAY,
        FixtureState.ACTIVE,
        (0, 0),
        elapsed=20,
        elapsed_at=NOON,
    )
