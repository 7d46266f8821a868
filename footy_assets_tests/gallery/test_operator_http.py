"""P5 over HTTP: operator actions take effect and are recorded with who and why."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.providers.store.records import ProviderRecords
from footy_assets.settings import load_settings
from footy_assets.sim import SimServer
from footy_assets.store.collections import EVENTS, FIXTURES, Document
from footy_assets_tests.gallery.site import TOKEN, Day, Site, running_site
from resources.s3.clip_store import ClipStore

BEARER = {"Authorization": f"Bearer {TOKEN}"}
CLOSED_PORT = "http://127.0.0.1:9"


@pytest.fixture
def site(
    database: Database[Document], clip_store: ClipStore, sim: SimServer, clock: ManualClock
) -> Iterator[Site]:
    configured = {"api_football_url": sim.url, "tracked_teams": "*", "api_token": TOKEN}
    settings = load_settings(api_port=0, dagster_port=9, **configured)
    with running_site(database, clip_store, clock, settings, live=False) as running:
        yield running


@pytest.fixture
def http(site: Site) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"{site.url}/api/v1", headers=BEARER, timeout=20) as client:
        yield client


def json_of(answer: httpx.Response, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    return answer.json()


def audit_entries(http: httpx.Client) -> list[tuple[str, ...]]:
    """The audit log, oldest entry first."""
    names = ("who", "operation", "target", "why", "outcome")
    entries = json_of(http.get("/audit"))["items"]
    return [tuple(entry[name] for name in names) for entry in reversed(entries)]


@pytest.fixture
def goal(day: Day) -> GoalEvent:
    return day.goal(day.match(), 31, "M. Salah")


def test_p5_a_search_is_due_at_once(
    http: httpx.Client, day: Day, goal: GoalEvent, database: Database[Document]
) -> None:
    path = f"/events/{goal.event_id}/search"
    json_of(
        http.post(path, headers={b"X-Footy-Who": "José".encode()}, json={"why": "a derby"}), 202
    )
    found = database[EVENTS].find_one({"_id": goal.key})
    assert found is not None
    assert found["search"]["due_at"] == day.clock.now()
    day.remove(goal)
    assert http.post(path).status_code == 409
    accepted, refused = audit_entries(http)
    assert accepted == ("José (api)", "search", goal.event_id, "a derby", "due for the next sweep")
    assert refused[:4] == ("api", "search", goal.event_id, "no reason given")
    assert refused[4].startswith("failed: ")


def test_p5_a_day_and_fixtures_by_id_are_ingested(
    http: httpx.Client, sim: SimServer, database: Database[Document]
) -> None:
    first, second, *_ = sim.world.fixture_ids
    json_of(http.post("/ingest/fixtures", json={"ids": [first, second], "why": "a cup"}))
    assert database[FIXTURES].distinct("_id") == sorted([first, second])
    json_of(http.post("/ingest", json={"date": "2025-05-10"}))
    assert database[FIXTURES].count_documents({}) == len(sim.world.fixture_ids)
    assert http.post("/ingest/fixtures", json={"ids": [77]}).status_code == 404
    by_id, by_day, unknown = audit_entries(http)
    assert unknown[4] == "0 new, 0 updated, 1 parts failed"
    assert by_id[:4] == ("api", "ingest", f"{first},{second}", "a cup")
    assert by_id[4] == "2 new, 0 updated, 0 parts failed"
    assert by_day[:4] == ("api", "ingest", "2025-05-10", "no reason given")
    for wrong in ({"date": "soon"}, {"date": "2025-05-10", "why": "\x00"}, {}):
        assert http.post("/ingest", json=wrong).status_code == 422
    for ids in ([], [0], ["x"], ["espn:"], [2**60], list(range(1, 200))):
        assert http.post("/ingest/fixtures", json={"ids": ids}).status_code == 422
    assert len(audit_entries(http)) == 3


def test_l1_a_fixture_is_ingested_by_the_id_of_a_provider(
    http: httpx.Client, sim: SimServer, database: Database[Document]
) -> None:
    first, second, *_ = sim.world.fixture_ids
    problem = json_of(http.post("/ingest/fixtures", json={"ids": ["espn:760415"]}), 404)
    assert "no match is known as espn:760415" in problem["detail"]
    ProviderRecords(database).save_mapping("espn", "760415", first, sim.clock.now())
    json_of(http.post("/ingest/fixtures", json={"ids": ["espn:760415", second]}))
    assert database[FIXTURES].distinct("_id") == sorted([first, second])


def test_p5_an_ingest_without_an_answer_of_the_provider_is_a_502(
    database: Database[Document], clip_store: ClipStore, clock: ManualClock
) -> None:
    configured = {"api_football_url": CLOSED_PORT, "tracked_teams": "*", "api_token": TOKEN}
    settings = load_settings(api_port=0, dagster_port=0, **configured)
    with (
        running_site(database, clip_store, clock, settings, live=False) as site,
        httpx.Client(base_url=f"{site.url}/api/v1", headers=BEARER, timeout=60) as http,
    ):
        problem = json_of(http.post("/ingest/fixtures", json={"ids": [5000]}), 502)
        assert "the provider returned nothing" in problem["detail"]
        ((*_, outcome),) = audit_entries(http)
        assert "1 parts failed" in outcome


def test_p5_a_clip_is_removed_and_the_others_move_up(
    http: httpx.Client, site: Site, day: Day, goal: GoalEvent
) -> None:
    day.clips(goal, "good", "angle")
    best, other = day.documents(goal)
    path = f"/clips/{best['public_key'].removesuffix('.mp4')}/remove"
    assert http.post(path).status_code == 422, "a reason is required"
    json_of(http.post(path, json={"why": "another match"}, headers={"X-Footy-Who": "ada"}))
    assert not day.objects.exists(best["key"])
    ranked = json_of(http.post(f"/events/{goal.event_id}/rerank", json={"why": "to be sure"}))
    assert [(row["clip_id"], row["rank"]) for row in ranked] == [(other["_id"], 1)]
    assert http.post(path, json={"why": "again"}).status_code == 404
    assert httpx.get(f"{site.url}/watch/{path[7:-7]}").status_code == 404
    removed, reranked, again = audit_entries(http)
    assert again[4].startswith("failed: clip ")
    assert removed[:4] == ("ada (api)", "remove clip", best["_id"], "another match")
    assert reranked == ("api", "rerank", goal.event_id, "to be sure", "1 clips ranked")
    assert day.clips(goal, "good", source="bluesky").stored == [], (
        "a removed clip is not stored again"
    )


def test_p5_a_fixture_is_closed(
    http: httpx.Client, goal: GoalEvent, database: Database[Document]
) -> None:
    assert http.post("/fixtures/5000/close", json={}).status_code == 422
    json_of(http.post("/fixtures/5000/close", json={"why": "abandoned"}))
    found = database[FIXTURES].find_one({"_id": 5000})
    assert found is not None
    assert found["state"] == "completed"
    assert "api: abandoned" in found["closed_because"]
    assert http.post("/fixtures/77/close", json={"why": "x"}).status_code == 404
    assert [entry[1] for entry in audit_entries(http)] == ["close", "close"]


def test_p5_an_action_that_needs_dagster_fails_without_it_and_is_recorded(
    http: httpx.Client, goal: GoalEvent
) -> None:
    configured = json_of(http.post(f"/events/{goal.event_id}/revalidate"), 503)
    assert "Dagster does not answer" in configured["detail"]
    ((*_, outcome),) = audit_entries(http)
    assert outcome.startswith("failed: Dagster does not answer")
    assert http.post("/events/1_2_3_Goal_1/revalidate").status_code == 404


def test_reading_the_audit_needs_the_token(site: Site) -> None:
    assert httpx.get(f"{site.url}/api/v1/audit").status_code == 401


def test_a_name_that_cannot_be_printed_is_refused(http: httpx.Client, goal: GoalEvent) -> None:
    headers = {"X-Footy-Who": "x" * 81}
    assert http.post(f"/events/{goal.event_id}/search", headers=headers).status_code == 422
    assert audit_entries(http) == []
