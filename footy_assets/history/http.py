"""The HTTP API of past seasons: start, list, status, retry, advance, backfill (Y5–Y7, Y11)."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, ConfigDict, Field

from footy_assets.gallery.etags import ETagRoute
from footy_assets.gallery.guard import MayChange
from footy_assets.gallery.operator_requests import Who, Why, operator_action
from footy_assets.gallery.problems import CHANGING
from footy_assets.gallery.services import AppServices, Services
from footy_assets.history import operator_actions
from footy_assets.history.progress import season_status, season_summary
from footy_assets.history.rules.key import FIRST_SEASON, LAST_LEAGUE, LAST_SEASON, LeagueSeason
from footy_assets.history.rules.tiers import SagaState, Tier
from footy_assets.history.start import start
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.operator_actions import NO_REASON
from footy_assets.policies import history_rules

router = APIRouter(
    prefix="/api/sourcing/historical/seasons",
    route_class=ETagRoute,
    tags=["history"],
    responses=CHANGING,
)

Key = Annotated[str, Path(pattern=r"^[0-9]{1,9}:[0-9]{4}$", description="As 39:2023.")]


class WantedSeason(BaseModel):
    model_config = ConfigDict(extra="forbid")

    league: int = Field(ge=1, le=LAST_LEAGUE, description="A league id, for example 39.")
    season: int = Field(
        ge=FIRST_SEASON,
        le=LAST_SEASON,
        description="The year in which it starts, for example 2023.",
    )
    refresh: bool = Field(False, description="Fetch again what is already stored.")


class TierRow(BaseModel):
    started_at: datetime | None
    completed_at: datetime | None = Field(
        description="When its last document was processed, while it is complete."
    )
    processed: int
    failed: int
    total: int
    planned: bool = Field(description="Whether the total is final.")
    complete: bool
    empty: bool
    signals: int = Field(description="Flagged documents that were processed.")


class BackfillRow(BaseModel):
    id: str
    asked_at: datetime
    by: str
    days: list[str]
    launched: str | None = Field(description="Id of the Dagster backfill, once it is launched.")


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
    resume_at: datetime | None = Field(description="Time before which no request is sent.")
    resume_because: str | None = Field(
        description="The error; null if the quota is reserved for the live pipeline until then."
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
def listing(services: Services) -> list[SeasonRow]:
    now, rules = services.clock.now(), history_rules(services.settings)
    return [
        SeasonRow.model_validate(season_summary(one, now, rules))
        for one in store(services).seasons()
    ]


@router.post(
    "",
    summary="Source a season",
    status_code=202,
    responses={200: {"description": "It had begun before", "model": SeasonRow}},
    dependencies=[MayChange],
)
def begin(
    services: Services, wanted: WantedSeason, response: Response, who: Who = None
) -> SeasonRow:
    """202 if this call starts the season; 200 if it was started before."""
    key, seasons = LeagueSeason(wanted.league, wanted.season), store(services)
    if seasons.season(key) is not None and not wanted.refresh:
        response.status_code = 200
    by = operator_action(services, who, NO_REASON).who
    record = start(seasons, services.clock, key, by, wanted.refresh)
    summary = season_summary(record, services.clock.now(), history_rules(services.settings))
    return SeasonRow.model_validate(summary)


@router.get("/{key}", summary="How far a season is, and what is missing")
def one(services: Services, key: Key) -> SeasonStatus:
    rules, season = history_rules(services.settings), LeagueSeason.parse(key)
    status = season_status(store(services), services.clock, season, rules)
    return SeasonStatus.model_validate(status)


@router.post("/{key}/advance", summary="Start the next tier by hand", dependencies=[MayChange])
def advance(services: Services, key: Key, why: Why = NO_REASON, who: Who = None) -> Advanced:
    season = LeagueSeason.parse(key)
    saga = operator_actions.advance(store(services), operator_action(services, who, why), season)
    return Advanced(key=key, state=saga.state)


@router.post(
    "/{key}/retry", summary="Try again what failed", status_code=202, dependencies=[MayChange]
)
def retry(services: Services, key: Key, why: Why = NO_REASON, who: Who = None) -> Retried:
    season = LeagueSeason.parse(key)
    due = operator_actions.retry(store(services), operator_action(services, who, why), season)
    return Retried(key=key, documents_due=due)


@router.post(
    "/{key}/backfill",
    summary="Backfill the season's goals",
    status_code=202,
    dependencies=[MayChange],
)
def backfill(services: Services, key: Key, why: Why = NO_REASON, who: Who = None) -> Backfilled:
    season = LeagueSeason.parse(key)
    days = operator_actions.backfill(store(services), operator_action(services, who, why), season)
    return Backfilled(key=key, matchdays=days)


def store(services: AppServices) -> HistoryStore:
    return HistoryStore(services.database)
