"""The site on a socket: X for a browser, Bluesky for a client, films for both."""

import asyncio
import json
import secrets
from collections.abc import Iterable
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from footy_assets.clock import Clock
from footy_assets.sim.social import media, pages
from footy_assets.sim.social.faults import SiteFaults
from footy_assets.sim.social.posts import Page, Posts, Search, Shelf, SimPost, read_query
from footy_assets.sim.social.posts_server import PostsServer
from footy_assets.sim.social.timeline import search_timeline
from footy_assets.sim.social.xrpc import search_posts

COOKIE = "auth_token"
MAX_BLUESKY_LIMIT = 100


class SocialServer(PostsServer):
    """X and Bluesky."""

    def __init__(
        self,
        posts: Posts,
        clock: Clock,
        *,
        password: str = "sesame",
        page_size: int = 20,
        **options: Any,
    ) -> None:
        """`options` are those of every `PostsServer`."""
        super().__init__(posts, clock, **options)
        self.password = password
        self.faults = SiteFaults()
        self._x = Shelf("x", self._all_posts, page_size)
        self._bluesky = Shelf("bluesky", self._all_posts, page_size)
        self._sessions: set[str] = set()

    def _all_posts(self, now: datetime) -> Iterable[SimPost]:
        return self.posts(now)

    def new_session(self) -> str:
        """The value of the cookie of someone who has just logged in."""
        token = secrets.token_hex(20)
        self._sessions.add(token)
        return token

    def end_sessions(self) -> None:
        self._sessions.clear()

    def reset(self) -> None:
        """Clear all faults and requests; sessions stay."""
        self.faults = SiteFaults()
        self.requests.clear()

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/search", self._search),
                Route("/search/more", self._more),
                Route("/i/api/graphql/{query_id}/SearchTimeline", self._timeline),
                Route("/home", self._home),
                Route("/", self._home),
                Route("/login", self._login_form, methods=["GET"]),
                Route("/i/flow/login", self._login_form, methods=["GET"]),
                Route("/login", self._login, methods=["POST"]),
                Route("/logout", self._logout, methods=["POST"]),
                Route("/{author}/status/{post_id}", self._post),
                Route("/video/{film}.mp4", self.send_mp4),
                Route("/hls/{film}/{part}", self._hls),
                # Where Bluesky serves the video of a post.
                Route("/watch/{author}/{film}/{part}", self._hls),
                Route("/thumb/{film}.jpg", self._thumb),
                Route("/xrpc/app.bsky.feed.searchPosts", self._bluesky_search),
            ]
        )

    # -- X ------------------------------------------------------------------------------------

    async def _search(self, request: Request) -> Response:
        await self.record(request)
        if not self._logged_in(request):
            return self._walled(request)
        query = request.query_params.get("q", "")
        drawn = None if self.faults.timeline == "ok" else self._page(read_query(query), None)
        return HTMLResponse(pages.search_page(query, drawn, self.faults.timeline != "silent"))

    async def _more(self, request: Request) -> Response:
        await self.record(request)
        params = request.query_params
        page = self._page(read_query(params.get("q", "")), params.get("cursor"))
        return HTMLResponse(pages.articles(page), headers={"x-cursor": page.cursor or ""})

    async def _timeline(self, request: Request) -> Response:
        await self.record(request)
        if self.faults.session_ends_now():
            self.end_sessions()
        if not self._logged_in(request):
            error = {"errors": [{"message": "Could not authenticate you", "code": 32}]}
            return JSONResponse(error, 401)
        if not self.faults.spend_call():
            reset = str(int(self.clock.now().timestamp()) + 900)
            limits = {"x-rate-limit-remaining": "0", "x-rate-limit-reset": reset}
            return Response("Rate limit exceeded\n", 429, limits)
        match self.faults.timeline:
            case "fails":
                return JSONResponse({"errors": [{"message": "Internal error", "code": 131}]}, 500)
            case "garbled":
                return Response('{"data":{"search_by_raw', media_type="application/json")
            case "unknown_shape":
                return JSONResponse({"data": {"search_v9": {"rows": []}}})
        variables = json.loads(request.query_params["variables"])
        cursor = variables.get("cursor")
        if cursor == "end":
            page = Page((), None)
        else:
            page = self._page(read_query(variables["rawQuery"]), cursor)
        return JSONResponse(search_timeline(page, _base(request), cursor))

    async def _home(self, request: Request) -> Response:
        await self.record(request)
        if not self._logged_in(request):
            return self._walled(request)
        return HTMLResponse(pages.home_page())

    async def _login_form(self, request: Request) -> Response:
        await self.record(request)
        return HTMLResponse(pages.login_page())

    async def _login(self, request: Request) -> Response:
        await self.record(request)
        form = parse_qs((await request.body()).decode())
        if form.get("password") != [self.password] or not form.get("text"):
            return HTMLResponse(pages.login_page(refused=True), 401)
        answer = RedirectResponse("/home", 303)
        answer.set_cookie(COOKIE, self.new_session(), max_age=30 * 86400, httponly=True)
        return answer

    async def _logout(self, request: Request) -> Response:
        self._sessions.discard(request.cookies.get(COOKIE, ""))
        return RedirectResponse("/login", 303)

    async def _post(self, request: Request) -> Response:
        await self.record(request)
        post = self._x.by_id(request.path_params["post_id"], self.clock.now())
        if post is None:
            return HTMLResponse("<!doctype html><p>This post does not exist.", 404)
        return HTMLResponse(pages.post_page(post))

    def _walled(self, request: Request) -> Response:
        match self.faults.wall:
            case "form":
                return HTMLResponse(pages.login_page())
            case "blank":
                return HTMLResponse(pages.blank_page())
            case "refused_call" if request.url.path == "/search":
                return HTMLResponse(pages.search_page(request.query_params.get("q", ""), None))
        return RedirectResponse(f"/i/flow/login?redirect_after_login={request.url.path}", 302)

    def _logged_in(self, request: Request) -> bool:
        return request.cookies.get(COOKIE) in self._sessions

    def _page(self, search: Search, cursor: str | None) -> Page:
        return self._x.page(search, self.clock.now(), cursor)

    # -- films --------------------------------------------------------------------------------

    async def _hls(self, request: Request) -> Response:
        await self.record(request)
        film_id, part = request.path_params["film"], request.path_params["part"]
        film = await asyncio.to_thread(self.films, film_id)
        match part:
            case "playlist.m3u8" if film is not None and film.refusal is None:
                return media.send_master(film_id, (1280, 720))
            case "video.m3u8":
                return await asyncio.to_thread(media.send_playlist, film_id, film)
            case "0.ts":
                return await asyncio.to_thread(media.send_segment, film)
        return media.refuse(film)

    async def _thumb(self, request: Request) -> Response:
        await self.record(request)
        return Response(b"", 404)

    # -- Bluesky ------------------------------------------------------------------------------

    async def _bluesky_search(self, request: Request) -> Response:
        await self.record(request)
        if self.faults.bluesky_status is not None:
            refused = {"error": "Refused", "message": "not now"}
            reset = str(int(self.clock.now().timestamp()) + 60)
            limits = {"ratelimit-limit": "3000", "ratelimit-reset": reset}
            return JSONResponse(refused, self.faults.bluesky_status, limits)
        params = request.query_params
        limit = params.get("limit", "25")
        if "q" not in params or not (limit.isdigit() and 1 <= int(limit) <= MAX_BLUESKY_LIMIT):
            error = {"error": "InvalidRequest", "message": "Error: Params must have good values"}
            return JSONResponse(error, 400)
        if "cursor" in params and not self.faults.bluesky_pages:
            return HTMLResponse("<h1>403 Forbidden</h1>Request forbidden", 403)
        since, until = (_instant(params.get(name)) for name in ("since", "until"))
        search = Search(read_query(params["q"]).groups, since=since, until=until)
        size = min(int(limit), self._bluesky.page_size)
        page = self._bluesky.page(search, self.clock.now(), params.get("cursor"), size)
        return JSONResponse(search_posts(page, _base(request)))

    async def record(self, request: Request) -> None:
        await super().record(request)
        if self.faults.slow:
            await asyncio.sleep(self.faults.slow)


def _base(request: Request) -> str:
    return str(request.base_url).rstrip("/")


def _instant(text: str | None) -> float | None:
    return datetime.fromisoformat(text).timestamp() if text else None
