"""Public hosts on loopback, for downloads in the process of a test."""

import socket
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from resources.downloads.guard import NetworkRule
from resources.downloads.hosts import allowed_hosts

FILM = b"\x00\x00\x00 ftypisom" + b"x" * 5_000
CDN, OTHER_CDN = "video.twimg.com", "video.bsky.app"
PUBLIC = "93.184.216.34"


@dataclass
class Internet:
    """A CDN behind public addresses: names resolve as told, and connections to a public address
    lead to a server on loopback. Connections to other addresses are recorded, and made nowhere.

    Where `wanted_cookie` is set, requests without it are unauthorized. `cookies` are those that
    came, in order.
    """

    names: dict[str, str] = field(default_factory=dict)
    answers: dict[str, Response] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    reached: list[str] = field(default_factory=list)
    cookies: list[str] = field(default_factory=list)
    wanted_cookie: str = ""
    port: int = 0

    def reset(self) -> None:
        self.names = {CDN: PUBLIC, OTHER_CDN: PUBLIC, "x.com": PUBLIC}
        self.wanted_cookie = ""
        for record in (self.answers, self.asked, self.reached, self.cookies):
            record.clear()

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/{name:path}", self._serve, methods=["GET", "HEAD"])])

    async def _serve(self, request: Request) -> Response:
        self.asked.append(request.url.path)
        self.cookies.append(request.headers.get("cookie", ""))
        if self.wanted_cookie and self.wanted_cookie not in self.cookies[-1]:
            return Response("log in", 401)
        return self.answers.get(request.url.path, Response(FILM, media_type="video/mp4"))

    def resolve(self, host: str, port: int, **_: Any) -> list[Any]:
        address = self.names.get(host, host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    def dial(self, address: tuple[str, int], timeout: float | None, _: Any) -> socket.socket:
        self.reached.append(address[0])
        assert address[0] == PUBLIC
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def rule(self, max_bytes: int = 10**8) -> NetworkRule:
        return NetworkRule(allowed_hosts(), max_bytes, resolve=self.resolve, dial=self.dial)
