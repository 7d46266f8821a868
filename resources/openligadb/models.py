"""The answers of OpenLigaDB: fields that we use are typed, unknown fields are kept."""

from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter


class OldbModel(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class OldbTeam(OldbModel):
    """`name` is null or empty in a round of a cup that is not drawn yet."""

    id: int | None = Field(None, alias="teamId")
    name: str | None = Field(None, alias="teamName")
    short_name: str | None = Field(None, alias="shortName")
    icon: str | None = Field(None, alias="teamIconUrl")


class OldbGroup(OldbModel):
    """A matchday of a league, a round of a cup."""

    name: str | None = Field(None, alias="groupName")
    order: int = Field(alias="groupOrderID")


class OldbResult(OldbModel):
    """A score at one point of the match; `type` says which."""

    type: int = Field(alias="resultTypeID")
    home: int | None = Field(None, alias="pointsTeam1")
    away: int | None = Field(None, alias="pointsTeam2")


class OldbGoal(OldbModel):
    """A goal with the score after it. They come in any order, and some are no goals: see
    `translate.py`."""

    home: int | None = Field(None, alias="scoreTeam1")
    away: int | None = Field(None, alias="scoreTeam2")
    minute: int | None = Field(None, alias="matchMinute")
    scorer_id: int | None = Field(None, alias="goalGetterID")
    scorer: str | None = Field(None, alias="goalGetterName")
    penalty: bool | None = Field(None, alias="isPenalty")
    own_goal: bool | None = Field(None, alias="isOwnGoal")
    extra_time: bool | None = Field(None, alias="isOvertime")


class OldbLocation(OldbModel):
    stadium: str | None = Field(None, alias="locationStadium")


class OldbMatch(OldbModel):
    id: int = Field(alias="matchID")
    kickoff: AwareDatetime = Field(alias="matchDateTimeUTC")
    league: str = Field(alias="leagueShortcut")
    league_name: str | None = Field(None, alias="leagueName")
    season: int | None = Field(None, alias="leagueSeason")
    group: OldbGroup
    home: OldbTeam = Field(alias="team1")
    away: OldbTeam = Field(alias="team2")
    finished: bool | None = Field(None, alias="matchIsFinished")
    results: list[OldbResult] | None = Field(None, alias="matchResults")
    goals: list[OldbGoal] | None = None
    location: OldbLocation | None = None


# An answer: the matches stay raw and are parsed one by one, so that an invalid one spoils no other.
MATCHES = TypeAdapter(list[Any])
# The time of the last change of a matchday, as it comes: we only compare it.
LAST_CHANGE = TypeAdapter(str)
