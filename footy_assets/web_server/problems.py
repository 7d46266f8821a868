"""Errors as `application/problem+json` (RFC 9457)."""

from http import HTTPStatus
from typing import Any

from starlette.responses import JSONResponse

PROBLEM = "application/problem+json"


def problem_response(
    status: int, detail: str, fix: str = "", headers: dict[str, str] | None = None, **more: Any
) -> JSONResponse:
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status}
    optional = {"detail": detail, "fix": fix, **more}
    return JSONResponse(
        body | {name: value for name, value in optional.items() if value},
        status,
        headers=headers,
        media_type=PROBLEM,
    )
