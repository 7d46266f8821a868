"""Version 1 of the read-only HTTP API: fixtures, events, clips, search, status."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import date, datetime
from typing import Annotated

from fastapi import APIRouter, Query, Response

from footy_assets.clips.explain import clip_row, explain_goal
from footy_assets.clips.rules.keys import VIDEO
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.errors import NotFound
from footy_assets.gallery.etags import ETagRoute
from footy_assets.gallery.models import (
    ClipPage,
    ClipRow,
    DatePage,
    DateRow,
    EventPage,
    EventRow,
    FixturePage,
    FixtureRow,
    LineUpsAnswer,
    SearchAnswer,
    StatusAnswer,
    Story,
)
from footy_assets.gallery.paging import Cursor, Limit, decoded, page
from footy_assets.gallery.problems import READING
from footy_assets.gallery.services import AppServices, Services
from footy_assets.gallery.store import Filters, GalleryStore
from footy_assets.gallery.videos import ContentHash, EventName, FixtureId
from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import EventState, GoalEvent
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.goals import GoalStore
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.store.rosters import RosterStore
from footy_assets.matchday.views import event_row, fixture_row, line_up_rows
from footy_assets.store.collections import Document

router = APIRouter(prefix="/api/v1", route_class=ETagRoute, responses=READING)

Day = Annotated[date | None, Query(alias="date", description="A matchday, as 2025-05-10.")]
FixtureQuery = Annotated[int | None, Query(alias="fixture", ge=1, lt=2**53)]
TeamQuery = Annotated[int | None, Query(ge=1, lt=2**53, description="A team's id.")]
LeagueQuery = Annotated[int | None, Query(ge=1, lt=2**53, description="A league's id.")]
Words = Annotated[
    str,
    Query(
        min_length=2, max_length=80, pattern=r"^[^\x00-\x1f\x7f]+$", description="Part of a name."
    ),
]


@router.get("/dates", summary="Matchdays, the latest first")
def dates(services: Services, limit: Limit = 50, cursor: Cursor = None) -> DatePage:
    before = decoded(cursor, [str])[0] if cursor else None
    counted = GalleryStore(services.database).days(before, limit + 1)
    days, following = page(counted, limit, lambda day: [day["_id"]])
    return DatePage(items=[DateRow(date=day["_id"], **day) for day in days], next=following)


@router.get("/fixtures", summary="Matches by kickoff")
def fixtures(
    services: Services,
    day: Day = None,
    state: FixtureState | None = None,
    league: LeagueQuery = None,
    team: TeamQuery = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> FixturePage:
    query = Filters().where("matchday", day.isoformat() if day else None)
    query.where("state", str(state) if state else None).where("league.id", league)
    query.either(("home.id", "away.id"), team)
    if cursor:
        query.beyond(("kickoff", "_id"), decoded(cursor, [datetime, int]))
    found = GalleryStore(services.database).fixtures(query, limit + 1)
    items, following = page(found, limit, lambda fixture: [fixture.kickoff, fixture.id])
    now = services.clock.now()
    return FixturePage(items=[_fixture(fixture, now) for fixture in items], next=following)


@router.get("/fixtures/{fixture_id}", summary="One match")
def fixture(services: Services, fixture_id: FixtureId) -> FixtureRow:
    return _fixture(_require_fixture(services, fixture_id), services.clock.now())


@router.get("/fixtures/{fixture_id}/line-ups", summary="Who starts, and who is on the bench")
def line_ups(services: Services, fixture_id: FixtureId) -> LineUpsAnswer:
    found = _require_fixture(services, fixture_id)
    stored = RosterStore(services.database).line_ups(fixture_id)
    rows = line_up_rows(found, stored.line_ups)
    return LineUpsAnswer.model_validate(
        {"fixture_id": fixture_id, "fetched_at": stored.fetched_at, "line_ups": rows}
    )


@router.get("/events", summary="Goals, the latest first")
def events(
    services: Services,
    day: Day = None,
    fixture: FixtureQuery = None,
    state: EventState | None = None,
    player: Annotated[int | None, Query(ge=1, lt=2**53, description="A scorer's id.")] = None,
    team: TeamQuery = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> EventPage:
    store = GalleryStore(services.database)
    query = Filters().one_of("fixture_id", store.fixture_ids(day) if day else None)
    query.where("fixture_id", fixture).where("player.id", player).where("team_id", team)
    if cursor:
        query.beyond(("first_seen_at", "_id"), decoded(cursor, [datetime, str]), down=True)
    found = _in_state(store.goals(query), state)
    goals, following = page(found, limit, lambda goal: [goal.first_seen_at, goal.key])
    return EventPage(items=_events(services, goals), next=following)


@router.get("/events/{event}", summary="One goal, by the name it has or had")
def event(services: Services, event: EventName) -> EventRow:
    return _events(services, [_require_goal(services, event)])[0]


@router.get("/events/{event}/explain", summary="The full history of a goal")
def explain(services: Services, event: EventName) -> Story:
    explanation = explain_goal(
        services.database, _require_goal(services, event), services.objects.bucket
    )
    return Story.model_validate(explanation)


@router.get("/clips", summary="Clips, the latest first")
def clips(
    services: Services,
    event: Annotated[str | None, Query(pattern=r"^[0-9A-Za-z_]{1,80}$")] = None,
    day: Day = None,
    fixture: FixtureQuery = None,
    verified: bool | None = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> ClipPage:
    store = GalleryStore(services.database)
    query = Filters().where("goal_key", _require_goal(services, event).key if event else None)
    query.one_of("fixture_id", store.fixture_ids(day) if day else None)
    query.where("fixture_id", fixture).where("verified", verified)
    if cursor:
        query.beyond(("stored_at", "_id"), decoded(cursor, [datetime, str]), down=True)
    found = store.clips(query, limit + 1)
    items, following = page(found, limit, lambda d: [d["stored_at"], d["_id"]])
    return ClipPage(items=_clips(services, items), next=following)


@router.get("/clips/{fixture_id}/{event}/{content}", summary="One clip, by its public name")
def clip(
    services: Services, fixture_id: FixtureId, event: EventName, content: ContentHash
) -> ClipRow:
    found = services.gallery.clip_document(f"{fixture_id}/{event}/{content}{VIDEO}")
    rows = _clips(services, [found]) if found else []
    if not rows:
        raise NotFound("this clip is not known")
    return rows[0]


@router.get("/search", summary="Matches by team, goals by scorer")
def search(services: Services, q: Words) -> SearchAnswer:
    matches, goals = services.gallery.search(q)
    now = services.clock.now()
    return SearchAnswer(
        fixtures=[_fixture(match.fixture, now) for match in matches],
        events=_events(services, [card.goal for _, card in goals]),
    )


@router.get(
    "/status",
    summary="The health of all services",
    responses={503: {"description": "Something needed does not answer", "model": StatusAnswer}},
)
def status(services: Services, response: Response) -> StatusAnswer:
    found = services.health.status()
    response.status_code = 200 if found.state == "ok" else 503
    return StatusAnswer.model_validate(asdict(found))


def _require_fixture(services: AppServices, fixture_id: int) -> Fixture:
    found = MatchdayStore(services.database).fixtures_by_id([fixture_id])
    if not found:
        raise NotFound(f"fixture {fixture_id} is not known")
    return found[fixture_id]


def _require_goal(services: AppServices, event: str) -> GoalEvent:
    goal = GoalStore(services.database).find_by_event_id(event)
    if goal is None:
        raise NotFound(f"goal {event} is not known")
    return goal


def _in_state(goals: Iterator[GoalEvent], state: EventState | None) -> Iterator[GoalEvent]:
    """E9: a goal's state is derived, not stored, so it is filtered here."""
    return (goal for goal in goals if state in (None, goal.state))


