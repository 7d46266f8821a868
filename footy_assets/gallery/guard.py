"""Access control and security headers of every response."""

import time
from typing import Annotated

from fastapi import Depends, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from footy_assets.gallery.access import access_of
from footy_assets.gallery.metrics import Metrics
from footy_assets.gallery.services import Services
from footy_assets.settings import Settings
from footy_assets.web_server.access import tokens_equal
from footy_assets.web_server.connections import RETRY_SECONDS, ConnectionLimits, StreamSlots
from footy_assets.web_server.problems import problem_response

MOST_BYTES = 16_384
# These bodies may be long lists; their handlers report what is invalid.
LONGER_BODIES = {"/api/v1/snapshots": 4_194_304, "/api/v1/triggers": 1_048_576}
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
UNMATCHED_ROUTE = "other"
LIVE = "/live"


def most_bytes(path: str) -> int:
    """The maximum length of a request body, in bytes."""
    return next((most for part, most in LONGER_BODIES.items() if path.startswith(part)), MOST_BYTES)


class Guard:
    """Middleware that checks every request, and how many live streams there are.

    On loopback everyone may read, but only under a host name of this machine. Beyond loopback every
    request needs the token.
    """

    def __init__(
        self, app: ASGIApp, settings: Settings, metrics: Metrics, limits: ConnectionLimits
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._access = access_of(settings)
        self._streams = StreamSlots(limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if scope["path"].startswith("/static/") and status == 200:
                    headers["Cache-Control"] = "public, max-age=86400"
            await send(message)

        refused = self._refusal(scope["path"], Headers(scope=scope))
        if refused is not None:
            await refused(scope, receive, sending)
        elif scope["path"] == LIVE:
            await self._stream(scope, receive, sending)
        else:
            await self._app(scope, receive, sending)
        route = getattr(scope.get("route"), "path", UNMATCHED_ROUTE)
        if route != LIVE:
            took = time.perf_counter() - started
            self._metrics.seconds.labels(scope["method"], route, str(status)).observe(took)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._streams.slot((scope.get("client") or ("",))[0]) as free:
            if free:
                await self._app(scope, receive, send)
                return
        later = {"Retry-After": str(RETRY_SECONDS)}
        refused = problem_response(503, "too many live streams are open", headers=later)
        await refused(scope, receive, send)

    def _refusal(self, path: str, headers: Headers) -> ASGIApp | None:
        if (refused := self._access.refused_host(headers)) is not None:
            return refused
        length, most = headers.get("content-length", "0"), most_bytes(path)
        if not length.isdigit() or int(length) > most:
            return problem_response(413, f"the request is longer than {most} bytes")
        if "transfer-encoding" in headers:
            return problem_response(411, "Content-Length is missing")
        return self._access.refused_token(headers)


def may_change(
    services: Services,
    given: Annotated[HTTPAuthorizationCredentials | None, Security(HTTPBearer(auto_error=False))],
) -> None:
    """Requires a bearer token: browsers resend passwords by themselves, but never tokens."""
    token = services.settings.api_token
    if token is None:
        raise HTTPException(403, "changes are not allowed: FOOTY_API_TOKEN is not set")
    if given is None or not tokens_equal(given.credentials, token.get_secret_value()):
        raise HTTPException(
            401,
            "the token is missing or wrong; send it as `Authorization: Bearer …`",
            {"WWW-Authenticate": "Bearer"},
        )


MayChange = Depends(may_change)
