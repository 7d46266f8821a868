"""The pages people look at, and the pieces of them that are looked at again while they are open."""

from datetime import date
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Header, Query, Request
from starlette.responses import RedirectResponse, Response

from footy_assets.api import board, words
from footy_assets.api.latency_plot import draw
from footy_assets.api.live_stream import LiveStream
from footy_assets.api.parts import Parts, Shared
from footy_assets.api.rendering import render
from footy_assets.api.tagged import PageRoute
from footy_assets.api.videos import ContentHash, EventName, FixtureId
from footy_assets.matchday.goal import GoalEvent
from footy_assets.store.figures import latencies
from footy_assets.store.triggers import TriggerStore

router = APIRouter(route_class=PageRoute, include_in_schema=False)

MOST_WATCHERS = 5_000
Game = Annotated[str, Query(max_length=20, pattern=r"^[0-9A-Za-z_-]*$")]
Text = Annotated[str, Query(max_length=80, pattern=r"^[^\x00-\x1f\x7f]*$")]


@router.get("/")
async def front(parts: Shared) -> Response:
    day = await to_thread.run_sync(parts.gallery.day_to_show)
    return await matchday(parts, day)


@router.get("/days")
async def pick(day: Annotated[date, Query()]) -> Response:
    """Where the date picker leads."""
    return RedirectResponse(f"/days/{day}", 303)


@router.get("/days/{day}")
async def matchday(parts: Shared, day: date) -> Response:
    since = parts.feed.log.latest

    def make() -> str:
        told = parts.gallery.matchday(day)
        today = parts.clock.now().date()
        link = parts.dagster.matchday(day.isoformat())
        return _page("matchday.html", parts, since, told=told, today=today, dagster_link=link)

    return await _made(parts, ("day", day), make)


@router.get("/matches/{fixture_id}")
async def match(parts: Shared, fixture_id: FixtureId) -> Response:
    since = parts.feed.log.latest

    def make() -> str:
        return _page("match.html", parts, since, match=parts.gallery.match(fixture_id))

    return await _made(parts, ("match", fixture_id), make)


@router.get("/goals/{event}")
async def goal(parts: Shared, event: EventName) -> Response:
    since = parts.feed.log.latest

    def make() -> str:
        match, card = parts.gallery.goal(event)
        return _page("goal.html", parts, since, match=match, goal=card, **_links(parts, card.goal))

    return await _made(parts, ("goal", event), make)


@router.get("/watch/{fixture_id}/{event}/{content}")
async def watch(
    parts: Shared, fixture_id: FixtureId, event: EventName, content: ContentHash
) -> Response:
    """The share link: it stays with the clip, whichever copy is the best by now."""
    since = parts.feed.log.latest
    found = await to_thread.run_sync(parts.gallery.watched, f"{fixture_id}/{event}/{content}")
    if found is not None:
        links = _links(parts, found.goal.goal, found.clip.run_id)
        public = parts.settings.gallery_url + found.clip.path
        body = _page("watch.html", parts, since, shown=found, share=public, **links)
        return Response(body, media_type="text/html")
    match, card = await to_thread.run_sync(parts.gallery.goal, event)
    body = _page("gone.html", parts, None, match=match, goal=card)
    return Response(body, 410 if card.removed else 404, media_type="text/html")


@router.get("/search")
async def search(parts: Shared, q: Text = "") -> Response:
    wanted = q.strip()
    matches, goals = await to_thread.run_sync(parts.gallery.search, wanted)
    body = _page("search.html", parts, None, q=wanted, matches=matches, goals=goals)
    return Response(body, media_type="text/html")


@router.get("/triggers")
async def triggers(parts: Shared, game: Game = "") -> Response:
    """T2: a form drawn from the metadata, live counters, and why each trigger fired."""
    since = parts.feed.log.latest

    def make() -> str:
        if not game:
            told = parts.gallery.matchday(parts.gallery.day_to_show())
            ids = [str(match.fixture.id) for match in told.matches]
            counts = TriggerStore(parts.database).how_many(ids)
            return _page("trigger_matches.html", parts, None, told=told, counts=counts)
        match = parts.gallery.match_called(game)
        return _page("triggers.html", parts, since, game=game, match=match)

    return await _made(parts, ("triggers", game), make)


@router.get("/operations")
async def operations(parts: Shared) -> Response:
    return await _made(parts, ("operations",), lambda: _operations(parts, "operations.html"))


# -- pieces ---------------------------------------------------------------------------------


@router.get("/pieces/days/{day}")
async def day_piece(parts: Shared, day: date) -> Response:
    return await _made(
        parts,
        ("day-piece", day),
        lambda: render("day_piece.html", told=parts.gallery.matchday(day)),
    )


@router.get("/pieces/matches/{fixture_id}/card")
async def card_piece(parts: Shared, fixture_id: FixtureId) -> Response:
    def make() -> str:
        return render("card_piece.html", match=parts.gallery.match(fixture_id))

    return await _made(parts, ("card", fixture_id), make)


@router.get("/pieces/matches/{fixture_id}")
async def match_piece(parts: Shared, fixture_id: FixtureId) -> Response:
    def make() -> str:
        return render("match_piece.html", match=parts.gallery.match(fixture_id))

    return await _made(parts, ("match-piece", fixture_id), make)


@router.get("/pieces/goals/{event}")
async def goal_piece(parts: Shared, event: EventName) -> Response:
    def make() -> str:
        match, card = parts.gallery.goal(event)
        return render("goal_piece.html", match=match, goal=card)

    return await _made(parts, ("goal-piece", event), make)


@router.get("/pieces/operations")
async def operations_piece(parts: Shared) -> Response:
    make = lambda: _operations(parts, "operations_piece.html")  # noqa: E731
    return await _made(parts, ("operations-piece",), make)


@router.get("/live")
async def live(
    request: Request,
    parts: Shared,
    fixture: Annotated[int | None, Query(ge=1, lt=2**53)] = None,
    since: Annotated[str | None, Query(max_length=1024)] = None,
    last_event_id: Annotated[str | None, Header(max_length=1024)] = None,
) -> Response:
    """Server-sent events. A browser that comes back says what it saw last."""
    if request.method == "HEAD":
        return Response(media_type="text/event-stream")
    if parts.feed.watchers >= MOST_WATCHERS:
        return Response(status_code=503, headers={"Retry-After": "10"})
    return LiveStream(parts.feed, last_event_id or since, fixture)


async def _made(parts: Parts, key: tuple[Any, ...], make: Any) -> Response:
    made = await parts.views.get(key, make)
    return Response(made.body, headers={"ETag": made.etag}, media_type="text/html")


def _page(name: str, parts: Parts, since: str | None, /, **told: Any) -> str:
    return render(name, since=since, dagster=parts.dagster.url, **told)


def _links(parts: Parts, goal: GoalEvent, run_id: str | None = None) -> dict[str, str | None]:
    return {
        "run_link": parts.dagster.run(run_id),
        "asset_link": parts.dagster.asset(goal.event_id),
        "runs_link": parts.dagster.runs(goal.key),
    }


def _operations(parts: Parts, template: str) -> str:
    now, database = parts.clock.now(), parts.database
    since = now - board.LOOK_BACK
    told = board.Board(
        status=parts.health.status(),
        under_way=board.under_way(database),
        refused=board.refusals(database, since),
        latencies=latencies(database, since),
        poll=parts.dagster.last_poll(),
    )
    plot = draw(told.latencies) if told.latencies else None
    most = max((count for _, count in told.refused), default=1)
    return _page(template, parts, None, board=told, plot=plot, most=most, words=words)
