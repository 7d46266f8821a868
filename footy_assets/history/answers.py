"""API-Football's answers about past seasons, as far as we read them."""

from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


class Told(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


def _or_zero(value: Any) -> Any:
    return 0 if value is None else value


def _or_none(value: Any) -> Any:
    return None if value in ("", "0000-00-00", 0) else value


def _day_or_none(value: Any) -> Any:
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        return None


# The provider writes null where it means none.
Count = Annotated[int, BeforeValidator(_or_zero)]
Day = Annotated[date | None, BeforeValidator(_or_none)]
# Of a career's old moves some have no day, or one that is none ("010897").
MoveDay = Annotated[date | None, BeforeValidator(_day_or_none)]
Id = Annotated[int | None, BeforeValidator(_or_none)]


class ToldLeague(Told):
    id: int
    name: str
    type: str | None = None


class ToldCountry(Told):
    name: str | None = None


class ToldSpan(Told):
    year: int
    start: date
    end: date
    current: bool = False


class ToldSeason(Told):
    league: ToldLeague
    country: ToldCountry = ToldCountry()
    seasons: list[ToldSpan]


class ToldTeam(Told):
    id: int
    name: str
    code: str | None = None
    country: str | None = None
    founded: int | None = None


class ToldGround(Told):
    id: Id = None


class ToldClub(Told):
    team: ToldTeam
    venue: ToldGround = ToldGround()


class ToldVenue(Told):
    id: int
    name: str | None = None
    address: str | None = None
    city: str | None = None
    country: str | None = None
    capacity: int | None = None
    surface: str | None = None


class Named(Told):
    id: Id = None
    name: str | None = None


class OfSeason(Told):
    id: Id = None
    season: int | None = None


class Split(Told):
    total: Count = 0


class Matches(Told):
    played: Split
    wins: Split
    draws: Split
    loses: Split


class Scored(Told):
    total: Split


class Goals(Told):
    scored: Scored = Field(alias="for")
    against: Scored


class ToldTeamSeason(Told):
    league: OfSeason
    team: Named
    fixtures: Matches
    goals: Goals
    clean_sheet: Split = Split()
    failed_to_score: Split = Split()


class Birth(Told):
    day: Day = Field(None, alias="date")


class ToldPlayer(Told):
    id: int
    name: str
    firstname: str | None = None
    lastname: str | None = None
    birth: Birth = Birth()
    nationality: str | None = None
    height: str | None = None
    weight: str | None = None


class Games(Told):
    appearances: Count = Field(0, alias="appearences")
    lineups: Count = 0
    minutes: Count = 0
    number: int | None = None
    position: str | None = None
    rating: float | None = None


class PlayerGoals(Told):
    total: Count = 0
    assists: Count = 0


class Cards(Told):
    yellow: Count = 0
    # Sent off by a second yellow card; `red` counts only those shown at once.
    yellowred: Count = 0
    red: Count = 0

    @property
    def sent_off(self) -> int:
        return self.yellowred + self.red


class ToldFigures(Told):
    """A player's figures for one team in one competition of one season."""

    team: Named
    league: OfSeason
    games: Games = Games()
    goals: PlayerGoals = PlayerGoals()
    cards: Cards = Cards()


class ToldPlayerSeason(Told):
    player: ToldPlayer
    statistics: list[ToldFigures]


class MoveTeams(Told):
    into: Named = Field(alias="in")
    out: Named


class Move(Told):
    day: MoveDay = Field(None, alias="date")
    type: str | None = None
    teams: MoveTeams


class ToldTransfers(Told):
    player: Named
    transfers: list[Move] = Field(default_factory=list)


class FixtureCore(Told):
    id: int
    kickoff: str = Field(alias="date", pattern=r"^\d{4}-\d{2}-\d{2}T")


class FixtureTeams(Told):
    home: Named
    away: Named


class FixtureLeague(OfSeason):
    round: str | None = None


class ToldFixture(Told):
    fixture: FixtureCore
    league: FixtureLeague
    teams: FixtureTeams
