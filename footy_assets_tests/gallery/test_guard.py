"""Who may ask for what."""

from collections.abc import Iterator

import httpx
import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import BadInput
from footy_assets.gallery.serving import require_token_beyond_loopback
from footy_assets.settings import load_settings
from footy_assets.store.collections import Document
from footy_assets_tests.gallery.conftest import Shown
from footy_assets_tests.gallery.site import TOKEN, Site, running_site
from resources.s3.clip_store import ClipStore

BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"bearer {TOKEN}x"},
        {"Authorization": TOKEN},
        {"Authorization": "Basic eDpzM2NyZXQtdDBrZW4="},
    ],
)
def test_nothing_changes_without_the_token(shown: Shown, headers: dict[str, str]) -> None:
    """A password that browsers send by themselves is no token either."""
    event = shown.played.salah.event_id
    for path in (f"/api/v1/events/{event}/search", "/api/v1/ingest"):
        answer = shown.http.post(path, json={"date": "2025-05-10"}, headers=headers)
        assert answer.status_code == 401
        assert answer.headers["content-type"] == "application/problem+json"


def test_where_no_token_is_set_nobody_may_change_anything(
    database: Database[Document], clip_store: ClipStore, clock: ManualClock
) -> None:
    settings = load_settings(api_port=0, dagster_port=0)
    with running_site(database, clip_store, clock, settings) as site:
        answer = httpx.post(f"{site.url}/api/v1/events/x/search", headers=BEARER)
        assert answer.status_code == 403
        assert "FOOTY_API_TOKEN" in answer.json()["detail"]


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:3080", "127.0.0.1.evil.example", "[", "::", ""]
)
def test_a_name_of_another_machine_is_refused(shown: Shown, host: str) -> None:
    """DNS rebinding: a page elsewhere must not read us by way of its own name."""
    answer = shown.http.get("/", headers={"Host": host})
    assert answer.status_code == 421
    assert answer.headers["content-type"] == "application/problem+json"
    assert "FOOTY_API_PUBLIC_URL" in answer.text


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:3080",
        "127.0.0.1:3080",
        "127.1.2.3",
        "[::1]",
        "[::1]:3080",
        "[0:0:0:0:0:0:0:1]:3080",
    ],
)
def test_every_name_of_this_machine_is_welcome(shown: Shown, host: str) -> None:
    assert shown.http.get("/", headers={"Host": host}).status_code == 200


def test_no_other_site_may_read_answers(shown: Shown) -> None:
    asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "GET"}
    answer = shown.http.get("/api/v1/fixtures", headers=asked)
    assert "access-control-allow-origin" not in answer.headers
    assert shown.http.options("/api/v1/fixtures", headers=asked).status_code == 405


def test_what_is_too_long_is_refused(shown: Shown) -> None:
    assert shown.http.post("/api/v1/ingest", content=b"x" * 20_000).status_code == 413
    unsaid = shown.http.post("/api/v1/ingest", content=(b"x" for _ in range(10)))
    assert unsaid.status_code == 411
    spelled = {"Transfer-Encoding": "Chunked"}
    unsaid = shown.http.post("/api/v1/ingest", content=(b"x" for _ in range(10)), headers=spelled)
    assert unsaid.status_code == 411
    assert shown.http.get("/search", params={"q": "x" * 81}).status_code == 422
    assert shown.http.get("/live", params={"since": "A" * 2000}).status_code == 422


def test_long_lists_of_snapshots_and_triggers_are_read_before_they_are_refused(
    shown: Shown,
) -> None:
    for path in ("/api/v1/snapshots", "/api/v1/triggers"):
        long = shown.http.post(path, json=["x" * 100] * 5_000, headers=BEARER)
        assert long.status_code == 422, long.text[:200]
        assert shown.http.post(path, content=b"x" * 4_200_000).status_code == 413


def test_every_answer_says_what_a_browser_may_do_with_it(shown: Shown) -> None:
    for path in ("/", "/api/v1/fixtures", "/static/live.js", "/nothing", shown.played.video):
        headers = shown.http.head(path).headers if "video" in path else shown.http.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe-inline" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


@pytest.fixture
def beyond(
    database: Database[Document], clip_store: ClipStore, clock: ManualClock
) -> Iterator[Site]:
    """A site that others can reach."""
    settings = load_settings(api_host="0.0.0.0", api_port=0, api_token=TOKEN, dagster_port=0)
    with running_site(database, clip_store, clock, settings) as running:
        yield running


def test_beyond_loopback_everything_needs_the_token(beyond: Site) -> None:
    for path in ("/", "/api/v1/fixtures", "/live", "/metrics", "/static/live.js"):
        answer = httpx.get(beyond.url + path)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Basic")
    assert httpx.get(f"{beyond.url}/", headers=BEARER).status_code == 200
    assert httpx.get(f"{beyond.url}/", auth=("anybody", TOKEN)).status_code == 200
    assert httpx.get(f"{beyond.url}/", auth=("anybody", "wrong")).status_code == 401
    assert httpx.get(f"{beyond.url}/", headers={"Authorization": "Basic %"}).status_code == 401


def test_beyond_loopback_without_a_token_is_no_start() -> None:
    with pytest.raises(BadInput, match="FOOTY_API_HOST"):
        require_token_beyond_loopback(load_settings(api_host="0.0.0.0"))
    require_token_beyond_loopback(load_settings(api_host="::1"))
