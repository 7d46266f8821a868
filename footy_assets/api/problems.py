"""What went wrong: problem+json for programs (RFC 9457), a page in plain words for people."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pymongo.errors import PyMongoError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from footy_assets.api.models import Problem
from footy_assets.api.rendering import render
from footy_assets.errors import BadInput, Busy, FootyError, NotFound, Unavailable

log = structlog.get_logger()

PROBLEM = "application/problem+json"
STATUS_OF: tuple[tuple[type[FootyError], int], ...] = (
    (NotFound, 404),
    (BadInput, 400),
    (Busy, 409),
    (Unavailable, 503),
)
# What somebody else holds is free again soon; a server that is away may take longer.
TRY_AGAIN = {Busy: {"Retry-After": "1"}, Unavailable: {"Retry-After": "5"}}
MEANINGS = {
    400: "Not readable",
    401: "The token is missing or wrong",
    403: "No token is set, so nobody may change anything",
    404: "Not known",
    409: "Somebody is at it",
    413: "Too long",
    421: "Not a name of this machine",
    422: "Not understood: `errors` names each field",
    502: "The provider refuses",
    503: "A server does not answer",
}
HEADLINES = {
    400: "That address makes no sense to us",
    401: "This page wants a password",
    404: "Nothing here",
    410: "Gone",
    422: "That address makes no sense to us",
    503: "We cannot look right now",
}
ADVICE = {
    404: "It may have been forgotten: matches and their clips are kept for some weeks.",
    422: "Check the address, or start from the matchday.",
    503: "A server that we need does not answer. Try again in a moment.",
    500: "That is our fault. It has been written down; try again, or start from the matchday.",
}


class Unprocessable(Exception):
    """What was sent is wrong, field by field; nothing was stored."""

    def __init__(self, faults: Sequence[dict[str, str]]) -> None:
        super().__init__(f"{faults[0]['field']}: {faults[0]['message']}")
        self.faults = list(faults)


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """For the OpenAPI: what may go wrong."""
    kind: dict[str, Any] = {"content": {PROBLEM: {}}, "model": Problem}
    return {status: {"description": MEANINGS[status], **kind} for status in statuses}


READING = documented(400, 404, 413, 421, 422)
CHANGING = documented(*MEANINGS)


def problem(
    status: int, detail: str, fix: str = "", headers: dict[str, str] | None = None, **more: Any
) -> JSONResponse:
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status}
    told = {"detail": detail, "fix": fix, **more}
    return JSONResponse(
        body | {name: value for name, value in told.items() if value},
        status,
        headers=headers,
        media_type=PROBLEM,
    )


def answer(
    request: Request,
    status: int,
    detail: str,
    fix: str = "",
    headers: dict[str, str] | None = None,
    **more: Any,
) -> Response:
    """For whoever asked: a browser gets a page, everything else a problem."""
    if not wants_page(request):
        return problem(status, detail, fix, headers, **more)
    body = render(
        "error.html",
        status=status,
        headline=HEADLINES.get(status, "Something went wrong"),
        detail=detail if status != 500 else "",
        advice=fix or ADVICE.get(status, ""),
    )
    return Response(body, status, headers, media_type="text/html")


def wants_page(request: Request) -> bool:
    accepts = request.headers.get("accept", "")
    return "text/html" in accepts and not request.url.path.startswith("/api/")


def install(app: FastAPI) -> None:
    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        headers = dict(error.headers) if error.headers else None
        return answer(request, error.status_code, str(error.detail), headers=headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        faults = [
            {"field": ".".join(map(str, one["loc"])), "message": one["msg"]}
            for one in error.errors()
        ]
        return await unprocessable(request, Unprocessable(faults))

    @app.exception_handler(Unprocessable)
    async def unprocessable(request: Request, error: Unprocessable) -> Response:
        return answer(request, 422, str(error), errors=error.faults)

    @app.exception_handler(FootyError)
    async def ours(request: Request, error: FootyError) -> Response:
        status = next((code for kind, code in STATUS_OF if isinstance(error, kind)), 502)
        later = next((told for kind, told in TRY_AGAIN.items() if isinstance(error, kind)), None)
        return answer(request, status, str(error), error.fix, later)

    @app.exception_handler(PyMongoError)
    async def mongo(request: Request, error: PyMongoError) -> Response:
        log.warning("mongo_failed", path=request.url.path, reason=str(error)[:200])
        later = TRY_AGAIN[Unavailable]
        return answer(request, 503, "The database does not answer", headers=later)

    @app.exception_handler(Exception)
    async def fault(request: Request, error: Exception) -> Response:
        log.error("request_failed", path=request.url.path, exc_info=error)
        return answer(request, 500, "Something went wrong on our side")
