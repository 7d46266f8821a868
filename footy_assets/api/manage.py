"""P5 over HTTP: what people do by hand, by whoever has the token. One function each.

Each is recorded with who (`X-Footy-Who`) and why, also when it fails.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from typing import Annotated

from fastapi import APIRouter, Body, Query

from footy_assets.api.asking import NOT_TOLD, NeededWhy, Who, Why, asked
from footy_assets.api.guard import MayChange
from footy_assets.api.models import Accepted, AuditPage, AuditRow, RankRow
from footy_assets.api.parts import Parts, Shared
from footy_assets.api.problems import CHANGING
from footy_assets.api.videos import ContentHash, EventName, FixtureId
from footy_assets.archive.keys import VIDEO
from footy_assets.errors import NotFound, ProviderUnavailable
from footy_assets.operations import by_hand, clips_by_hand
from footy_assets.operations.clips import ClipWork
from footy_assets.operations.ingest import Ingest, IngestReport
from footy_assets.operations.rules import following
from footy_assets.store.audit import AuditLog
from footy_assets.store.clips import ClipDocuments
from footy_assets.store.matchdays import MatchdayStore
from footy_assets.store.searches import SearchStore
from resources.api_football.connection import open_football
from resources.clip_work_connection import open_clip_work

router = APIRouter(prefix="/api/v1", dependencies=[MayChange], responses=CHANGING, tags=["by hand"])

MOST_IDS = 100
Day = Annotated[date, Body(embed=True, alias="date", description="As 2025-05-10.")]
Id = Annotated[int, Body(ge=1, lt=2**53)]
Ids = Annotated[list[Id], Body(embed=True, min_length=1, max_length=MOST_IDS)]


# -- fixtures -------------------------------------------------------------------------------


@router.post("/ingest", summary="Bring in the fixtures of a day")
def ingest_day(parts: Shared, day: Day, why: Why = NOT_TOLD, who: Who = None) -> Accepted:
    with _ingest(parts) as ingest:
        return _brought_in(by_hand.ingest_day(ingest, asked(parts, who, why), day))


@router.post("/ingest/fixtures", summary="Bring in fixtures by id, whoever plays")
def ingest_fixtures(parts: Shared, ids: Ids, why: Why = NOT_TOLD, who: Who = None) -> Accepted:
    with _ingest(parts) as ingest:
        report = by_hand.ingest_ids(ingest, asked(parts, who, why), ids)
    answered = not any(failure.fixture_ids for failure in report.failures)
    if answered and not report.kept_ids:
        raise NotFound("the provider knows none of these fixtures")
    return _brought_in(report)


@router.post("/fixtures/{fixture_id}/close", summary="No more polls of it, nor searches")
def close_fixture(
    parts: Shared, fixture_id: FixtureId, why: NeededWhy, who: Who = None
) -> Accepted:
    store, searches = MatchdayStore(parts.database), SearchStore(parts.database)
    closed = by_hand.close_fixture(store, searches, asked(parts, who, why), fixture_id)
    return Accepted(accepted=True, detail=closed.closed_because or "it was completed already")


# -- goals ----------------------------------------------------------------------------------


@router.post(
    "/events/{event}/search", summary="Search for this goal at the next sweep", status_code=202
)
def search_event(parts: Shared, event: EventName, why: Why = NOT_TOLD, who: Who = None) -> Accepted:
    goal = clips_by_hand.known_goal(ClipDocuments(parts.database), event)
    by_hand.search_soon(SearchStore(parts.database), asked(parts, who, why), goal)
    return Accepted(accepted=True, detail=f"{event} is searched for within seconds")


@router.post("/events/{event}/revalidate", summary="Judge its stored clips again", status_code=202)
def revalidate_event(
    parts: Shared, event: EventName, why: Why = NOT_TOLD, who: Who = None
) -> Accepted:
    """To judge takes minutes of a whole core: a run of Dagster's does it, and records the rest."""
    goal = clips_by_hand.known_goal(ClipDocuments(parts.database), event)
    by = asked(parts, who, why)
    with by.recorded("revalidate", goal.event_id) as entry:
        config = {"ops": {"judge_again": {"config": {"event": goal.event_id, "why": why}}}}
        run_id = parts.dagster.launch("revalidate_goal", config, {"footy/who": by.who})
        entry.outcome = f"asked for as run {run_id}"
    return Accepted(accepted=True, detail=entry.outcome, run_id=run_id)


@router.post("/events/{event}/rerank", summary="Rank its clips anew; best first")
def rerank_event(
    parts: Shared, event: EventName, why: Why = NOT_TOLD, who: Who = None
) -> list[RankRow]:
    with _clip_work(parts) as work:
        goal = clips_by_hand.known_goal(work.documents, event)
        clips = clips_by_hand.rerank(work, asked(parts, who, why), goal)
    return [
        RankRow(clip_id=c.id, rank=c.rank or 0, verified=c.verified, popularity=c.popularity)
        for c in clips
    ]


# -- clips ----------------------------------------------------------------------------------


@router.post(
    "/clips/{fixture_id}/{event}/{content}/remove",
    summary="Remove a clip, by its public name; what it shows does not come back",
)
def remove_clip(
    *,
    parts: Shared,
    fixture_id: FixtureId,
    event: EventName,
    content: ContentHash,
    why: NeededWhy,
    who: Who = None,
) -> Accepted:
    name = f"{fixture_id}/{event}/{content}{VIDEO}"
    clip_id = (parts.gallery.clip_document(name) or {"_id": name})["_id"]
    with _clip_work(parts) as work:
        clip = clips_by_hand.remove_clip(work, asked(parts, who, why), clip_id)
    return Accepted(accepted=True, detail=f"{clip.key} removed")


# -- what was done --------------------------------------------------------------------------


@router.get("/audit", summary="Who did what by hand, and why; the latest first")
def audit(parts: Shared, limit: Annotated[int, Query(ge=1, le=1_000)] = 100) -> AuditPage:
    entries = AuditLog(parts.database).entries(limit)
    return AuditPage(items=[AuditRow.model_validate(entry) for entry in entries])


@contextmanager
def _ingest(parts: Parts) -> Iterator[Ingest]:
    store = MatchdayStore(parts.database)
    with open_football(parts.settings) as feed:
        yield Ingest(store, feed, parts.clock, following(parts.settings))


def _brought_in(report: IngestReport) -> Accepted:
    if report.failures and not report.kept_ids:
        raise ProviderUnavailable(f"the provider gave nothing: {report.failures[0].reason}")
    return Accepted(accepted=True, detail=f"{report.added} new, {report.updated} updated")


@contextmanager
def _clip_work(parts: Parts) -> Iterator[ClipWork]:
    with open_clip_work(parts.settings, parts.database, parts.objects) as work:
        yield replace(work, clock=parts.clock)
