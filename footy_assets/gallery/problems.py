"""Error responses: problem+json for programs (RFC 9457), a page for people."""

from collections.abc import Sequence
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pymongo.errors import PyMongoError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from footy_assets.errors import BadInput, Busy, FootyError, NotFound, Unavailable
from footy_assets.gallery.models import Problem
from footy_assets.gallery.rendering import render
from footy_assets.web_server.problems import PROBLEM, problem_response

log = structlog.get_logger()

STATUS_OF: tuple[tuple[type[FootyError], int], ...] = (
    (NotFound, 404),
    (BadInput, 400),
    (Busy, 409),
    (Unavailable, 503),
)
# A held lease is free again soon; an unreachable server may take longer.
RETRY_AFTER = {Busy: {"Retry-After": "1"}, Unavailable: {"Retry-After": "5"}}
MEANINGS = {
    400: "Invalid request",
    401: "The token is missing or wrong",
    403: "No token is set, so changes are not allowed",
    404: "Not found",
    409: "Another operation is in progress",
    413: "Request too long",
    421: "Not a host name of this machine",
    422: "Invalid: `errors` names each field",
    502: "The provider refuses the request",
    503: "A required server does not answer",
}
HEADLINES = {
    400: "Invalid address",
    401: "Password required",
    404: "Not found",
    410: "Gone",
    422: "Invalid address",
    503: "Temporarily unavailable",
}
ADVICE = {
    404: "It may have expired: matches and their clips are kept for some weeks.",
    422: "Check the address, or start from the matchday.",
    503: "A required server does not answer. Try again in a moment.",
    500: "The error was logged. Try again, or start from the matchday.",
}


class Unprocessable(Exception):
    """The request is invalid, field by field; nothing was stored."""

    def __init__(self, faults: Sequence[dict[str, str]]) -> None:
        super().__init__(f"{faults[0]['field']}: {faults[0]['message']}")
        self.faults = list(faults)


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """For the OpenAPI: the error responses of a route."""
    kind: dict[str, Any] = {"content": {PROBLEM: {}}, "model": Problem}
    return {status: {"description": MEANINGS[status], **kind} for status in statuses}


READING = documented(400, 404, 413, 421, 422)
CHANGING = documented(*MEANINGS)


def error_response(
    request: Request,
    status: int,
    detail: str,
    fix: str = "",
    headers: dict[str, str] | None = None,
    **more: Any,
) -> Response:
    """A page for a browser, problem+json for everything else."""
    if not wants_page(request):
        return problem_response(status, detail, fix, headers, **more)
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
        return error_response(request, error.status_code, str(error.detail), headers=headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        faults = [
            {"field": ".".join(map(str, one["loc"])), "message": one["msg"]}
            for one in error.errors()
        ]
        return await unprocessable(request, Unprocessable(faults))

    @app.exception_handler(Unprocessable)
    async def unprocessable(request: Request, error: Unprocessable) -> Response:
        return error_response(request, 422, str(error), errors=error.faults)

    @app.exception_handler(FootyError)
    async def footy_error(request: Request, error: FootyError) -> Response:
        status = next((code for kind, code in STATUS_OF if isinstance(error, kind)), 502)
        headers = next(
            (found for kind, found in RETRY_AFTER.items() if isinstance(error, kind)), None
        )
        return error_response(request, status, str(error), error.fix, headers)

    @app.exception_handler(PyMongoError)
    async def mongo(request: Request, error: PyMongoError) -> Response:
        log.warning("mongo_failed", path=request.url.path, reason=str(error)[:200])
        headers = RETRY_AFTER[Unavailable]
        return error_response(request, 503, "The database does not answer", headers=headers)

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        log.error("request_failed", path=request.url.path, exc_info=error)
        return error_response(request, 500, "Something went wrong on our side")
