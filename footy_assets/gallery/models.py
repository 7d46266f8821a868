"""The responses of the API, field by field."""

from datetime import date, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from footy_assets.matchday.rules.goal import EventState
from footy_assets.matchday.rules.sighting import HomeOrAway
from footy_assets.matchday.rules.statuses import FixtureState


class Row(BaseModel):
    model_config = ConfigDict(extra="ignore")


class DateRow(Row):
    date: date
    fixtures: int
    active: int
    completed: int


class FixtureRow(Row):
    fixture_id: int
    state: FixtureState
    status: str
    minute: int | None
    home: str
    away: str
    home_id: int
    away_id: int
    goals_home: int | None
    goals_away: int | None
    kickoff: datetime
    matchday: date
    league: str
    league_id: int
    completed_at: datetime | None
    closed_because: str | None


class LineUpPlayerRow(Row):
    player_id: int | None
    name: str | None
    number: int | None
    position: str | None


class LineUpRow(Row):
    side: HomeOrAway
    team_id: int
    team: str
    formation: str | None
    starters: list[LineUpPlayerRow]
    substitutes: list[LineUpPlayerRow]


class LineUpsAnswer(Row):
    fixture_id: int
    fetched_at: datetime | None = Field(description="Null until both teams have named players.")
    line_ups: list[LineUpRow]


class RenditionRow(Row):
    codec: str = Field(description="hevc, vp9 or av1.")
    codecs: str = Field(description="What a player must know, for the type of a <source>.")
    width: int
    height: int
    url: str = Field(description="Changes when a better copy takes the clip's place.")
    size: int


class ClipRow(Row):
    event_id: str
    clip_id: str
    fixture_id: int
    url: str = Field(description="Stays when a better copy takes the clip's place.")
    page: str
    poster: str
    thumbnail: str
    verified: bool
    verified_by: str = Field(
        description="`match`: clock, teams and score; `clock`: the clock alone; or `nothing`."
    )
    scorebug: str | None = Field(description="What the scorebug in the picture says.")
    clock_minutes: list[int] = Field(description="What the clock in the picture says.")
    text_box: list[int] | None = Field(
        description="Left, top, right and bottom, in pixels, of where clock and scorebug were read."
    )
    text_seconds: list[float] = Field(description="When in the clip.")
    scorebug_picture: str | None = Field(description="That part of the picture.")
    discovered: int = Field(description="In how many posts the same content was found.")
    popularity: int
    rank: int | None
    duration: float
    width: int
    height: int
    size: int
    content_md5: str
    source: str
    source_url: str
    stored_at: datetime
    run_id: str | None = Field(description="Of the Dagster run that stored this copy.")
    replaced: int = Field(description="How often a better copy took its place.")
    renditions: list[RenditionRow] = Field(
        description="The pictures as they were posted, where they are better than the H.264."
    )


class EventRow(Row):
    event_id: str
    fixture_id: int
    matchday: date
    state: EventState
    state_label: str
    team_id: int
    side: HomeOrAway | None
    player_id: int | None
    player_name: str | None
    assist_name: str | None
    elapsed: int
    extra: int | None
    detail: str
    comments: str | None
    score_home: int | None
    score_away: int | None
    first_seen_at: datetime | None
    stable_at: datetime | None
    formerly: list[str]
    removed_because: str | None
    attempts_planned: int
    attempts_counted: int
    clips: list[ClipRow]


class DatePage(Row):
    items: list[DateRow]
    next: str | None


class FixturePage(Row):
    items: list[FixtureRow]
    next: str | None


class EventPage(Row):
    items: list[EventRow]
    next: str | None


class ClipPage(Row):
    items: list[ClipRow]
    next: str | None


class SearchAnswer(Row):
    fixtures: list[FixtureRow]
    events: list[EventRow]


class Story(Row):
    """Everything that led to a goal's clips, or to having none."""

    model_config = ConfigDict(extra="allow")

    event_id: str
    fixture_id: int
    match: str | None
    scorer: str | None
    minute: str
    state: str
    attempts: list[dict[str, Any]]
    videos: list[dict[str, Any]]
    clips: list[dict[str, Any]]


class PartRow(Row):
    name: str
    state: Literal["ok", "down"]
    detail: str
    needed: bool


class StatusAnswer(Row):
    state: Literal["ok", "down"]
    version: str
    parts: list[PartRow]


class Accepted(Row):
    accepted: bool
    detail: str
    run_id: str | None = Field(None, description="Of the Dagster run that does it.")


class RankRow(Row):
    clip_id: str
    rank: int
    verified: bool
    discovered: int
    popularity: int


class AuditRow(Row):
    at: datetime
    who: str
    why: str
    operation: str
    target: str
    outcome: str


class AuditPage(Row):
    items: list[AuditRow]


class Problem(Row):
    """RFC 9457."""

    type: str
    title: str
    status: int
    detail: str | None = None
    fix: str | None = None
    errors: list[dict[str, Any]] | None = None
