"""Access control: token, Host header, CORS, size limits, security headers."""

from collections.abc import Iterator

import httpx
import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import BadInput
from footy_assets.gallery.access import access_of
from footy_assets.settings import load_settings
from footy_assets.store.collections import Document
from footy_assets_tests.gallery.conftest import Gallery
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
def test_nothing_changes_without_the_token(gallery: Gallery, headers: dict[str, str]) -> None:
    """Basic credentials, which browsers send by themselves, do not count as the token."""
    event = gallery.matchday.salah.event_id
    for path in (f"/api/v1/events/{event}/search", "/api/v1/ingest"):
        answer = gallery.http.post(path, json={"date": "2025-05-10"}, headers=headers)
        assert answer.status_code == 401
        assert answer.headers["content-type"] == "application/problem+json"


def test_without_a_configured_token_every_change_is_refused(
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
def test_a_foreign_host_header_is_refused(gallery: Gallery, host: str) -> None:
    """DNS rebinding: a foreign page must not read this site under its own host name."""
    answer = gallery.http.get("/", headers={"Host": host})
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
def test_every_host_name_of_this_machine_is_accepted(gallery: Gallery, host: str) -> None:
    assert gallery.http.get("/", headers={"Host": host}).status_code == 200


def test_no_other_site_may_read_answers(gallery: Gallery) -> None:
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "GET"}
    answer = gallery.http.get("/api/v1/fixtures", headers=headers)
    assert "access-control-allow-origin" not in answer.headers
    assert gallery.http.options("/api/v1/fixtures", headers=headers).status_code == 405


def test_requests_that_are_too_long_are_refused(gallery: Gallery) -> None:
    assert gallery.http.post("/api/v1/ingest", content=b"x" * 20_000).status_code == 413
    without_length = gallery.http.post("/api/v1/ingest", content=(b"x" for _ in range(10)))
    assert without_length.status_code == 411
    chunked = {"Transfer-Encoding": "Chunked"}
    without_length = gallery.http.post(
        "/api/v1/ingest", content=(b"x" for _ in range(10)), headers=chunked
    )
    assert without_length.status_code == 411
    assert gallery.http.get("/search", params={"q": "x" * 81}).status_code == 422
    assert gallery.http.get("/live", params={"since": "A" * 2000}).status_code == 422


def test_long_lists_of_snapshots_and_triggers_are_read_before_they_are_refused(
    gallery: Gallery,
) -> None:
    for path in ("/api/v1/snapshots", "/api/v1/triggers"):
        long = gallery.http.post(path, json=["x" * 100] * 5_000, headers=BEARER)
        assert long.status_code == 422, long.text[:200]
        assert gallery.http.post(path, content=b"x" * 4_200_000).status_code == 413


def test_every_response_has_security_headers(gallery: Gallery) -> None:
    for path in ("/", "/api/v1/fixtures", "/static/live.js", "/nothing", gallery.matchday.video):
        headers = (
            gallery.http.head(path).headers if "video" in path else gallery.http.get(path).headers
        )
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe-inline" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


@pytest.fixture
def public_site(
    database: Database[Document], clip_store: ClipStore, clock: ManualClock
) -> Iterator[Site]:
    """A site that other machines can reach."""
    settings = load_settings(api_host="0.0.0.0", api_port=0, api_token=TOKEN, dagster_port=0)
    with running_site(database, clip_store, clock, settings) as running:
        yield running


def test_beyond_loopback_everything_needs_the_token(public_site: Site) -> None:
    for path in ("/", "/api/v1/fixtures", "/live", "/metrics", "/static/live.js"):
        answer = httpx.get(public_site.url + path)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Basic")
    assert httpx.get(f"{public_site.url}/", headers=BEARER).status_code == 200
    assert httpx.get(f"{public_site.url}/", auth=("anybody", TOKEN)).status_code == 200
    assert httpx.get(f"{public_site.url}/", auth=("anybody", "wrong")).status_code == 401
    assert httpx.get(f"{public_site.url}/", headers={"Authorization": "Basic %"}).status_code == 401


def test_beyond_loopback_the_app_does_not_start_without_a_token() -> None:
    with pytest.raises(BadInput, match="FOOTY_API_HOST"):
        access_of(load_settings(api_host="0.0.0.0")).require_token()
    access_of(load_settings(api_host="::1")).require_token()