def _fixture(fixture: Fixture, now: datetime) -> FixtureRow:
    return FixtureRow.model_validate(fixture_row(fixture, now))


def _events(services: AppServices, goals: Sequence[GoalEvent]) -> list[EventRow]:
    days = MatchdayStore(services.database).fixtures_by_id({goal.fixture_id for goal in goals})
    found = ClipDocuments(services.database).documents_of([goal.key for goal in goals])
    by_goal: dict[str, list[ClipRow]] = {goal.key: [] for goal in goals}
    for clip in _clips(services, found):
        by_goal[clip.clip_id.rpartition(":")[0]].append(clip)
    return [
        EventRow.model_validate(event_row(goal, days[goal.fixture_id].matchday, by_goal[goal.key]))
        for goal in goals
        if goal.fixture_id in days
    ]


def _clips(services: AppServices, documents: Sequence[Document]) -> list[ClipRow]:
    keys = list({document["goal_key"] for document in documents})
    goals = GalleryStore(services.database).goals_by_key(keys)
    return [
        ClipRow.model_validate(
            clip_row(document, goals[document["goal_key"]], services.objects.bucket)
            | {"page": f"/watch/{document['public_key'].removesuffix(VIDEO)}"}
        )
        for document in documents
        if document["goal_key"] in goals
    ]
