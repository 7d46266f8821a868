"""The API, version 1: everything the product knows, to be read by programs."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import date, datetime
from typing import Annotated

from fastapi import APIRouter, Query, Response

from footy_assets.api.models import (
    ClipPage,
    ClipRow,
    DatePage,
    DateRow,
    EventPage,
    EventRow,
    FixturePage,
    FixtureRow,
    SearchAnswer,
    StatusAnswer,
    Story,
)
from footy_assets.api.paging import Cursor, Limit, beyond, decoded, page
from footy_assets.api.parts import Parts, Shared
from footy_assets.api.problems import READING
from footy_assets.api.tagged import TaggedRoute
from footy_assets.api.videos import ContentHash, EventName, FixtureId
from footy_assets.archive.keys import VIDEO
from footy_assets.errors import NotFound
from footy_assets.matchday.fixture import Fixture
from footy_assets.matchday.goal import EventState, GoalEvent
from footy_assets.matchday.statuses import FixtureState
from footy_assets.operations.story import clip_row, story
from footy_assets.operations.views import event_row, fixture_row
from footy_assets.store.clips import ClipDocuments
from footy_assets.store.collections import CLIPS, EVENTS, FIXTURES, Document
from footy_assets.store.documents import fixture_from, goal_from
from footy_assets.store.matchdays import MatchdayStore

router = APIRouter(prefix="/api/v1", route_class=TaggedRoute, responses=READING)

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
def dates(parts: Shared, limit: Limit = 50, cursor: Cursor = None) -> DatePage:
    query = {"matchday": {"$lt": decoded(cursor, [str])[0]}} if cursor else {}
    counted = parts.database[FIXTURES].aggregate(
        [
            {"$match": query},
            {
                "$group": {
                    "_id": "$matchday",
                    "fixtures": {"$sum": 1},
                    "active": {"$sum": {"$cond": [{"$eq": ["$state", "active"]}, 1, 0]}},
                    "completed": {"$sum": {"$cond": [{"$eq": ["$state", "completed"]}, 1, 0]}},
                }
            },
            {"$sort": {"_id": -1}},
            {"$limit": limit + 1},
        ]
    )
    days, following = page(counted, limit, lambda day: [day["_id"]])
    return DatePage(items=[DateRow(date=day["_id"], **day) for day in days], next=following)


@router.get("/fixtures", summary="Matches by kickoff")
def fixtures(
    parts: Shared,
    day: Day = None,
    state: FixtureState | None = None,
    league: LeagueQuery = None,
    team: TeamQuery = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> FixturePage:
    asked: list[Document] = []
    if day:
        asked.append({"matchday": day.isoformat()})
    if state:
        asked.append({"state": str(state)})
    if league:
        asked.append({"league.id": league})
    if team:
        asked.append({"$or": [{"home.id": team}, {"away.id": team}]})
    if cursor:
        asked.append(beyond(("kickoff", "_id"), decoded(cursor, [datetime, int])))
    found = parts.database[FIXTURES].find({"$and": asked} if asked else {})
    found = found.sort([("kickoff", 1), ("_id", 1)]).limit(limit + 1)
    items, following = page(found, limit, lambda d: [d["kickoff"], d["_id"]])
    now = parts.clock.now()
    return FixturePage(items=[_fixture(fixture_from(d), now) for d in items], next=following)


@router.get("/fixtures/{fixture_id}", summary="One match")
def fixture(parts: Shared, fixture_id: FixtureId) -> FixtureRow:
    return _fixture(_known_fixture(parts, fixture_id), parts.clock.now())


@router.get("/events", summary="Goals, the latest first")
def events(
    parts: Shared,
    day: Day = None,
    fixture: FixtureQuery = None,
    state: EventState | None = None,
    player: Annotated[int | None, Query(ge=1, lt=2**53, description="A scorer's id.")] = None,
    team: TeamQuery = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> EventPage:
    asked: list[Document] = []
    if day:
        ids = parts.database[FIXTURES].distinct("_id", {"matchday": day.isoformat()})
        asked.append({"fixture_id": {"$in": ids}})
    if fixture:
        asked.append({"fixture_id": fixture})
    if player:
        asked.append({"player.id": player})
    if team:
        asked.append({"team_id": team})
    if cursor:
        place = decoded(cursor, [datetime, str])
        asked.append(beyond(("first_seen_at", "_id"), place, down=True))
    found = parts.database[EVENTS].find({"$and": asked} if asked else {})
    found = found.sort([("first_seen_at", -1), ("_id", -1)])
    goals, following = page(
        _in_state(map(goal_from, found), state), limit, lambda goal: [goal.first_seen_at, goal.key]
    )
    return EventPage(items=_events(parts, goals), next=following)


@router.get("/events/{event}", summary="One goal, by the name it has or had")
def event(parts: Shared, event: EventName) -> EventRow:
    return _events(parts, [_known_goal(parts, event)])[0]


@router.get("/events/{event}/explain", summary="The whole story of a goal")
def explain(parts: Shared, event: EventName) -> Story:
    told = story(parts.database, _known_goal(parts, event), parts.objects.bucket)
    return Story.model_validate(told)


@router.get("/clips", summary="Clips, the latest first")
def clips(
    parts: Shared,
    event: Annotated[str | None, Query(pattern=r"^[0-9A-Za-z_]{1,80}$")] = None,
    day: Day = None,
    fixture: FixtureQuery = None,
    verified: bool | None = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> ClipPage:
    asked: list[Document] = []
    if event:
        asked.append({"goal_key": _known_goal(parts, event).key})
    if day:
        ids = parts.database[FIXTURES].distinct("_id", {"matchday": day.isoformat()})
        asked.append({"fixture_id": {"$in": ids}})
    if fixture:
        asked.append({"fixture_id": fixture})
    if verified is not None:
        asked.append({"verified": verified})
    if cursor:
        place = decoded(cursor, [datetime, str])
        asked.append(beyond(("stored_at", "_id"), place, down=True))
    found = parts.database[CLIPS].find({"$and": asked} if asked else {}, {"fingerprint": 0})
    found = found.sort([("stored_at", -1), ("_id", -1)]).limit(limit + 1)
    items, following = page(found, limit, lambda d: [d["stored_at"], d["_id"]])
    return ClipPage(items=_clips(parts, items), next=following)


@router.get("/clips/{fixture_id}/{event}/{content}", summary="One clip, by its public name")
def clip(parts: Shared, fixture_id: FixtureId, event: EventName, content: ContentHash) -> ClipRow:
    found = parts.gallery.clip_document(f"{fixture_id}/{event}/{content}{VIDEO}")
    rows = _clips(parts, [found]) if found else []
    if not rows:
        raise NotFound("this clip is not known")
    return rows[0]


@router.get("/search", summary="Matches by team, goals by scorer")
def search(parts: Shared, q: Words) -> SearchAnswer:
    matches, goals = parts.gallery.search(q)
    now = parts.clock.now()
    return SearchAnswer(
        fixtures=[_fixture(match.fixture, now) for match in matches],
        events=_events(parts, [card.goal for _, card in goals]),
    )


@router.get(
    "/status",
    summary="Is everything there?",
    responses={503: {"description": "Something needed does not answer", "model": StatusAnswer}},
)
def status(parts: Shared, response: Response) -> StatusAnswer:
    found = parts.health.status()
    response.status_code = 200 if found.state == "ok" else 503
    return StatusAnswer.model_validate(asdict(found))


def _known_fixture(parts: Parts, fixture_id: int) -> Fixture:
    found = MatchdayStore(parts.database).known([fixture_id])
    if not found:
        raise NotFound(f"fixture {fixture_id} is not known")
    return found[fixture_id]


def _known_goal(parts: Parts, event: str) -> GoalEvent:
    goal = ClipDocuments(parts.database).goal_called(event)
    if goal is None:
        raise NotFound(f"no goal is called {event}")
    return goal


def _in_state(goals: Iterator[GoalEvent], state: EventState | None) -> Iterator[GoalEvent]:
    """E9: a state is derived and never stored, so it is looked for, not asked for."""
    return (goal for goal in goals if state in (None, goal.state))


def _fixture(fixture: Fixture, now: datetime) -> FixtureRow:
    return FixtureRow.model_validate(fixture_row(fixture, now))


def _events(parts: Parts, goals: Sequence[GoalEvent]) -> list[EventRow]:
    days = MatchdayStore(parts.database).known({goal.fixture_id for goal in goals})
    found = ClipDocuments(parts.database).documents_of([goal.key for goal in goals])
    by_goal: dict[str, list[ClipRow]] = {goal.key: [] for goal in goals}
    for clip in _clips(parts, found):
        by_goal[clip.clip_id.rpartition(":")[0]].append(clip)
    return [
        EventRow.model_validate(
            event_row(goal, days[goal.fixture_id].matchday) | {"clips": by_goal[goal.key]}
        )
        for goal in goals
        if goal.fixture_id in days
    ]


def _clips(parts: Parts, documents: Sequence[Document]) -> list[ClipRow]:
    keys = list({document["goal_key"] for document in documents})
    goals = {d["_id"]: goal_from(d) for d in parts.database[EVENTS].find({"_id": {"$in": keys}})}
    return [
        ClipRow.model_validate(
            clip_row(document, goals[document["goal_key"]], parts.objects.bucket)
            | {"page": f"/watch/{document['public_key'].removesuffix(VIDEO)}"}
        )
        for document in documents
        if document["goal_key"] in goals
    ]
