"""The read API: lists in pages, ETags, status, and errors as problem documents."""

from typing import Any

import httpx
import pytest

from footy_assets_tests.gallery.conftest import Gallery
from footy_assets_tests.gallery.site import Site
from footy_assets_tests.waiting import PATIENCE_SECONDS


@pytest.fixture
def http(gallery: Gallery) -> httpx.Client:
    return gallery.http


def get_json(http: httpx.Client, path: str, **params: Any) -> Any:
    answer = http.get(f"/api/v1{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_dates_that_have_matches(http: httpx.Client) -> None:
    (only,) = get_json(http, "/dates")["items"]
    assert only == {"date": "2025-05-10", "fixtures": 6, "active": 4, "completed": 1}


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ({"date": "2025-05-10"}, [5010, 5000, 5001, 5002, 5011, 5003]),
        ({"date": "2025-05-11"}, []),
        ({"state": "completed"}, [5010]),
        ({"league": 135}, [5011]),
        ({"team": 10000}, [5000]),
        ({"state": "active", "league": 39}, [5000, 5001, 5002]),
    ],
)
def test_fixtures_by_kickoff_and_filtered(
    http: httpx.Client, query: dict[str, Any], ids: list[int]
) -> None:
    assert [row["fixture_id"] for row in get_json(http, "/fixtures", **query)["items"]] == ids


def test_line_ups_of_a_match(http: httpx.Client) -> None:
    found = get_json(http, "/fixtures/5000/line-ups")
    home, away = found["line_ups"]
    assert (home["side"], home["team"], home["formation"]) == ("home", "Liverpool", "4-3-3")
    assert home["starters"][2] == {
        "player_id": 1000002,
        "name": "V. van Dijk",
        "number": 3,
        "position": "D",
    }
    assert (len(away["starters"]), len(away["substitutes"]), away["team_id"]) == (11, 3, 10001)
    assert found["fetched_at"] is not None
    unknown = {"fixture_id": 5002, "fetched_at": None, "line_ups": []}
    assert get_json(http, "/fixtures/5002/line-ups") == unknown


@pytest.mark.parametrize(
    ("path", "name"), [("/fixtures", "fixture_id"), ("/events", "event_id"), ("/clips", "clip_id")]
)
def test_pages_of_one_are_the_whole_list_in_order(http: httpx.Client, path: str, name: str) -> None:
    whole = [row[name] for row in get_json(http, path)["items"]]
    assert len(whole) > 1
    paged: list[Any] = []
    cursor: dict[str, str] = {}
    while True:
        page = get_json(http, path, limit=1, **cursor)
        paged += [row[name] for row in page["items"]]
        if page["next"] is None:
            break
        cursor = {"cursor": page["next"]}
    assert paged == whole


def test_a_goal_with_its_clips_best_first(http: httpx.Client, gallery: Gallery) -> None:
    goal = get_json(http, f"/events/{gallery.matchday.salah.event_id}")
    assert goal["player_name"] == "M. Salah"
    assert goal["state"] == "complete"
    assert [clip["rank"] for clip in goal["clips"]] == [1, 2]
    assert goal["clips"][0]["url"] == gallery.matchday.video
    assert goal["clips"][0]["page"] == f"/watch/{gallery.matchday.clip_name}"
    assert http.get(goal["clips"][0]["thumbnail"]).status_code == 200


@pytest.mark.parametrize(
    ("state", "minutes"),
    [
        ("detected", [20]),
        ("debouncing", [60]),
        ("searching", [52]),
        ("removed", [58]),
        ("stable", [45]),
    ],
)
def test_goals_by_their_state(http: httpx.Client, state: str, minutes: list[int]) -> None:
    assert [row["elapsed"] for row in get_json(http, "/events", state=state)["items"]] == minutes


def test_one_clip_by_its_public_name(http: httpx.Client, gallery: Gallery) -> None:
    assert get_json(http, f"/clips/{gallery.matchday.clip_name}")["rank"] == 1


def test_clips_of_a_goal_alone(http: httpx.Client, gallery: Gallery) -> None:
    assert len(get_json(http, "/clips", event=gallery.matchday.salah.event_id)["items"]) == 2
    assert get_json(http, "/clips", event=gallery.matchday.searching.event_id)["items"] == []
    assert get_json(http, "/clips", date="2025-05-11")["items"] == []


