"""The answers of football-data.org v4: fields that we use are typed, unknown fields are kept."""

from datetime import date
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field


class FdModel(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class FdTeam(FdModel):
    """All are None for a team that is not decided yet: the winner of another match."""

    id: int | None = None
    name: str | None = None
    short_name: str | None = Field(None, alias="shortName")
    tla: str | None = None
    crest: str | None = None


class FdOfTeam(FdModel):
    id: int | None = None


class FdNamed(FdModel):
    name: str | None = None


class FdPerson(FdNamed):
    id: int | None = None


class FdCompetition(FdNamed):
    """`code` is a short name that does not change: PL."""

    id: int | None = None
    code: str | None = None


class FdSeason(FdModel):
    start: date | None = Field(None, alias="startDate")


class FdPair(FdModel):
    home: int | None = None
    away: int | None = None


class FdScore(FdModel):
    """`full_time` is the current score and includes the kicks of a shoot-out; the parts below come
    with extra time only. `duration` also shows how far a running match is."""

    winner: str | None = None
    duration: str = "REGULAR"
    full_time: FdPair = Field(FdPair(), alias="fullTime")
    regular_time: FdPair | None = Field(None, alias="regularTime")
    extra_time: FdPair | None = Field(None, alias="extraTime")
    penalties: FdPair | None = None


class FdGoal(FdModel):
    minute: int
    injury_time: int | None = Field(None, alias="injuryTime")
    type: str = "REGULAR"
    team: FdOfTeam
    scorer: FdPerson | None = None
    assist: FdPerson | None = None
    score: FdPair | None = None


class FdBooking(FdModel):
    minute: int
    injury_time: int | None = Field(None, alias="injuryTime")
    team: FdOfTeam
    player: FdPerson | None = None
    card: str = "YELLOW"


class FdMatch(FdModel):
    """`goals` and `bookings` are None unless they were requested, and the plan includes them; they
    stay raw and are parsed one by one. `status` may be the kickoff, as a timestamp."""

    id: int
    utc_date: AwareDatetime = Field(alias="utcDate")
    status: str
    minute: int | None = None
    injury_time: int | None = Field(None, alias="injuryTime")
    venue: str | None = None
    matchday: int | None = None
    stage: str | None = None
    area: FdNamed | None = None
    competition: FdCompetition = FdCompetition()
    season: FdSeason | None = None
    home: FdTeam = Field(alias="homeTeam")
    away: FdTeam = Field(alias="awayTeam")
    score: FdScore = FdScore()
    goals: list[Any] | None = None
    bookings: list[Any] | None = None


class FdAnswer(FdModel):
    """`matches` stay raw and are parsed one by one: an invalid one spoils no other."""

    matches: list[Any]
