"""The answers of football-data.org v4: fields that we use are typed, unknown fields are kept."""

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


class FdOfTeam(FdModel):
    id: int | None = None


class FdNamed(FdModel):
    name: str | None = None


class FdCompetition(FdNamed):
    """`code` is a short name that does not change: PL."""

    code: str | None = None


class FdPair(FdModel):
    home: int | None = None
    away: int | None = None


class FdScore(FdModel):
    """`full_time` is the current score and includes the kicks of a shoot-out; the parts below come
    with extra time only. `duration` also shows how far a running match is."""

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
    scorer: FdNamed | None = None
    score: FdPair | None = None


class FdBooking(FdModel):
    team: FdOfTeam


class FdMatch(FdModel):
    """`goals` are None unless they were requested, and the plan includes them. `status` may be the
    kickoff, as a timestamp."""

    id: int
    utc_date: AwareDatetime = Field(alias="utcDate")
    status: str
    minute: int | None = None
    injury_time: int | None = Field(None, alias="injuryTime")
    venue: str | None = None
    area: FdNamed | None = None
    competition: FdCompetition = FdCompetition()
    home: FdTeam = Field(alias="homeTeam")
    away: FdTeam = Field(alias="awayTeam")
    score: FdScore = FdScore()
    goals: list[FdGoal] | None = None
    bookings: list[FdBooking] | None = None


class FdAnswer(FdModel):
    """`matches` stay raw and are parsed one by one: an invalid one spoils no other."""

    matches: list[Any]
