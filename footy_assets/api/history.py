"""Y5–Y7, Y11 over HTTP: past seasons, started, looked at, retried, advanced, backfilled."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, ConfigDict, Field

from footy_assets.api.asking import NOT_TOLD, Who, Why, asked
from footy_assets.api.guard import MayChange
from footy_assets.api.parts import Parts, Shared
from footy_assets.api.problems import CHANGING
from footy_assets.api.tagged import TaggedRoute
from footy_assets.history.key import FIRST_SEASON, LAST_LEAGUE, LAST_SEASON, LeagueSeason
from footy_assets.history.tiers import SagaState, Tier
from footy_assets.operations import history_seasons
from footy_assets.operations.history_start import history_rules, start
from footy_assets.store.history import HistoryStore

router = APIRouter(
    prefix="/api/sourcing/historical/seasons",
    route_class=TaggedRoute,
    tags=["history"],
    responses=CHANGING,
)

Key = Annotated[str, Path(pattern=r"^[0-9]{1,9}:[0-9]{4}$", description="As 39:2023.")]


class WantedSeason(BaseModel):
    model_config = ConfigDict(extra="forbid")

    league: int = Field(ge=1, le=LAST_LEAGUE, description="The league's id, as in 39.")
    season: int = Field(
        ge=FIRST_SEASON, le=LAST_SEASON, description="The year in which it begins, as in 2023."
    )
    refresh: bool = Field(False, description="Look at what is there already once more.")


class TierRow(BaseModel):
    started_at: datetime | None
    processed: int
    failed: int
    total: int
    planned: bool = Field(description="Until it is, nobody knows the total.")
    complete: bool
    empty: bool


class BackfillRow(BaseModel):
    id: str
    asked_at: datetime
    by: str
    days: list[str]
    launched: str | None = Field(description="Dagster's backfill, once there is one.")


class SeasonRow(BaseModel):
    key: str
    league: int
    season: int
    state: SagaState
    since: datetime | None
    correlation_id: str
    started_at: datetime
    started_by: str
    complete: bool
    stalled: bool
    waiting_minutes: float
    resume_at: datetime | None = Field(description="No request before.")
    resume_because: str | None = Field(
        description="What went wrong; null where the quota is the live pipeline's until then."
    )
    tiers: dict[Tier, TierRow]
    backfill: BackfillRow | None


class FailedDocument(BaseModel):
    tier: Tier
    url: str
    state: str
    failures: int
    due_at: datetime | None
    reason: str | None


class SeasonStatus(SeasonRow):
    failed_documents: list[FailedDocument]
    signals: int
    documents: int
    history: list[dict[str, Any]]


class Advanced(BaseModel):
    key: str
    state: SagaState


class Retried(BaseModel):
    key: str
    documents_due: int


class Backfilled(BaseModel):
    key: str
    matchdays: list[str]


@router.get("", summary="Every season that was started")
def listing(parts: Shared) -> list[SeasonRow]:
    now, rules = parts.clock.now(), history_rules(parts.settings)
    return [
        SeasonRow.model_validate(history_seasons.summary(one, now, rules))
        for one in store(parts).seasons()
    ]


@router.post(
    "",
    summary="Source a season",
    status_code=202,
    responses={200: {"description": "It had begun before", "model": SeasonRow}},
    dependencies=[MayChange],
)
def begin(parts: Shared, wanted: WantedSeason, response: Response, who: Who = None) -> SeasonRow:
    """202 if this began it; 200 with the running one if it had begun before."""
    key, seasons = LeagueSeason(wanted.league, wanted.season), store(parts)
    if seasons.season(key) is not None and not wanted.refresh:
        response.status_code = 200
    by = asked(parts, who, NOT_TOLD).who
    record = start(seasons, parts.clock, key, by, wanted.refresh)
    told = history_seasons.summary(record, parts.clock.now(), history_rules(parts.settings))
    return SeasonRow.model_validate(told)


@router.get("/{key}", summary="How far a season is, and what is missing")
def one(parts: Shared, key: Key) -> SeasonStatus:
    rules, season = history_rules(parts.settings), LeagueSeason.parse(key)
    told = history_seasons.status(store(parts), parts.clock, season, rules)
    return SeasonStatus.model_validate(told)


@router.post("/{key}/advance", summary="Start the next tier by hand", dependencies=[MayChange])
def advance(parts: Shared, key: Key, why: Why = NOT_TOLD, who: Who = None) -> Advanced:
    season = LeagueSeason.parse(key)
    saga = history_seasons.advance(store(parts), asked(parts, who, why), season)
    return Advanced(key=key, state=saga.state)


@router.post(
    "/{key}/retry", summary="Try again what failed", status_code=202, dependencies=[MayChange]
)
def retry(parts: Shared, key: Key, why: Why = NOT_TOLD, who: Who = None) -> Retried:
    season = LeagueSeason.parse(key)
    due = history_seasons.retry(store(parts), asked(parts, who, why), season)
    return Retried(key=key, documents_due=due)


@router.post(
    "/{key}/backfill",
    summary="Backfill the season's goals",
    status_code=202,
    dependencies=[MayChange],
)
def backfill(parts: Shared, key: Key, why: Why = NOT_TOLD, who: Who = None) -> Backfilled:
    season = LeagueSeason.parse(key)
    days = history_seasons.backfill(store(parts), asked(parts, who, why), season)
    return Backfilled(key=key, matchdays=days)


def store(parts: Parts) -> HistoryStore:
    return HistoryStore(parts.database)
