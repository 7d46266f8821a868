"""What the simulated sites have in common: posts as a clock sees them, films, visitors."""

import asyncio
from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from footy_assets.clock import Clock
from footy_assets.sim.loopback import LoopbackApp
from footy_assets.sim.social import media
from footy_assets.sim.social.media import Films, no_films
from footy_assets.sim.social.posts import Posts, SimPost


@dataclass(frozen=True)
class SiteRequest:
    path: str
    query: str
    at: datetime
    user_agent: str


class PostsServer(LoopbackApp):
    """Serves posts as its clock sees them. Use as a context manager, or start and stop it."""

    def __init__(
        self,
        posts: Posts,
        clock: Clock,
        *,
        films: Films = no_films,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        super().__init__(host, port)
        self.posts, self.clock, self.films = posts, clock, films
        self.requests: list[SiteRequest] = []

    def requests_to(self, path: str) -> list[SiteRequest]:
        return [visit for visit in self.requests if path in visit.path]

    def posts_of(self, site: str) -> list[SimPost]:
        """What was posted there until now, newest first."""
        now = self.clock.now()
        here = [post for post in self.posts(now) if site in post.sites and post.posted_at <= now]
        return sorted(here, key=lambda post: post.posted_at, reverse=True)

    async def record(self, request: Request) -> None:
        agent = request.headers.get("user-agent", "")
        visit = SiteRequest(request.url.path, request.url.query, self.clock.now(), agent)
        self.requests.append(visit)

    async def send_mp4(self, request: Request) -> Response:
        """The film that the path names."""
        await self.record(request)
        film = await asyncio.to_thread(self.films, request.path_params["film"])
        return media.send_mp4(film, request)
