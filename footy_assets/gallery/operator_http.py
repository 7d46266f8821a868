"""P5: operator actions over HTTP; each needs the token.

Each is recorded with who (`X-Footy-Who`) and why, also when it fails.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Annotated

from fastapi import APIRouter, Body, Query

from footy_assets.clips import operator_actions as clip_actions
from footy_assets.clips.connection import open_clip_work
from footy_assets.clips.rules.keys import VIDEO
from footy_assets.clips.work import ClipWork
from footy_assets.errors import NotFound, ProviderUnavailable
from footy_assets.gallery.guard import MayChange
from footy_assets.gallery.models import Accepted, AuditPage, AuditRow, RankRow
from footy_assets.gallery.operator_requests import NeededWhy, Who, Why, operator_action
from footy_assets.gallery.problems import CHANGING
from footy_assets.gallery.services import AppServices, Services
from footy_assets.gallery.videos import ContentHash, EventName, FixtureId
from footy_assets.matchday import operator_actions as fixture_actions
from footy_assets.matchday.ingest import Ingest, IngestReport
from footy_assets.matchday.store.goals import GoalStore
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.operator_actions import NO_REASON
from footy_assets.parsing import ID_AT_PROVIDER
from footy_assets.policies import tracking_policy
from footy_assets.providers.connection import open_provider
from footy_assets.providers.known_ids import our_match_ids
from footy_assets.search import operator_actions as search_actions
from footy_assets.search.store.searches import SearchStore
from footy_assets.store.audit import AuditLog

router = APIRouter(prefix="/api/v1", dependencies=[MayChange], responses=CHANGING, tags=["by hand"])

MOST_IDS = 100
Day = Annotated[date, Body(embed=True, alias="date", description="As 2025-05-10.")]
Id = (
    Annotated[int, Body(ge=1, lt=2**53)]
    | Annotated[
        str, Body(pattern=f"^{ID_AT_PROVIDER}$", description="A provider's, as espn:760415.")
    ]
)
Ids = Annotated[list[Id], Body(embed=True, min_length=1, max_length=MOST_IDS)]


# -- fixtures -------------------------------------------------------------------------------


@router.post("/ingest", summary="Ingest the fixtures of a day")
def ingest_day(services: Services, day: Day, why: Why = NO_REASON, who: Who = None) -> Accepted:
    with _ingest(services) as ingest:
        return _to_accepted(
            fixture_actions.ingest_day(ingest, operator_action(services, who, why), day)
        )


@router.post("/ingest/fixtures", summary="Ingest fixtures by id, of any team")
def ingest_fixtures(
    services: Services, ids: Ids, why: Why = NO_REASON, who: Who = None
) -> Accepted:
    with _ingest(services) as ingest:
        known = our_match_ids(services.database, ids)
        report = fixture_actions.ingest_ids(ingest, operator_action(services, who, why), known)
    answered = not any(failure.fixture_ids for failure in report.failures)
    if answered and not report.kept_ids:
        raise NotFound("the provider knows none of these fixtures")
    return _to_accepted(report)


@router.post("/fixtures/{fixture_id}/close", summary="No more polls of it, nor searches")
def close_fixture(
    services: Services, fixture_id: FixtureId, why: NeededWhy, who: Who = None
) -> Accepted:
    store, searches = MatchdayStore(services.database), SearchStore(services.database)
    closed = fixture_actions.close_fixture(
        store, searches.close_fixture, operator_action(services, who, why), fixture_id
    )
    return Accepted(accepted=True, detail=closed.closed_because or "it was completed already")


# -- goals ----------------------------------------------------------------------------------


@router.post(
    "/events/{event}/search", summary="Search for this goal at the next sweep", status_code=202
)
def search_event(
    services: Services, event: EventName, why: Why = NO_REASON, who: Who = None
) -> Accepted:
    goal = GoalStore(services.database).require(event)
    search_actions.search_soon(
        SearchStore(services.database), operator_action(services, who, why), goal
    )
    return Accepted(accepted=True, detail=f"the search for {event} starts within seconds")


@router.post("/events/{event}/revalidate", summary="Judge its stored clips again", status_code=202)
def revalidate_event(
    services: Services, event: EventName, why: Why = NO_REASON, who: Who = None
) -> Accepted:
    """Validation takes minutes of CPU: a Dagster run does it and records the result."""
    goal = GoalStore(services.database).require(event)
    by = operator_action(services, who, why)
    with by.recorded("revalidate", goal.event_id) as entry:
        config = {"ops": {"judge_again": {"config": {"event": goal.event_id, "why": why}}}}
        run_id = services.dagster.launch("revalidate_goal", config, {"footy/who": by.who})
        entry.outcome = f"requested as run {run_id}"
    return Accepted(accepted=True, detail=entry.outcome, run_id=run_id)


@router.post("/events/{event}/rerank", summary="Rank its clips anew; best first")
def rerank_event(
    services: Services, event: EventName, why: Why = NO_REASON, who: Who = None
) -> list[RankRow]:
    with _clip_work(services) as work:
        goal = work.documents.goals.require(event)
        clips = clip_actions.rerank(work, operator_action(services, who, why), goal)
    return [
        RankRow(
            clip_id=c.id,
            rank=c.rank or 0,
            verified=c.verified,
            discovered=c.discovered,
            popularity=c.popularity,
        )
        for c in clips
    ]


# -- clips ----------------------------------------------------------------------------------


@router.post(
    "/clips/{fixture_id}/{event}/{content}/remove",
    summary="Remove a clip, by its public name; what it shows does not come back",
)
def remove_clip(
    *,
    services: Services,
    fixture_id: FixtureId,
    event: EventName,
    content: ContentHash,
    why: NeededWhy,
    who: Who = None,
) -> Accepted:
    name = f"{fixture_id}/{event}/{content}{VIDEO}"
    clip_id = (services.gallery.clip_document(name) or {"_id": name})["_id"]
    with _clip_work(services) as work:
        clip = clip_actions.remove_clip(work, operator_action(services, who, why), clip_id)
    return Accepted(accepted=True, detail=f"{clip.key} removed")


# -- what was done --------------------------------------------------------------------------


@router.get("/audit", summary="The audit log of operator actions, latest first")
def audit(services: Services, limit: Annotated[int, Query(ge=1, le=1_000)] = 100) -> AuditPage:
    entries = AuditLog(services.database).entries(limit)
    return AuditPage(items=[AuditRow.model_validate(entry) for entry in entries])


@contextmanager
def _ingest(services: AppServices) -> Iterator[Ingest]:
    store = MatchdayStore(services.database)
    with open_provider(services.settings, services.database, services.clock) as provider:
        yield Ingest(store, provider.feed, services.clock, tracking_policy(services.settings))


def _to_accepted(report: IngestReport) -> Accepted:
    if report.failures and not report.kept_ids:
        raise ProviderUnavailable(f"the provider returned nothing: {report.failures[0].reason}")
    return Accepted(accepted=True, detail=f"{report.added} new, {report.updated} updated")


@contextmanager
def _clip_work(services: AppServices) -> Iterator[ClipWork]:
    with open_clip_work(
        services.settings, services.database, services.objects, services.clock
    ) as work:
        yield work
