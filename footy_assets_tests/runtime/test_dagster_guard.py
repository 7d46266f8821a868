"""The guard of the Dagster UI: which requests and WebSockets get through to Dagster."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from footy_assets.errors import BadInput
from footy_assets.runtime.dagster_guard import DagsterGuard, access_to_dagster
from footy_assets.runtime.supervisor import running
from footy_assets.settings import load_settings
from footy_assets.web_server.connections import ConnectionLimits

TOKEN = "s3cret-t0ken"
BEARER = {"authorization": f"Bearer {TOKEN}"}
JSON = {"content-type": "application/json"}
OWN = {"host": "127.0.0.1:3000"}
PUBLIC = "https://dagster.example"
NAVIGATION = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
PASSED = 200


def status_of(
    headers: dict[str, str], method: str = "GET", path: str = "/", **settings: Any
) -> int:
    """Of the answer; 200 if Dagster would give it. `method` may be WEBSOCKET."""
    access = access_to_dagster(load_settings(**settings))
    sent: list[dict[str, Any]] = []

    async def dagster(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
        else:
            await send({"type": "http.response.start", "status": PASSED, "headers": []})

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "websocket" if method == "WEBSOCKET" else "http",
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "extensions": {"websocket.http.response": {}},
    }
    guard = DagsterGuard(dagster, access, ConnectionLimits(in_all=16))
    asyncio.run(guard(scope, receive, send))
    return PASSED if sent[0]["type"] == "websocket.accept" else int(sent[0]["status"])


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://127.0.0.1:3000"},
        {"origin": "http://127.0.0.1:3000", "sec-fetch-site": "same-origin"},
        {"host": "localhost:3000", "origin": "http://localhost:3000"},
        {"host": "[::1]:3000", "origin": "http://[::1]:3000"},
        {"host": "127.0.0.1", "origin": "http://127.0.0.1"},
        {"host": "127.0.0.1:443", "origin": "https://127.0.0.1"},
        {"sec-fetch-site": "none"},
    ],
)
def test_the_ui_and_programs_get_through(headers: dict[str, str]) -> None:
    assert status_of({**OWN, **JSON, **headers}, "POST", "/graphql") == PASSED
    assert status_of({**OWN, **headers}, "WEBSOCKET", "/graphql") == PASSED


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "null"},
        {"origin": ""},
        {"origin": "http://evil.example"},
        {"origin": "http://127.0.0.1"},
        {"origin": "http://127.0.0.1:3001"},
        {"origin": "http://localhost:3000"},
        {"origin": "http://[", "host": "127.0.0.1:3000"},
        {"origin": "http://127.0.0.1:3000.evil.example"},
        {"origin": "http://127.0.0.1:99999"},
        {"origin": "file://"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site", "origin": "http://127.0.0.1:3000"},
        {"sec-fetch-site": "same-site", **NAVIGATION},
        {"sec-fetch-site": "something-new"},
    ],
)
def test_foreign_pages_do_not(headers: dict[str, str]) -> None:
    assert status_of({**OWN, **JSON, **headers}, "POST", "/graphql") == 403
    assert status_of({**OWN, **headers}, "WEBSOCKET", "/graphql") == 403
    assert status_of({**OWN, "accept": "text/html", **headers}, "GET", "/graphql") == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_link_on_another_site_leads_to_pages_of_the_ui(site: str) -> None:
    followed = {**OWN, "sec-fetch-site": site, **NAVIGATION}
    assert status_of(followed, "GET", "/runs") == PASSED
    for other in ({"sec-fetch-dest": "iframe"}, {"sec-fetch-mode": "no-cors"}):
        assert status_of({**followed, **other}, "GET", "/runs") == 403


@pytest.mark.parametrize("where", [{"dagster_host": "0.0.0.0"}, {"dagster_public_url": PUBLIC}])
def test_beyond_loopback_everything_needs_the_token(where: dict[str, str]) -> None:
    for method, path in (("GET", "/"), ("POST", "/graphql"), ("WEBSOCKET", "/graphql")):
        headers = {**JSON, "host": "dagster.example", "origin": PUBLIC}
        assert status_of(headers, method, path, api_token=TOKEN, **where) == 401
        assert status_of(headers | BEARER, method, path, api_token=TOKEN, **where) == PASSED


def test_behind_a_proxy_the_public_url_is_an_origin_of_the_ui() -> None:
    sent = {**OWN, **JSON, **BEARER, "origin": PUBLIC}
    for method in ("POST", "WEBSOCKET"):
        public = {"api_token": TOKEN, "dagster_public_url": PUBLIC}
        assert status_of(sent, method, "/graphql", **public) == PASSED
        assert status_of(sent, method, "/graphql") == 403


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"dagster_host": "0.0.0.0"}, "FOOTY_DAGSTER_HOST is 0.0.0.0"),
        ({"dagster_host": "::"}, "FOOTY_DAGSTER_HOST is ::"),
        ({"dagster_public_url": PUBLIC}, "FOOTY_DAGSTER_PUBLIC_URL is set"),
    ],
)
def test_beyond_loopback_the_ui_does_not_start_without_a_token(
    settings: dict[str, str], named: str
) -> None:
    with pytest.raises(BadInput, match=named):
        access_to_dagster(load_settings(**settings)).require_token()
    access_to_dagster(load_settings(api_token=TOKEN, **settings)).require_token()


@pytest.mark.parametrize("setting", ["dagster_host", "api_host"])
def test_footy_up_refuses_a_public_address_without_a_token_before_anything_starts(
    setting: str, tmp_path: Path
) -> None:
    settings = load_settings(home=tmp_path / "home", **{setting: "0.0.0.0"})
    said = rf"FOOTY_{setting.upper()} is 0.0.0.0, which other machines can reach"
    with pytest.raises(BadInput, match=said), running(settings):
        pass
    assert not settings.home.exists()
