"""ESPN's answers: only the fields that we use, because the answers are large.

A part that no goal depends on, such as the venue, is None where it cannot be read. Lists stay raw
and are parsed one by one: an invalid entry spoils no other.
"""

import re
from functools import lru_cache
from typing import Annotated, Any, TypeVar

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetPydanticSchema,
    ValidationError,
)
from pydantic_core import CoreSchema, core_schema

from resources.json_parts import NULL, RAW, RawJson, to_bytes, used_parts
from resources.pieces import first_problem

Part = TypeVar("Part")
CACHED_TEAMS = 1024
WHOLE_NUMBER = re.compile(r"\d{1,4}(\.0+)?")


def _number(value: Any) -> int | None:
    """ "2" on a scoreboard, {"value": 2.0, "displayValue": "2"} in the schedule of a team."""
    if isinstance(value, dict):
        value = value.get("displayValue") or value.get("value")
    text = "" if isinstance(value, bool) else str(value).strip()
    return int(float(text)) if WHOLE_NUMBER.fullmatch(text) else None


# A number is read as a text. In the schema and not in Python: an answer has thousands of them.
Id = Annotated[str, Field(min_length=1, coerce_numbers_to_str=True)]


def _number_schema(source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
    digits = core_schema.str_schema(pattern="^[0-9]{1,4}$", strict=True)
    usual = core_schema.chain_schema([digits, core_schema.int_schema()])
    other = core_schema.no_info_plain_validator_function(_number)
    return core_schema.union_schema([usual, other], mode="left_to_right")


def _none_if_invalid(part: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
    """In the schema and not in Python: an answer has thousands of such parts."""
    schema = handler(part)
    return core_schema.with_default_schema(schema, default=None, on_error="default")


Number = Annotated[int | None, GetPydanticSchema(_number_schema)]
# `OrNone[EspnVenue]`: None where it is missing or cannot be read.
OrNone = Annotated[Part | None, GetPydanticSchema(_none_if_invalid)]
RawList = OrNone[list[Any]]


class EspnModel(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)


class EspnNamed(EspnModel):
    """A player, or the team or athlete of an event; commentary has names only."""

    id: OrNone[Id] = None
    display_name: OrNone[str] = Field(None, alias="displayName")


class EspnAddress(EspnModel):
    href: str


class EspnTeam(EspnModel):
    id: Id
    display_name: OrNone[str] = Field(None, alias="displayName")
    short_name: OrNone[str] = Field(None, alias="shortDisplayName")
    name: OrNone[str] = None
    location: OrNone[str] = None
    abbreviation: OrNone[str] = None
    logo: OrNone[str] = None
    logos: OrNone[list[EspnAddress]] = None


def _team(value: Any) -> EspnTeam:
    return value if isinstance(value, EspnTeam) else _parse_team(to_bytes(value))


@lru_cache(maxsize=CACHED_TEAMS)
def _parse_team(content: bytes) -> EspnTeam:
    """Cached: it is the same in every answer."""
    try:
        return EspnTeam.model_validate(used_parts(EspnTeam, content))
    except ValidationError as error:
        raise ValueError(first_problem(error)) from None


class EspnFigure(EspnModel):
    name: str
    value: Number = Field(None, alias="displayValue")


class EspnCompetitor(EspnModel):
    """`score` has no kicks of a shoot-out. It is 0 before kick-off, too."""

    home_away: str = Field(alias="homeAway")
    team: Annotated[EspnTeam, RAW, BeforeValidator(_team)]
    score: Number = None
    shootout_score: Number = Field(None, alias="shootoutScore")
    winner: OrNone[bool] = None
    statistics: OrNone[list[EspnFigure]] = None


class EspnStatusType(EspnModel):
    name: str = ""
    state: str
    completed: bool = False


class EspnStatus(EspnModel):
    """`period`: 1 and 2 are halves, 3 and 4 extra time, 5 the shoot-out."""

    type: EspnStatusType
    display_clock: OrNone[str] = Field(None, alias="displayClock")
    period: OrNone[int] = None


class EspnVenue(EspnModel):
    full_name: str = Field(alias="fullName")


class EspnCompetition(EspnModel):
    competitors: list[EspnCompetitor]
    status: EspnStatus | None = None
    venue: OrNone[EspnVenue] = None
    time_valid: OrNone[bool] = Field(None, alias="timeValid")
    # Goals and cards.
    details: RawJson = NULL


class EspnSeason(EspnModel):
    year: int


class EspnLeague(EspnModel):
    id: OrNone[Id] = None
    slug: OrNone[str] = None
    name: OrNone[str] = None
    season: OrNone[EspnSeason] = None


class EspnEvent(EspnModel):
    """A match. `league` is there in the schedule of a team only."""

    id: Id
    uid: OrNone[str] = None
    date: AwareDatetime
    season: OrNone[EspnSeason] = None
    league: OrNone[EspnLeague] = None
    status: OrNone[EspnStatus] = None
    competitions: list[EspnCompetition] = Field(min_length=1)


class EspnClock(EspnModel):
    """`value` in seconds stops at 45 and 90 minutes in stoppage time; the text goes on."""

    text: OrNone[str] = Field(None, alias="displayValue")
    value: OrNone[float] = None


class EspnType(EspnModel):
    id: OrNone[Id] = None
    text: OrNone[str] = None


class EspnPeriod(EspnModel):
    number: int


class EspnParticipant(EspnModel):
    athlete: OrNone[EspnNamed] = None


class EspnPlay(EspnModel):
    """An entry of `details`, `keyEvents` or `commentary[].play`.

    `team` is credited with the goal, also with an own goal. A scoreboard lists its players as
    `athletesInvolved`, a summary as `participants`.
    """

    id: OrNone[Id] = None
    type: OrNone[EspnType] = None
    text: OrNone[str] = None
    clock: OrNone[EspnClock] = None
    period: OrNone[EspnPeriod] = None
    team: OrNone[EspnNamed] = None
    scoring: bool | None = Field(None, alias="scoringPlay")
    penalty: bool | None = Field(None, alias="penaltyKick")
    own_goal: bool | None = Field(None, alias="ownGoal")
    shootout: bool | None = None
    yellow_card: bool | None = Field(None, alias="yellowCard")
    red_card: bool | None = Field(None, alias="redCard")
    athletes: OrNone[list[EspnNamed]] = Field(None, alias="athletesInvolved")
    participants: OrNone[list[EspnParticipant]] = None

    @property
    def people(self) -> list[EspnNamed]:
        if self.athletes is not None:
            return self.athletes
        return [one.athlete or EspnNamed() for one in self.participants or ()]


class EspnComment(EspnModel):
    text: OrNone[str] = None
    time: OrNone[EspnClock] = None
    play: EspnPlay | None = None


class EspnPosition(EspnModel):
    abbreviation: str


class EspnRosterPlayer(EspnModel):
    """Of a line-up, where the athlete is a part of it, or of a squad, where it is the athlete.

    Substitutions are read from the events: `subbedIn` is a bool or an object.
    """

    athlete: OrNone[EspnNamed] = None
    id: OrNone[Id] = None
    display_name: OrNone[str] = Field(None, alias="displayName")
    starter: OrNone[bool] = None
    jersey: Number = None
    position: OrNone[EspnPosition] = None


class EspnRoster(EspnModel):
    home_away: OrNone[str] = Field(None, alias="homeAway")
    team: OrNone[EspnNamed] = None
    formation: OrNone[str] = None
    roster: RawList = None


class EspnHeader(EspnModel):
    competitions: list[EspnCompetition] = Field(min_length=1)


class EspnScoreboard(EspnModel):
    """`events` are matches."""

    events: list[RawJson]
    leagues: RawJson = NULL


class EspnSummary(EspnModel):
    header: EspnHeader
    key_events: RawList = Field(None, alias="keyEvents")
    commentary: RawList = None
    rosters: RawList = None


class EspnSquad(EspnModel):
    """`athletes`, all in one list or in groups by position, each with its `items`."""

    athletes: list[Any]
