"""Y5–Y7, Y11 over HTTP: past seasons, started, looked at, retried, advanced, backfilled."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Path, Response, params
from pydantic import BaseModel, ConfigDict, Field
from pymongo.database import Database

from footy_assets.clock import Clock
from footy_assets.history.key import FIRST_SEASON, LAST_SEASON, LeagueSeason
from footy_assets.history.rules import HistoryRules
from footy_assets.operations import history_seasons
from footy_assets.operations.by_hand import ByHand
from footy_assets.operations.history import start
from footy_assets.store.audit import AuditLog
from footy_assets.store.collections import Document
from footy_assets.store.history import HistoryStore

BY = "api"
Json = dict[str, Any]
Key = Annotated[str, Path(pattern=r"^\d{1,9}:\d{4}$", description="League and season: 39:2023")]


class WantedSeason(BaseModel):
    model_config = ConfigDict(extra="forbid")

    league: int = Field(ge=1, description="The league's id, as in 39.")
    season: int = Field(
        ge=FIRST_SEASON, le=LAST_SEASON, description="The year in which it begins, as in 2023."
    )
    refresh: bool = Field(False, description="Look at what is there already once more.")


class Reason(BaseModel):
    model_config = ConfigDict(extra="forbid")

    why: str = Field("not told", max_length=500, description="Kept in the audit.")


def history_router(
    database: Database[Document] | Callable[[], Database[Document]],
    clock: Clock,
    rules: HistoryRules,
    may_change: Sequence[params.Depends],
    prefix: str = "/api/sourcing/historical/seasons",
) -> APIRouter:
    """`may_change` is asked before anything is changed: whoever mounts this says who may."""
    router, guarded = APIRouter(prefix=prefix, tags=["history"]), list(may_change)

    def store() -> HistoryStore:
        return HistoryStore(database() if callable(database) else database)

    def by(why: str) -> ByHand:
        return ByHand(AuditLog(store().database), clock, BY, why)

    @router.get("", summary="Every season that was started")
    def listing() -> list[Json]:
        return [history_seasons.summary(one, clock.now(), rules) for one in store().seasons()]

    @router.post("", summary="Source a season", status_code=202, dependencies=guarded)
    def begin(wanted: WantedSeason, response: Response) -> Json:
        """202 if this began it; 200 with the running one if it had begun before."""
        key, seasons = LeagueSeason(wanted.league, wanted.season), store()
        if seasons.season(key) is not None and not wanted.refresh:
            response.status_code = 200
        record = start(seasons, clock, key, BY, wanted.refresh)
        return history_seasons.summary(record, clock.now(), rules)

    @router.get("/{key}", summary="How far a season is, and what is missing")
    def one(key: Key) -> Json:
        told: Json = history_seasons.status(store(), clock, LeagueSeason.parse(key), rules)
        return told

    @router.post("/{key}/advance", summary="Start the next tier by hand", dependencies=guarded)
    def advance(key: Key, reason: Reason) -> Json:
        saga = history_seasons.advance(store(), by(reason.why), LeagueSeason.parse(key))
        return {"key": key, "state": str(saga.state)}

    @router.post(
        "/{key}/retry", summary="Try again what failed", status_code=202, dependencies=guarded
    )
    def retry(key: Key, reason: Reason) -> Json:
        due = history_seasons.retry(store(), by(reason.why), LeagueSeason.parse(key))
        return {"key": key, "documents_due": due}

    @router.post(
        "/{key}/backfill",
        summary="Backfill the season's goals",
        status_code=202,
        dependencies=guarded,
    )
    def backfill(key: Key, reason: Reason) -> Json:
        days = history_seasons.backfill(store(), by(reason.why), LeagueSeason.parse(key))
        return {"key": key, "matchdays": days}

    return router
