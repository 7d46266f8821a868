"""Answers with an ETag: who has the same bytes already gets none."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.responses import Response

from footy_assets.gallery.view_cache import etag_of

KEPT_HEADERS = ("cache-control", "etag", "vary", "link")


class ETagRoute(APIRoute):
    """A route whose good answers carry an ETag of their bytes."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def tagged(request: Request) -> Response:
            answer = await handle(request)
            # A stream has no body yet.
            body = getattr(answer, "body", None)
            if request.method in ("GET", "HEAD") and answer.status_code == 200 and body:
                if "etag" not in answer.headers:
                    answer.headers["etag"] = etag_of(bytes(body))
                answer.headers.setdefault("cache-control", "no-cache")
                if client_has_current(request, answer.headers["etag"]):
                    kept = {
                        name: answer.headers[name]
                        for name in KEPT_HEADERS
                        if name in answer.headers
                    }
                    return Response(status_code=304, headers=kept)
            return answer

        return tagged


class PageRoute(ETagRoute):
    """A page, which also says how long it is without being sent: programs look first."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **more: Any) -> None:
        super().__init__(path, endpoint, **more)
        self.methods = {*(self.methods or ()), "HEAD"}


def client_has_current(request: Request, etag: str) -> bool:
    given = request.headers.get("if-none-match", "")
    return given.strip() == "*" or etag in [
        one.strip().removeprefix("W/") for one in given.split(",")
    ]
