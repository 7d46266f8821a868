"""`/status`, `/admin/recycle` and `/metrics` of a running web app."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from pymongo import MongoClient
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.providers.rules.priority import Priority
from footy_assets.providers.rules.reconcile import reconcile
from footy_assets.providers.rules.records import ProviderRecord
from footy_assets.providers.rules.recovery import Action, RecoveryEntry
from footy_assets.providers.rules.snapshots import next_snapshot
from footy_assets.providers.store.provider_state import ProviderState
from footy_assets.providers.store.records import ProviderRecords
from footy_assets.providers.store.snapshots import MatchState, MergedSnapshots
from footy_assets.settings import load_settings
from footy_assets.store.collections import Document
from footy_assets_tests.gallery.site import TOKEN, running_site
from footy_assets_tests.providers.reports import NOON, after, report
from resources.s3.clip_store import ClipStore

pytestmark = pytest.mark.slow

SUMMARY = {
    "grade",
    "freshness",
    "queue_depth",
    "active",
    "failure_ratio",
    "paused",
    "last_success",
    "sources",
    "audit",
}


TWO = """\
providers:
  api_football: {adapter: api_football, precedence: 100}
  second: {adapter: football_data}
"""


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOON)


@pytest.fixture
def http(
    database: Database[Document], clip_store: ClipStore, clock: ManualClock, tmp_path: Path
) -> Iterator[httpx.Client]:
    (tmp_path / "sources.yaml").write_text(TWO)
    settings = load_settings(api_port=0, api_token=TOKEN, dagster_port=0, home=tmp_path)
    with (
        running_site(database, clip_store, clock, settings) as site,
        httpx.Client(base_url=site.url, timeout=10) as client,
    ):
        yield client


def test_status_has_the_health_of_the_providers_cached_for_5_s(
    http: httpx.Client, database: Database[Document], clock: ManualClock
) -> None:
    first = http.get("/status").json()
    assert {"state", "version", "parts"} <= first.keys()
    assert first["sources"].keys() >= SUMMARY
    assert first["sources"]["paused"] == []
    record = ProviderRecord(1, "api_football", NOON, Priority.LIVE)
    for _ in range(5):
        record = record.failed(NOON)
    ProviderRecords(database).save([(None, record)])
    clock.advance(4)
    assert http.get("/status").json()["sources"]["paused"] == []
    clock.advance(1)
    assert http.get("/status").json()["sources"]["paused"] == ["api_football:1"]
    assert http.get("/api/v1/sources").json()["failure_ratio"] == 1.0


def test_status_without_a_database_still_lists_the_parts(
    mongo_uri: str, clip_store: ClipStore, clock: ManualClock, tmp_path: Path
) -> None:
    client: MongoClient[Document] = MongoClient(mongo_uri, tz_aware=True)
    settings = load_settings(api_port=0, dagster_port=0, home=tmp_path)
    with running_site(client["lost"], clip_store, clock, settings) as site:
        client.close()
        answer = httpx.get(f"{site.url}/status", timeout=30)
        assert answer.status_code == 503
        body = answer.json()
        assert body["sources"] is None
        assert {part["name"]: part["state"] for part in body["parts"]}["MongoDB"] == "down"


def test_admin_recycle_needs_the_token(http: httpx.Client, database: Database[Document]) -> None:
    assert http.post("/admin/recycle").status_code == 401
    assert ProviderState(database).claim_request() is None
    answer = http.post("/admin/recycle", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 202
    wish = ProviderState(database).claim_request()
    assert wish is not None
    assert wish.action is Action.MANUAL
    assert wish.id in answer.json()["detail"]


def test_L6_admin_recycle_works_with_one_provider_too(
    http: httpx.Client, database: Database[Document], tmp_path: Path
) -> None:
    (tmp_path / "sources.yaml").unlink()
    answer = http.post("/admin/recycle", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 202
    assert ProviderState(database).claim_request() is not None


def test_status_shows_the_last_10_recoveries(
    http: httpx.Client, database: Database[Document]
) -> None:
    for n in range(12):
        ProviderState(database).record(RecoveryEntry(f"r{n}", after(n), Action.MANUAL, "by hand"))
    body = http.get("/status").json()["sources"]["audit"]
    assert [entry["id"] for entry in body] == [f"r{n}" for n in range(11, 1, -1)]
    wanted = {"id", "at", "action", "condition", "outcome", "seconds", "before", "after"}
    assert body[0].keys() == wanted | {"subject"}


def test_R3_a_match_by_field_with_providers_and_changes(
    http: httpx.Client, database: Database[Document]
) -> None:
    kept = MatchState()
    for goals in (0, 1):
        made = reconcile([report("second", home=goals, at=after(goals))], {"second": 80})
        made_of = (5000, made.fields, made.provenance, after(goals))
        new = MatchState(next_snapshot(kept.snapshot, *made_of))
        MergedSnapshots(database).save([(5000, kept, new)])
        kept = new
    body = http.get("/api/v1/sources/matches/5000").json()
    assert (body["sequence"], body["fresh"]) == (2, True)
    (score,) = [one for one in body["fields"] if one["field"] == "score.home"]
    assert (score["value"], score["source"], score["confidence"]) == (1, "second", 1.0)
    newest, first = body["changes"]
    assert newest["changed"] == {"score.home": [0, 1]}
    assert (newest["type"], newest["distance"], first["type"]) == ("update", 1, "initial")
    assert http.get("/api/v1/sources/matches/77").status_code == 404


def test_metrics_of_providers_are_served(http: httpx.Client, database: Database[Document]) -> None:
    ProviderState(database).increment(**{"scrapes:second:success": 4})
    text = http.get("/metrics").text
    assert 'footy_source_scrapes_total{domain="second",status="success"} 4.0' in text
    assert "footy_http_request_seconds" in text
