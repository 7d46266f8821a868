"""The pages, and the pieces of them that an open page reloads."""

from datetime import date
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Header, Query, Request
from starlette.responses import RedirectResponse, Response

from footy_assets.clips.store.figures import latencies
from footy_assets.gallery import board, labels
from footy_assets.gallery.etags import PageRoute
from footy_assets.gallery.latency_plot import draw
from footy_assets.gallery.live_stream import LiveStream
from footy_assets.gallery.rendering import render
from footy_assets.gallery.services import AppServices, Services
from footy_assets.gallery.store import GalleryStore
from footy_assets.gallery.videos import ContentHash, EventName, FixtureId
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.triggers.store.triggers import TriggerStore

router = APIRouter(route_class=PageRoute, include_in_schema=False)

Game = Annotated[str, Query(max_length=20, pattern=r"^[0-9A-Za-z_-]*$")]
Text = Annotated[str, Query(max_length=80, pattern=r"^[^\x00-\x1f\x7f]*$")]


@router.get("/")
async def front(services: Services) -> Response:
    day = await to_thread.run_sync(services.gallery.day_to_show)
    return await matchday(services, day)


@router.get("/days")
async def pick(day: Annotated[date, Query()]) -> Response:
    """The target of the date picker."""
    return RedirectResponse(f"/days/{day}", 303)


@router.get("/days/{day}")
async def matchday(services: Services, day: date) -> Response:
    since = services.feed.log.latest

    def make() -> str:
        matchday = services.gallery.matchday(day)
        today = services.clock.now().date()
        link = services.dagster.matchday(day.isoformat())
        return _render_page(
            "matchday.html", services, since, matchday=matchday, today=today, dagster_link=link
        )

    return await _cached_page(services, ("day", day), make)


@router.get("/matches/{fixture_id}")
async def match(services: Services, fixture_id: FixtureId) -> Response:
    since = services.feed.log.latest

    def make() -> str:
        match = services.gallery.match_with_line_ups(fixture_id)
        return _render_page("match.html", services, since, match=match)

    return await _cached_page(services, ("match", fixture_id), make)


@router.get("/goals/{event}")
async def goal(services: Services, event: EventName) -> Response:
    since = services.feed.log.latest

    def make() -> str:
        match, card = services.gallery.goal(event)
        return _render_page(
            "goal.html", services, since, match=match, goal=card, **_links(services, card.goal)
        )

    return await _cached_page(services, ("goal", event), make)


@router.get("/watch/{fixture_id}/{event}/{content}")
async def watch(
    services: Services, fixture_id: FixtureId, event: EventName, content: ContentHash
) -> Response:
    """The share link: it stays with the clip, whichever copy is the best by now."""
    since = services.feed.log.latest
    found = await to_thread.run_sync(
        services.gallery.clip_with_neighbours, f"{fixture_id}/{event}/{content}"
    )
    if found is not None:
        links = _links(services, found.goal.goal, found.clip.run_id)
        public = services.settings.gallery_url + found.clip.path
        body = _render_page("watch.html", services, since, clip_page=found, share=public, **links)
        return Response(body, media_type="text/html")
    match, card = await to_thread.run_sync(services.gallery.goal, event)
    body = _render_page("gone.html", services, None, match=match, goal=card)
    return Response(body, 410 if card.removed else 404, media_type="text/html")


@router.get("/search")
async def search(services: Services, q: Text = "") -> Response:
    wanted = q.strip()
    matches, goals = await to_thread.run_sync(services.gallery.search, wanted)
    body = _render_page("search.html", services, None, q=wanted, matches=matches, goals=goals)
    return Response(body, media_type="text/html")


