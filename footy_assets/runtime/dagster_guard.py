"""Access control of the Dagster UI, whose own server has none.

Dagster's server runs GraphQL mutations that come by GET, from any page and under any host name: a
foreign page could stop sensors and launch runs with an `<img>`.
"""

from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from footy_assets.settings import Settings
from footy_assets.web_server.access import Access
from footy_assets.web_server.connections import RETRY_SECONDS, ConnectionLimits, StreamSlots
from footy_assets.web_server.problems import problem_response

GRAPHQL = "/graphql"
READING = ("GET", "HEAD")
# What browsers say about requests of the UI itself, of an address typed in, and of no browser.
OWN_SITES = ("same-origin", "none", None)
PORTS = {"http": 80, "https": 443}
HEADERS = {
    "X-Frame-Options": "SAMEORIGIN",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def access_to_dagster(settings: Settings) -> Access:
    """Whoever reaches the UI may change anything: under a public URL, too, only with the token."""
    return Access(
        "FOOTY_DAGSTER",
        settings.dagster_host,
        settings.dagster_public_url,
        settings.api_token,
        token_for_public_url=True,
    )


class DagsterGuard:
    """Middleware around Dagster's server that checks every request and WebSocket.

    Foreign pages may link to the UI, and nothing else. GraphQL comes by POST as JSON, which no page
    can send to another origin unless that one agrees; Dagster's server never does.
    """

    def __init__(self, app: ASGIApp, access: Access, limits: ConnectionLimits) -> None:
        self._app = app
        self._access = access
        self._sockets = StreamSlots(limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        headers = Headers(scope=scope)
        refused = self._refused_sender(scope, headers) or refused_form(scope, headers)
        if refused is not None:
            await refused(scope, receive, sending)
            return
        if scope["path"] == GRAPHQL and scope["method"] in READING:
            # The page of GraphiQL. Without a query there is nothing that a server could run.
            scope = {**scope, "query_string": b""}
        await self._app(scope, receive, sending)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = self._refused_sender(scope, Headers(scope=scope))
        if refused is None:
            with self._sockets.slot((scope.get("client") or ("",))[0]) as free:
                if free:
                    await self._app(scope, receive, send)
                    return
            later = {"Retry-After": str(RETRY_SECONDS)}
            refused = problem_response(503, "too many WebSockets are open", headers=later)
        await WebSocket(scope, receive, send).send_denial_response(refused)

    def _refused_sender(self, scope: Scope, headers: Headers) -> Response | None:
        if (refused := self._access.refused_host(headers)) is not None:
            return refused
        if not self._is_own_page(headers) and not is_link(scope, headers):
            return problem_response(
                403,
                "the request comes from a page of another site",
                "Open the Dagster UI under its own address",
            )
        return self._access.refused_token(headers)

    def _is_own_page(self, headers: Headers) -> bool:
        """Whether a page of the UI sends the request, or a program that is no browser."""
        if headers.get("sec-fetch-site") not in OWN_SITES:
            return False
        origin = headers.get("origin")
        if origin is None:
            return True
        own = [f"//{headers.get('host', '')}", self._access.public_url or "//"]
        try:
            sender = urlsplit(origin)
            sent_from = _address(sender, sender)
            return None not in sent_from and sent_from in [
                _address(urlsplit(one), sender) for one in own
            ]
        except ValueError:
            return False


def is_link(scope: Scope, headers: Headers) -> bool:
    """Whether somebody follows a link to a page of the UI: it is shown, and nothing is changed."""
    return (
        scope["type"] == "http"
        and scope["method"] in READING
        and scope["path"] != GRAPHQL
        and headers.get("origin") is None
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
    )


def refused_form(scope: Scope, headers: Headers) -> Response | None:
    """GET shows, POST changes, and the body of a POST is JSON."""
    if scope["method"] in READING:
        if scope["path"] != GRAPHQL or "text/html" in headers.get("accept", ""):
            return None
        allowed = "POST"
    elif scope["method"] == "POST":
        kinds = [kind.partition(";")[0].strip() for kind in headers.getlist("content-type")]
        if [kind.lower() for kind in kinds] == ["application/json"]:
            return None
        return problem_response(415, "the body is not JSON", "Send it as application/json")
    else:
        allowed = "GET, HEAD, POST"
    fix = f"Send {allowed} with a body of application/json"
    return problem_response(405, f"{scope['method']} is not allowed", fix, {"Allow": allowed})


def _address(url: SplitResult, sender: SplitResult) -> tuple[str | None, int | None]:
    """Host and port; without one, the port of the sender's scheme."""
    return url.hostname, url.port or PORTS.get(url.scheme or sender.scheme)
