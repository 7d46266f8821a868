"""r/soccer's Atom feed and two hosts of clips on one socket.

The hosts differ in their name and in how a page names its file: on 127.0.0.1 as streamin does, on
localhost as streamain does, whose file is in the page that it embeds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from xml.sax.saxutils import escape, quoteattr

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from footy_assets.clock import Clock
from footy_assets.sim.social.posts import Posts, SimPost
from footy_assets.sim.social.posts_server import PostsServer

SITE = "reddit"
FEED = "/r/soccer/new/.rss"
MOST_ENTRIES = 100
SECOND_HOST = "localhost"
# How the feed is broken: not XML, a bomb of entities, or cut short.
Broken = Literal["", "html", "entities", "cut"]


@dataclass
class SoccerFaults:
    """`status` with `headers` instead of the feed; clips are `gone`, or on another host."""

    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    broken: Broken = ""
    clips_gone: bool = False
    file_host: str | None = None


class SoccerServer(PostsServer):
    """Serves posts of `reddit`."""

    def __init__(self, posts: Posts, clock: Clock, **options: Any) -> None:
        super().__init__(posts, clock, **options)
        self.faults = SoccerFaults()

    def reset(self) -> None:
        self.faults = SoccerFaults()
        self.requests.clear()

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route(FEED, self._feed),
                Route("/v/{film}", self._streamin_page),
                Route("/en/{film}/watch", self._streamain_page),
                Route("/embed/{film}", self._streamain_embed),
                Route("/uploads/{film}.mp4", self.send_mp4),
                Route("/short/{film}", self._short),
            ]
        )

    async def _feed(self, request: Request) -> Response:
        await self.record(request)
        if self.faults.status is not None:
            return Response("", self.faults.status, self.faults.headers)
        text = atom_feed(self.posts_of(SITE)[:MOST_ENTRIES], request.url.port or 80)
        match self.faults.broken:
            case "html":
                text = "<!doctype html><title>Blocked</title><p>whoa there, pardner!"
            case "entities":
                text = f'<!DOCTYPE feed [<!ENTITY a "aaaaaaaa">]>{text.partition("?>")[2]}'
            case "cut":
                text = text[: len(text) // 2]
        return Response(text, media_type="application/atom+xml")

    async def _streamin_page(self, request: Request) -> Response:
        await self.record(request)
        if self.faults.clips_gone:
            return _gone()
        file = self._file_url(request)
        return HTMLResponse(
            f'<html><head><meta content={quoteattr(file)} property="og:video">'
            f'<meta content="video" property="og:type"></head><body>'
            f'<video controls="" src={quoteattr(file + "#t=0.1")} type="video/mp4"></video>'
        )

    async def _streamain_page(self, request: Request) -> Response:
        """Names no file; a script of the page would load the player."""
        await self.record(request)
        return HTMLResponse('<!doctype html><div id="app"></div><script src="/app.js"></script>')

    async def _streamain_embed(self, request: Request) -> Response:
        await self.record(request)
        if self.faults.clips_gone:
            return _gone()
        return HTMLResponse(
            f'<!doctype html><video id="player" data-link={quoteattr(self._file_url(request))}>'
        )

    async def _short(self, request: Request) -> Response:
        await self.record(request)
        return RedirectResponse(f"/v/{request.path_params['film']}", 302)

    def _file_url(self, request: Request) -> str:
        host = self.faults.file_host or request.url.hostname
        film = request.path_params["film"]
        return f"http://{host}:{request.url.port or 80}/uploads/{film}.mp4?age=3&t=1"


def _gone() -> Response:
    return HTMLResponse("<!doctype html><title>Video not found</title>", 404)


def clip_url(post: SimPost, port: int) -> str:
    """Posts link to both hosts."""
    if sum(map(ord, post.id)) % 2:
        return f"http://{SECOND_HOST}:{port}/en/{post.video}/watch"
    return f"http://127.0.0.1:{port}/v/{post.video}"


def atom_feed(posts: Sequence[SimPost], port: int) -> str:
    entries = "".join(_entry(post, port) for post in posts)
    return (
        '<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom" '
        'xmlns:media="http://search.yahoo.com/mrss/"><category term="soccer" label="r/soccer"/>'
        f"<id>{FEED}</id><title>newest submissions : soccer</title>{entries}</feed>"
    )


def _entry(post: SimPost, port: int) -> str:
    page = f"https://www.reddit.com/r/soccer/comments/{post.id}/title/"
    link = clip_url(post, port) if post.video else page
    content = (
        f'&#32; submitted by &#32; <a href="https://www.reddit.com/user/{post.author}"> '
        f"/u/{post.author} </a> <br/> <span><a href={quoteattr(link)}>[link]</a></span> &#32; "
        f"<span><a href={quoteattr(page)}>[comments]</a></span>"
    )
    at = "just now" if post.shape == "undated" else post.posted_at.isoformat()
    return (
        f"<entry><author><name>/u/{post.author}</name></author>"
        f'<category term="soccer" label="r/soccer"/><content type="html">{escape(content)}'
        f'</content><id>t3_{post.id}</id><link href="{page}"/><updated>{at}</updated>'
        f"<published>{at}</published><title>{escape(post.text)}</title></entry>"
    )
