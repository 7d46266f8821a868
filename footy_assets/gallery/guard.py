"""Access control and security headers of every response."""

import base64
import binascii
import hmac
import ipaddress
import time
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from footy_assets.gallery.metrics import Metrics
from footy_assets.gallery.problems import problem_response
from footy_assets.gallery.services import Services
from footy_assets.settings import Settings

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


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def most_bytes(path: str) -> int:
    """The maximum length of a request body, in bytes."""
    return next((most for part, most in LONGER_BODIES.items() if path.startswith(part)), MOST_BYTES)


class Guard:
    """Middleware that checks every request.

    On loopback everyone may read, but only under a host name of this machine, which stops DNS
    rebinding. Beyond loopback every request needs the token.

    Starlette's TrustedHostMiddleware accepts a fixed list of names and answers 400 as plain text;
    this one accepts every loopback address, and answers with a 421 problem that names the setting.
    """

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics
        self._token = settings.api_token.get_secret_value() if settings.api_token else None
        self._open = is_loopback(settings.api_host)
        public = urlsplit(settings.api_public_url or "").hostname
        self._names = {name for name in (settings.api_host, public) if name}

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
        else:
            await self._app(scope, receive, sending)
        route = getattr(scope.get("route"), "path", UNMATCHED_ROUTE)
        if route != "/live":
            took = time.perf_counter() - started
            self._metrics.seconds.labels(scope["method"], route, str(status)).observe(took)

    def _refusal(self, path: str, headers: Headers) -> ASGIApp | None:
        host = _host(headers.get("host", ""))
        if self._open and not is_loopback(host) and host not in self._names:
            return problem_response(
                421,
                f"{host} is not a host name of this machine",
                "Set FOOTY_API_PUBLIC_URL to allow the name",
            )
        length, most = headers.get("content-length", "0"), most_bytes(path)
        if not length.isdigit() or int(length) > most:
            return problem_response(413, f"the request is longer than {most} bytes")
        if "transfer-encoding" in headers:
            return problem_response(411, "Content-Length is missing")
        if not self._open and not self._has_token(headers.get("authorization", "")):
            challenge = {"WWW-Authenticate": 'Basic realm="footy", charset="UTF-8"'}
            return problem_response(
                401,
                "beyond loopback every request needs the token",
                "Use FOOTY_API_TOKEN as the password, with any user name",
                challenge,
            )
        return None

    def _has_token(self, authorization: str) -> bool:
        kind, _, given = authorization.partition(" ")
        if kind.lower() == "basic":
            try:
                given = base64.b64decode(given, validate=True).decode().partition(":")[2]
            except (binascii.Error, ValueError):
                return False
        elif kind.lower() != "bearer":
            return False
        return self._token is not None and tokens_equal(given, self._token)


def _host(header: str) -> str:
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return header


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


def tokens_equal(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())