@router.get("/triggers")
async def triggers(services: Services, game: Game = "") -> Response:
    """T2: a form drawn from the metadata, live counters, and why each trigger fired."""
    since = services.feed.log.latest

    def make() -> str:
        if not game:
            matchday = services.gallery.matchday(services.gallery.day_to_show())
            ids = [str(match.fixture.id) for match in matchday.matches]
            counts = TriggerStore(services.database).count_by_match(ids)
            return _render_page(
                "trigger_matches.html", services, None, matchday=matchday, counts=counts
            )
        match = services.gallery.find_match(game)
        return _render_page("triggers.html", services, since, game=game, match=match)

    return await _cached_page(services, ("triggers", game), make)


@router.get("/operations")
async def operations(services: Services) -> Response:
    return await _cached_page(
        services, ("operations",), lambda: _operations(services, "operations.html")
    )


# -- pieces ---------------------------------------------------------------------------------


@router.get("/pieces/days/{day}")
async def day_piece(services: Services, day: date) -> Response:
    return await _cached_page(
        services,
        ("day-piece", day),
        lambda: render("day_piece.html", matchday=services.gallery.matchday(day)),
    )


@router.get("/pieces/matches/{fixture_id}/card")
async def card_piece(services: Services, fixture_id: FixtureId) -> Response:
    def make() -> str:
        return render("card_piece.html", match=services.gallery.match(fixture_id))

    return await _cached_page(services, ("card", fixture_id), make)


@router.get("/pieces/matches/{fixture_id}")
async def match_piece(services: Services, fixture_id: FixtureId) -> Response:
    def make() -> str:
        return render("match_piece.html", match=services.gallery.match_with_line_ups(fixture_id))

    return await _cached_page(services, ("match-piece", fixture_id), make)


@router.get("/pieces/goals/{event}")
async def goal_piece(services: Services, event: EventName) -> Response:
    def make() -> str:
        match, card = services.gallery.goal(event)
        return render("goal_piece.html", match=match, goal=card)

    return await _cached_page(services, ("goal-piece", event), make)


@router.get("/pieces/operations")
async def operations_piece(services: Services) -> Response:
    make = lambda: _operations(services, "operations_piece.html")  # noqa: E731
    return await _cached_page(services, ("operations-piece",), make)


@router.get("/live")
async def live(
    request: Request,
    services: Services,
    fixture: Annotated[int | None, Query(ge=1, lt=2**53)] = None,
    since: Annotated[str | None, Query(max_length=1024)] = None,
    last_event_id: Annotated[str | None, Header(max_length=1024)] = None,
) -> Response:
    """Server-sent events. A reconnecting browser sends the id that it saw last."""
    if request.method == "HEAD":
        return Response(media_type="text/event-stream")
    return LiveStream(services.feed, last_event_id or since, fixture)


async def _cached_page(services: AppServices, key: tuple[Any, ...], make: Any) -> Response:
    made = await services.views.get(key, make)
    return Response(made.body, headers={"ETag": made.etag}, media_type="text/html")


def _render_page(name: str, services: AppServices, since: str | None, /, **context: Any) -> str:
    return render(name, since=since, dagster=services.dagster.link_base, **context)


def _links(
    services: AppServices, goal: GoalEvent, run_id: str | None = None
) -> dict[str, str | None]:
    return {
        "run_link": services.dagster.run(run_id),
        "asset_link": services.dagster.asset(goal.event_id),
        "runs_link": services.dagster.runs(goal.key),
    }


def _operations(services: AppServices, template: str) -> str:
    now, database = services.clock.now(), services.database
    since, store = now - board.LOOK_BACK, GalleryStore(database)
    status = board.Board(
        status=services.health.status(),
        under_way=board.under_way(store),
        refused=board.refusals(store, since),
        latencies=board.in_real_time(latencies(database, since), services.clock.speed),
        poll=services.dagster.last_poll(),
        speed=services.clock.speed,
    )
    plot = draw(status.latencies) if status.latencies else None
    most = max((count for _, count in status.refused), default=1)
    return _render_page(template, services, None, board=status, plot=plot, most=most, labels=labels)
