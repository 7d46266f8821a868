"""A match as it is stored."""

from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum

from footy_assets.matchday.rules.sighting import FixtureSighting, Incident, League, Side
from footy_assets.matchday.rules.statuses import LAST_MINUTE, FixtureState, state_of


class ClosedBy(StrEnum):
    """What closed a match that the provider did not report as finished."""

    OPERATOR = "operator"
    DEADLINE = "deadline"


class AddedBy(StrEnum):
    """As stored."""

    TRACKED = "tracked"
    BY_ID = "by_id"


@dataclass(frozen=True, slots=True)
class FixtureHeading:
    """Which match it is: the part of a fixture that a poll seldom changes. Names and ids only."""

    id: int
    kickoff: datetime
    league: League
    home: Side
    away: Side


@dataclass(frozen=True, slots=True)
class Fixture:
    id: int
    kickoff: datetime
    status: str
    league: League
    home: Side
    away: Side
    state: FixtureState
    goals: tuple[int | None, int | None] = (None, None)
    listed: tuple[int, int] | None = None
    # The minute at the last write; between writes it is computed, not stored.
    elapsed: int | None = None
    elapsed_at: datetime | None = None
    last_polled: datetime | None = None
    completed_polls: tuple[str, ...] = ()
    completed_at: datetime | None = None
    closed_because: str | None = None
    closed_by: ClosedBy | None = None
    added_by: AddedBy = AddedBy.TRACKED
    revision: int = 0
    # What the snapshots for triggers have covered: incidents, corners, status and minute.
    incidents: tuple[Incident, ...] = ()
    corners: tuple[int, int] | None = None
    reported_status: str | None = None
    reported_minute: int = 0

    @property
    def matchday(self) -> date:
        return self.kickoff.date()

    @property
    def name(self) -> str:
        return f"{self.home.name} – {self.away.name}"

    def side_of(self, team_id: int) -> Side:
        return self.home if team_id == self.home.id else self.away

    def updated_from(self, sighting: FixtureSighting, now: datetime) -> "Fixture":
        """The fixture with the provider's values; a new minute alone is not a change (F10)."""
        goals = (sighting.goals_home, sighting.goals_away)
        listed = self.listed if (found := sighting.listed) is None else found
        if (
            self.status == sighting.status
            and self.goals == goals
            and self.listed == listed
            and self.kickoff == sighting.kickoff
            and self.home == sighting.home
            and self.away == sighting.away
            and self.league == sighting.league
        ):
            return self
        return replace(
            self,
            kickoff=sighting.kickoff,
            status=sighting.status,
            league=sighting.league,
            home=sighting.home,
            away=sighting.away,
            goals=goals,
            listed=listed,
            elapsed=sighting.elapsed,
            elapsed_at=now,
        )

    def minute(self, now: datetime) -> int | None:
        """The current minute, computed from the last stored one."""
        last = LAST_MINUTE.get(self.status.upper())
        if self.elapsed is None or self.elapsed_at is None or last is None:
            return self.elapsed
        return min(self.elapsed + int((now - self.elapsed_at).total_seconds() // 60), last)


def new_fixture(
    sighting: FixtureSighting,
    state: FixtureState,
    now: datetime,
    added_by: AddedBy = AddedBy.TRACKED,
) -> Fixture:
    return Fixture(
        id=sighting.fixture_id,
        kickoff=sighting.kickoff,
        status=sighting.status,
        league=sighting.league,
        home=sighting.home,
        away=sighting.away,
        state=state,
        goals=(sighting.goals_home, sighting.goals_away),
        listed=sighting.listed,
        elapsed=sighting.elapsed,
        elapsed_at=now,
        added_by=added_by,
    )


def has_unknown_status(sighting: FixtureSighting) -> bool:
    """F1: a fixture with an unknown status is reported, never dropped."""
    return state_of(sighting.status) is None
