"""How the providers are, over HTTP: `/status`, the conflicts, and a recycle by hand."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from fastapi import APIRouter, Request, Response
from fastapi.encoders import jsonable_encoder

from footy_assets.api import v1
from footy_assets.api.guard import MayChange
from footy_assets.api.models import Accepted
from footy_assets.api.parts import Parts, Shared
from footy_assets.api.problems import READING
from footy_assets.api.videos import FixtureId
from footy_assets.errors import NotFound
from footy_assets.operations.sources_health import Pulse
from footy_assets.operations.sources_story import told_of
from footy_assets.sources.recovery import Action
from footy_assets.store.source_snapshots import SourceSnapshots
from footy_assets.store.source_state import SourceState
from resources.football_sources import SourcesOnDisk

CACHED = timedelta(seconds=5)

router = APIRouter(responses=READING)


@dataclass(slots=True)
class Remembered:
    """The summary as of a moment: however many ask, MongoDB is asked every five seconds."""

    at: datetime
    summary: dict[str, Any]


@router.api_route("/status", methods=["GET", "HEAD"], include_in_schema=False)
def status(request: Request, parts: Shared, response: Response) -> dict[str, Any]:
    """Every part, and the health of the sources: unknown while the database does not answer."""
    found = v1.status(parts, response).model_dump()
    down = {part["name"] for part in found["parts"] if part["state"] == "down"}
    return {**found, "sources": None if "MongoDB" in down else summary_of(request, parts)}


@router.get("/api/v1/sources", summary="The health of the football providers", tags=["sources"])
def sources(request: Request, parts: Shared) -> dict[str, Any]:
    return summary_of(request, parts)


@router.get("/api/v1/sources/conflicts", summary="What providers differ on", tags=["sources"])
def conflicts(parts: Shared) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = jsonable_encoder(SourceSnapshots(parts.database).conflicts())
    return found


@router.get("/api/v1/sources/matches/{fixture_id}", summary="Who said what", tags=["sources"])
def match(fixture_id: FixtureId, parts: Shared) -> dict[str, Any]:
    """What we take a match for, field by field with its source, and what changed of late."""
    told = told_of(SourceSnapshots(parts.database), fixture_id, parts.clock.now())
    found: dict[str, Any] = jsonable_encoder(told)
    return found


@router.post("/admin/recycle", status_code=202, dependencies=[MayChange], include_in_schema=False)
def recycle(parts: Shared) -> Accepted:
    """Whoever runs the sources does it, once what is in flight has ended."""
    if SourcesOnDisk(parts.settings)().alone:
        raise NotFound(
            "there is no provider beside the main one, and nothing to recycle",
            "Describe others in sources.yaml",
        )
    id_ = uuid4().hex
    SourceState(parts.database).ask_for(Action.MANUAL, "asked over HTTP", id_, parts.clock.now())
    return Accepted(accepted=True, detail=f"recovery {id_}; see /status")


def summary_of(request: Request, parts: Parts) -> dict[str, Any]:
    now = parts.clock.now()
    held: Remembered | None = getattr(request.app.state, "sources_summary", None)
    if held is None or not timedelta(0) <= now - held.at < CACHED:
        pulse = Pulse(parts.database, SourcesOnDisk(parts.settings))
        held = Remembered(now, jsonable_encoder(pulse.summary(now)))
        request.app.state.sources_summary = held
    return held.summary
