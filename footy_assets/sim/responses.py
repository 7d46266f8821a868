"""The envelope of every response, and the effect of faults on it."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from starlette.responses import HTMLResponse, Response

from footy_assets.sim.faults import Fault
from footy_assets.sim.feed import Json

GATEWAY_PAGE = "<html><head><title>502 Bad Gateway</title></head><body>cloudflare</body></html>"


def envelope(
    path: str, params: Mapping[str, str], response: Any, errors: Mapping[str, str] | None = None
) -> Json:
    """`errors` and `parameters` are lists when empty and objects when not, as in the real one."""
    return {
        "get": path.strip("/"),
        "parameters": params or [],
        "errors": errors or [],
        "results": len(response),
        "paging": {"current": 1, "total": 1},
        "response": response,
    }


def fixture_ids(params: Mapping[str, str], response: Any) -> set[int]:
    """The fixtures of a request: those in its parameters and those in its response."""
    named = "-".join(params.get(name, "") for name in ("id", "ids", "fixture"))
    found = {int(part) for part in named.split("-") if part.isascii() and part.isdigit()}
    return found | {fixture_id for entry in response if (fixture_id := _id_of(entry)) is not None}


def apply_faults(
    status: int, body: Json, faults: Iterable[Fault], headers: Mapping[str, str]
) -> Response:
    """The response after applying the faults of its request."""
    text: str | None = None
    for fault in faults:
        match fault.kind:
            case "fail":
                status, body = fault.status, body | _empty({"server": f"HTTP {fault.status}"})
            case "errors":
                body = body | _empty(fault.errors)
            case "empty":
                body = _with_entries(body, [])
            case "malform":
                body = _with_entries(
                    body, [_invalid(entry, fault.fixture_id) for entry in body["response"]]
                )
            case "omit":
                body = _with_entries(
                    body, [entry for entry in body["response"] if _id_of(entry) != fault.fixture_id]
                )
            case "garble":
                body = _with_entries(body, [{"player": None, "statistics": "?"}])
            case "html":
                return HTMLResponse(GATEWAY_PAGE, status, dict(headers))
            case "truncate":
                whole = json.dumps(body)
                text = whole[: len(whole) // 2]
            case "slow" | "today":
                pass
    return Response(
        json.dumps(body) if text is None else text, status, dict(headers), "application/json"
    )


def _id_of(entry: Any) -> int | None:
    if isinstance(entry, dict) and isinstance(entry.get("fixture"), dict):
        fixture_id = entry["fixture"].get("id")
        return fixture_id if isinstance(fixture_id, int) else None
    return None


def _empty(errors: Mapping[str, str]) -> Json:
    return {"errors": errors, "results": 0, "response": []}


def _with_entries(body: Json, entries: list[Any]) -> Json:
    return body | {"results": len(entries), "response": entries}


def _invalid(entry: Any, fixture_id: int | None) -> Any:
    if _id_of(entry) != fixture_id:
        return entry
    return {
        "fixture": {"id": fixture_id, "date": "soon", "status": None},
        "league": None,
        "teams": [],
        "goals": "?",
        "events": {"0": None},
    }
