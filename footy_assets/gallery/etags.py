"""Routes with ETags: a client that has the current bytes gets a 304."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.responses import Response

from footy_assets.gallery.view_cache import etag_of

KEPT_HEADERS = ("cache-control", "etag", "vary", "link")


class ETagRoute(APIRoute):
    """A route whose 200 responses carry an ETag of their body."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def with_etag(request: Request) -> Response:
            response = await handle(request)
            # A stream has no body yet.
            body = getattr(response, "body", None)
            if request.method in ("GET", "HEAD") and response.status_code == 200 and body:
                if "etag" not in response.headers:
                    response.headers["etag"] = etag_of(bytes(body))
                response.headers.setdefault("cache-control", "no-cache")
                if client_has_current(request, response.headers["etag"]):
                    kept = {
                        name: response.headers[name]
                        for name in KEPT_HEADERS
                        if name in response.headers
                    }
                    return Response(status_code=304, headers=kept)
            return response

        return with_etag


class PageRoute(ETagRoute):
    """A page, which also answers HEAD."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **more: Any) -> None:
        super().__init__(path, endpoint, **more)
        self.methods = {*(self.methods or ()), "HEAD"}


def client_has_current(request: Request, etag: str) -> bool:
    given = request.headers.get("if-none-match", "")
    return given.strip() == "*" or etag in [
        one.strip().removeprefix("W/") for one in given.split(",")
    ]
