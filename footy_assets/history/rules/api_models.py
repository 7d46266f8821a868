"""The fields that we read of API-Football's responses about past seasons."""

from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


class HistoryModel(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


def _null_to_zero(value: Any) -> Any:
    return 0 if value is None else value


def _blank_to_none(value: Any) -> Any:
    return None if value in ("", "0000-00-00", 0) else value


def _date_or_none(value: Any) -> Any:
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        return None


# The provider write_count null where it means none.
Count = Annotated[int, BeforeValidator(_null_to_zero)]
Day = Annotated[date | None, BeforeValidator(_blank_to_none)]
# Some old transfers have no date, or an invalid one ("010897").
TransferDay = Annotated[date | None, BeforeValidator(_date_or_none)]
Id = Annotated[int | None, BeforeValidator(_blank_to_none)]


class HistoryLeague(HistoryModel):
    id: int
    name: str
    type: str | None = None


class HistoryCountry(HistoryModel):
    name: str | None = None


class HistorySeasonSpan(HistoryModel):
    year: int
    start: date
    end: date
    current: bool = False


class HistoryLeagueEntry(HistoryModel):
    league: HistoryLeague
    country: HistoryCountry = HistoryCountry()
    seasons: list[HistorySeasonSpan]


class HistoryTeam(HistoryModel):
    id: int
    name: str
    code: str | None = None
    country: str | None = None
    founded: int | None = None


class HistoryTeamVenue(HistoryModel):
    id: Id = None


class HistoryTeamEntry(HistoryModel):
    team: HistoryTeam
    venue: HistoryTeamVenue = HistoryTeamVenue()


class HistoryVenue(HistoryModel):
    id: int
    name: str | None = None
    address: str | None = None
    city: str | None = None
    country: str | None = None
    capacity: int | None = None
    surface: str | None = None


class IdAndName(HistoryModel):
    id: Id = None
    name: str | None = None


class LeagueAndSeason(HistoryModel):
    id: Id = None
    season: int | None = None


class Total(HistoryModel):
    total: Count = 0


class MatchTotals(HistoryModel):
    played: Total
    wins: Total
    draws: Total
    loses: Total


class GoalTotal(HistoryModel):
    total: Total


class TeamGoals(HistoryModel):
    scored: GoalTotal = Field(alias="for")
    against: GoalTotal


class HistoryTeamStatistics(HistoryModel):
    league: LeagueAndSeason
    team: IdAndName
    fixtures: MatchTotals
    goals: TeamGoals
    clean_sheet: Total = Total()
    failed_to_score: Total = Total()


class Birth(HistoryModel):
    day: Day = Field(None, alias="date")


class HistoryPlayer(HistoryModel):
    id: int
    name: str
    firstname: str | None = None
    lastname: str | None = None
    birth: Birth = Birth()
    nationality: str | None = None
    height: str | None = None
    weight: str | None = None


class Games(HistoryModel):
    appearances: Count = Field(0, alias="appearences")
    lineups: Count = 0
    minutes: Count = 0
    number: int | None = None
    position: str | None = None
    rating: float | None = None


class PlayerGoals(HistoryModel):
    total: Count = 0
    assists: Count = 0


class Cards(HistoryModel):
    yellow: Count = 0
    # Sent off by a second yellow card; `red` counts only direct red cards.
    yellowred: Count = 0
    red: Count = 0

    @property
    def sent_off(self) -> int:
        return self.yellowred + self.red


class HistoryPlayerStatistics(HistoryModel):
    """A player's statistics for one team in one competition of one season."""

    team: IdAndName
    league: LeagueAndSeason
    games: Games = Games()
    goals: PlayerGoals = PlayerGoals()
    cards: Cards = Cards()


class HistoryPlayerEntry(HistoryModel):
    player: HistoryPlayer
    statistics: list[HistoryPlayerStatistics]


class TransferTeams(HistoryModel):
    into: IdAndName = Field(alias="in")
    out: IdAndName


class Transfer(HistoryModel):
    day: TransferDay = Field(None, alias="date")
    type: str | None = None
    teams: TransferTeams


class HistoryTransfers(HistoryModel):
    player: IdAndName
    transfers: list[Transfer] = Field(default_factory=list)


class FixtureCore(HistoryModel):
    id: int
    kickoff: str = Field(alias="date", pattern=r"^\d{4}-\d{2}-\d{2}T")


class FixtureTeams(HistoryModel):
    home: IdAndName
    away: IdAndName


class FixtureLeague(LeagueAndSeason):
    round: str | None = None


class HistoryFixture(HistoryModel):
    fixture: FixtureCore
    league: FixtureLeague
    teams: FixtureTeams
