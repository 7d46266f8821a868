"""Health of the providers over HTTP: `/status`, conflicts, and a manual recycle."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from fastapi import APIRouter, Request, Response
from fastapi.encoders import jsonable_encoder

from footy_assets.gallery.guard import MayChange
from footy_assets.gallery.http import status as gallery_status
from footy_assets.gallery.models import Accepted
from footy_assets.gallery.problems import READING
from footy_assets.gallery.services import AppServices, Services
from footy_assets.gallery.videos import FixtureId
from footy_assets.policies import browser_limits, lifecycle_limits
from footy_assets.providers.configuration import status_summary
from footy_assets.providers.connection import ProvidersFileLoader
from footy_assets.providers.explain import explain_match
from footy_assets.providers.health import HealthMonitor
from footy_assets.providers.rules.recovery import Action
from footy_assets.providers.store.provider_state import ProviderState
from footy_assets.providers.store.snapshots import MergedSnapshots

CACHED_FOR = timedelta(seconds=5)

router = APIRouter(responses=READING)


@dataclass(slots=True)
class CachedSummary:
    """A summary, cached so that MongoDB is queried at most every five seconds."""

    at: datetime
    summary: dict[str, Any]


@router.api_route("/status", methods=["GET", "HEAD"], include_in_schema=False)
def status(request: Request, services: Services, response: Response) -> dict[str, Any]:
    """The state of every part, and the health of the providers (null without a database)."""
    found = gallery_status(services, response).model_dump()
    down = {part["name"] for part in found["parts"] if part["state"] == "down"}
    return {**found, "sources": None if "MongoDB" in down else cached_summary(request, services)}


@router.get("/api/v1/sources", summary="The health of the football providers", tags=["sources"])
def providers(request: Request, services: Services) -> dict[str, Any]:
    return cached_summary(request, services)


@router.get("/api/v1/sources/conflicts", summary="Conflicts between providers", tags=["sources"])
def conflicts(services: Services) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = jsonable_encoder(MergedSnapshots(services.database).conflicts())
    return found


@router.get("/api/v1/sources/matches/{fixture_id}", summary="A match by field", tags=["sources"])
def match(fixture_id: FixtureId, services: Services) -> dict[str, Any]:
    """A match field by field with the provider of each value, its recent changes, and the ids that
    providers have for it and its teams."""
    explanation = explain_match(services.database, fixture_id, services.clock.now())
    found: dict[str, Any] = jsonable_encoder(explanation)
    return found


@router.post("/admin/recycle", status_code=202, dependencies=[MayChange], include_in_schema=False)
def recycle(services: Services) -> Accepted:
    """Requests a recycle; it runs once the requests under way have ended."""
    id_ = uuid4().hex
    ProviderState(services.database).request_recovery(
        Action.MANUAL, "requested over HTTP", id_, services.clock.now()
    )
    return Accepted(accepted=True, detail=f"recovery {id_}; see /status")


def cached_summary(request: Request, services: AppServices) -> dict[str, Any]:
    now = services.clock.now()
    cached: CachedSummary | None = getattr(request.app.state, "providers_summary", None)
    if cached is None or not timedelta(0) <= now - cached.at < CACHED_FOR:
        settings, load_file = services.settings, ProvidersFileLoader(services.settings)
        monitor = HealthMonitor(services.database, load_file)
        limits = lifecycle_limits(settings), browser_limits(settings)
        summary = status_summary(monitor, load_file(), *limits, now)
        cached = CachedSummary(now, jsonable_encoder(summary))
        request.app.state.providers_summary = cached
    return cached.summary
