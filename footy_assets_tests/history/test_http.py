"""Y5–Y7, Y11 over HTTP: the web app, with its token."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from footy_assets.settings import load_settings
from footy_assets.store.collections import AUDIT
from footy_assets_tests.gallery.site import TOKEN, running_site
from footy_assets_tests.history.conftest import Sourcing
from resources.s3.clip_store import ClipStore

pytestmark = pytest.mark.slow

SEASONS = "/api/sourcing/historical/seasons"
ONE = {"league": 39, "season": 2023}
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def api(sourcing: Sourcing, clip_store: ClipStore) -> Iterator[httpx.Client]:
    settings = load_settings(api_port=0, api_token=TOKEN, dagster_port=0)
    database, clock = sourcing.store.database, sourcing.clock
    with (
        running_site(database, clip_store, clock, settings, live=False) as site,
        httpx.Client(base_url=site.url, headers=BEARER, timeout=20) as client,
    ):
        yield client


def json_of(answer: httpx.Response, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    return answer.json()


def test_y7_a_second_start_returns_the_running_one(api: httpx.Client) -> None:
    first = json_of(api.post(SEASONS, json=ONE, headers={"X-Footy-Who": "Ann"}), 202)
    assert json_of(api.post(SEASONS, json=ONE)) == first
    assert (first["state"], first["started_by"]) == ("WaitingForSeason", "Ann (api)")
    assert [one["key"] for one in json_of(api.get(SEASONS))] == ["39:2023"]


def test_y6_y11_status_retry_and_backfill(api: httpx.Client, sourcing: Sourcing) -> None:
    json_of(api.post(SEASONS, json=ONE), 202)
    json_of(api.post(f"{SEASONS}/39:2023/backfill"), 503)
    sourcing.source()
    answer = json_of(api.get(f"{SEASONS}/39:2023"))
    assert answer["complete"]
    assert answer["tiers"]["team_season"]["processed"] == 20
    assert json_of(api.post(f"{SEASONS}/39:2023/retry"), 202)["documents_due"] == 0
    response = api.post(f"{SEASONS}/39:2023/backfill", json={"why": "a test"})
    assert len(json_of(response, 202)["matchdays"]) == 114
    (listed,) = json_of(api.get(SEASONS))
    assert (len(listed["backfill"]["days"]), listed["backfill"]["launched"]) == (114, None)
    json_of(api.post(SEASONS, json=ONE | {"refresh": True}), 202)
    assert not json_of(api.get(f"{SEASONS}/39:2023"))["complete"]


def test_y5_advance_is_recorded(api: httpx.Client, sourcing: Sourcing) -> None:
    json_of(api.post(SEASONS, json=ONE), 202)
    answer = json_of(api.post(f"{SEASONS}/39:2023/advance", json={"why": "in a hurry"}))
    assert answer == {"key": "39:2023", "state": "WaitingForVenue"}
    entry = sourcing.store.database[AUDIT].find_one({"operation": "advance season"})
    assert entry is not None
    assert (entry["who"], entry["why"]) == ("api", "in a hurry")


def test_y5_y11_metrics_show_stalled_seasons_and_progress_of_each_tier(
    api: httpx.Client, sourcing: Sourcing
) -> None:
    json_of(api.post(SEASONS, json=ONE), 202)
    assert figures(api)["footy_history_stalled_seasons",] == 0
    sourcing.clock.advance(31 * 60)
    late = figures(api)
    assert late["footy_history_stalled_seasons",] == 1
    assert late["footy_history_waiting_seconds", "39:2023", "WaitingForSeason"] == 31 * 60
    sourcing.source()
    answer = figures(api)
    assert answer["footy_history_stalled_seasons",] == 0
    assert answer["footy_history_documents", "39:2023", "processed", "venue"] == 20
    assert answer["footy_history_documents", "39:2023", "failed", "venue"] == 0


def figures(api: httpx.Client) -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(api.get("/metrics").text)
        for sample in family.samples
    }


def test_changing_anything_needs_the_token(api: httpx.Client, sourcing: Sourcing) -> None:
    api.headers.pop("Authorization")
    for path in ("", "/39:2023/advance", "/39:2023/retry", "/39:2023/backfill"):
        refused = api.post(SEASONS + path, json={} if path else ONE)
        assert json_of(refused, 401)["status"] == 401
        assert refused.headers["content-type"] == "application/problem+json"
    assert json_of(api.get(SEASONS)) == []
    assert not sourcing.store.seasons()


def test_an_invalid_or_unknown_season_is_answered_with_a_problem(api: httpx.Client) -> None:
    wrong = {"39": 422, "39:23": 422, "x:2023": 422, "39:1700": 400, "39:2011": 404}
    for key, status in wrong.items():
        refused = api.get(f"{SEASONS}/{key}")
        assert json_of(refused, status)["detail"], key
        assert refused.headers["content-type"] == "application/problem+json"