def test_explain_has_the_videos_and_clips_of_a_goal(http: httpx.Client, gallery: Gallery) -> None:
    body = get_json(http, f"/events/{gallery.matchday.salah.event_id}/explain")
    assert body["match"] == "Liverpool – Manchester United"
    assert {video["state"] for video in body["videos"]} == {"taken", "refused"}
    assert len(body["clips"]) == 2


@pytest.mark.parametrize(
    ("q", "scorers", "matches"),
    [
        ("odegaard", ["M. Ødegaard"], []),
        ("NUNEZ", ["D. Núñez"], []),
        ("bayern munchen", [], [5010]),
        ("united", [], [5000]),
        ("nobody", [], []),
        (".*", [], []),
    ],
)
def test_search_by_part_of_a_name_without_accents(
    http: httpx.Client, q: str, scorers: list[str], matches: list[int]
) -> None:
    found = get_json(http, "/search", q=q)
    assert [event["player_name"] for event in found["events"]] == scorers
    assert [fixture["fixture_id"] for fixture in found["fixtures"]] == matches


def test_an_unchanged_resource_is_a_304_without_a_body(http: httpx.Client) -> None:
    for path in ("/api/v1/fixtures", "/days/2025-05-10", "/matches/5000"):
        first = http.get(path)
        again = http.get(path, headers={"If-None-Match": first.headers["etag"]})
        assert again.status_code == 304
        assert again.content == b""


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/fixtures/1", 404),
        ("/fixtures/1/line-ups", 404),
        ("/fixtures/abc", 422),
        ("/fixtures/99999999999999999999", 422),
        ("/fixtures?date=yesterday", 422),
        ("/fixtures?limit=0", 422),
        ("/fixtures?limit=100000", 422),
        ("/fixtures?cursor=bm9uZQ==", 400),
        ("/fixtures?cursor=WzEsIDJd", 400),
        ("/events?cursor=W3siJGd0IjoiIn0sIHsiJGd0IjoiIn1d", 400),
        ("/dates?cursor=WyJcdWQ4MDAiXQ==", 400),
        ("/fixtures?cursor=W3siYXQiOiIwMDAxLTAxLTAxVDAwOjAwOjAwKzE0OjAwIn0sMV0=", 400),
        ("/events?cursor=W3siYXQiOiIyMDI1LTAxLTAxVDAwOjAwOjAwIn0sIngiXQ==", 400),
        ("/events?state=scored", 422),
        ("/events/nobody", 404),
        ("/events/a%20b", 422),
        ("/clips/1/a/0123456789abcdef", 404),
        ("/search?q=x", 422),
        ("/search?q=a%00b", 422),
        ("/nothing", 404),
    ],
)
def test_errors_are_answered_with_a_problem(http: httpx.Client, path: str, status: int) -> None:
    answer = http.get(f"/api/v1{path}", headers={"Accept": "text/html"})
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == status
    assert body["title"]
    assert body["detail"]


def test_status_has_the_state_of_every_part(http: httpx.Client) -> None:
    for path in ("/status", "/api/v1/status"):
        body = http.get(path).json()
        assert body["state"] == "ok"
        states = {part["name"]: part["state"] for part in body["parts"]}
        assert states == {"MongoDB": "ok", "S3": "ok", "Live feed": "ok", "Dagster": "down"}


def test_status_is_cached_for_some_seconds(site: Site) -> None:
    """Each health check writes to S3, so its result is cached for some seconds."""
    puts: list[str] = []
    events = site.services.objects.client.meta.events
    events.register("before-call.s3.PutObject", lambda **_: puts.append("put"))
    now = 100.0
    site.services.health.monotonic = lambda: now
    for _ in range(5):
        answer = httpx.get(f"{site.url}/status", timeout=PATIENCE_SECONDS)
        assert answer.json()["state"] == "ok"
    assert len(puts) == 1
    now += 6
    httpx.get(f"{site.url}/api/v1/status", timeout=PATIENCE_SECONDS)
    assert len(puts) == 2


def test_prometheus_can_parse_the_metrics(http: httpx.Client) -> None:
    from prometheus_client.parser import text_string_to_metric_families

    http.get("/days/2025-05-10")
    assert http.head("/metrics").status_code == 200
    text = http.get("/metrics").text
    figures = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert figures["footy_fixtures", "active"] == 4
    assert figures["footy_goals", "removed"] == 1
    assert figures["footy_clips", "true"] == 2
    assert figures["footy_live_up",] == 1
    assert figures["footy_http_request_seconds_count", "/days/{day}", "200", "GET"] >= 1
