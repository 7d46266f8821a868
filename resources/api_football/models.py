"""The answers of API-Football v3: fields that we use are typed, unknown fields are kept."""

from datetime import date, datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from resources.json_parts import NULL, RawItems, RawJson, decode


class ApiModel(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class Paging(ApiModel):
    current: int = 1
    total: int = 1


class Envelope(ApiModel):
    """Every answer. `errors` is a list when empty and an object when not; `content` is its
    `response`, a list or an object whose items are still JSON."""

    errors: list[Any] | dict[str, Any] = Field(default_factory=list)
    results: int = 0
    paging: Paging = Paging()
    content: RawItems = Field(default_factory=list, alias="response")

    @property
    def response(self) -> Any:
        if isinstance(self.content, dict):
            return {name: decode(item) for name, item in self.content.items()}
        return list(map(decode, self.content))

    @property
    def items(self) -> list[bytes]:
        """Each still JSON; none of an object."""
        return self.content if isinstance(self.content, list) else []

    @property
    def complaints(self) -> dict[str, str]:
        if isinstance(self.errors, dict):
            return {str(name): str(text) for name, text in self.errors.items()}
        return {str(index): str(text) for index, text in enumerate(self.errors)}


class ApiStatus(ApiModel):
    short: str
    long: str | None = None
    elapsed: int | None = None
    extra: int | None = None


class ApiFixtureCore(ApiModel):
    id: int
    date: datetime
    status: ApiStatus

    @field_validator("date")
    @classmethod
    def _needs_a_zone(cls, value: datetime) -> datetime:
        if value.tzinfo is None:
            raise ValueError("kickoff has no time zone")
        return value


class ApiLeague(ApiModel):
    id: int
    name: str | None = None
    country: str | None = None
    season: int | None = None
    round: str | None = None


class ApiTeam(ApiModel):
    id: int
    name: str | None = None
    logo: str | None = None
    winner: bool | None = None


class ApiTeams(ApiModel):
    home: ApiTeam
    away: ApiTeam


class ApiScore(ApiModel):
    home: int | None = None
    away: int | None = None


class ApiTime(ApiModel):
    elapsed: int
    extra: int | None = None


class ApiPerson(ApiModel):
    id: int | None = None
    name: str | None = None


class ApiEventTeam(ApiModel):
    id: int | None = None
    name: str | None = None


class ApiEvent(ApiModel):
    time: ApiTime
    team: ApiEventTeam
    player: ApiPerson | None = None
    assist: ApiPerson | None = None
    type: str
    detail: str | None = None
    comments: str | None = None


class ApiFigure(ApiModel):
    type: str
    value: int | float | str | None = None


class ApiTeamFigures(ApiModel):
    team: ApiEventTeam
    statistics: list[ApiFigure]


class ApiFixture(ApiModel):
    """`events` and `statistics` stay JSON and are parsed one by one: an invalid one does not spoil
    the match. The rest, such as line-ups, is not decoded."""

    fixture: ApiFixtureCore
    league: ApiLeague
    teams: ApiTeams
    goals: ApiScore = ApiScore()
    events: RawJson = NULL
    statistics: RawJson = NULL


class ApiSeason(ApiModel):
    year: int
    start: date
    end: date


class ApiLeagueSeasons(ApiModel):
    seasons: list[ApiSeason] = Field(default_factory=list)


class ApiTeamEntry(ApiModel):
    team: ApiTeam


class ApiTeamDetail(ApiModel):
    id: int
    name: str
    code: str | None = None
    country: str | None = None
    national: bool = False


class ApiVenue(ApiModel):
    """All fields are null for a team without a venue."""

    name: str | None = None
    city: str | None = None


class ApiTeamProfile(ApiModel):
    """`/teams?id`: a team with its venue."""

    team: ApiTeamDetail
    venue: ApiVenue | None = None


class ApiAccount(ApiModel):
    """`/status`: does not count against the quota."""

    account: dict[str, Any] = Field(default_factory=dict)
    subscription: dict[str, Any] = Field(default_factory=dict)
    requests: dict[str, Any] = Field(default_factory=dict)

    @property
    def plan(self) -> str | None:
        return str(self.subscription.get("plan") or "").strip() or None

    @property
    def day_limit(self) -> int | None:
        limit = self.requests.get("limit_day")
        return limit if isinstance(limit, int) else None

    @property
    def day_remaining(self) -> int | None:
        used, limit = self.requests.get("current"), self.day_limit
        return max(0, limit - used) if limit is not None and isinstance(used, int) else None

    @property
    def is_used_up(self) -> bool:
        return self.day_remaining == 0


class ApiListedPlayer(ApiModel):
    """A player of a line-up, who has `pos`, or of a squad, who has `position`.

    `id` is 0 or null for a player that it has no id for.
    """

    id: int | None = None
    name: str | None = None
    number: int | None = None
    pos: str | None = None
    position: str | None = None


class ApiLineUpEntry(ApiModel):
    player: ApiListedPlayer


class ApiLineUp(ApiModel):
    """`/fixtures/lineups`: one for each side. Players stay raw and are parsed one by one."""

    team: ApiTeam
    formation: str | None = None
    starters: list[Any] | None = Field(None, alias="startXI")
    substitutes: list[Any] | None = None


class ApiSquad(ApiModel):
    """`/players/squads`. Players stay raw and are parsed one by one."""

    team: ApiTeam
    players: list[Any] | None = None
