"""The HTML pages as the server renders them."""

import re

import httpx
import pytest
from pymongo import MongoClient
from pymongo.database import Database

from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.rosters import RosterStore
from footy_assets.settings import load_settings
from footy_assets.store.collections import CLIPS, Document
from footy_assets_tests.gallery.conftest import Gallery
from footy_assets_tests.gallery.site import TOKEN, Day, Site, running_site
from footy_assets_tests.waiting import wait_until
from resources.s3.clip_store import ClipStore


def page(gallery: Gallery, path: str, status: int = 200) -> str:
    answer = gallery.http.get(path, headers={"Accept": "text/html"}, follow_redirects=True)
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith("text/html")
    return answer.text


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/", ["Saturday 10 May 2025", "Today", "Premier League", "Bundesliga", "Fresh clips"]),
        ("/days?day=2025-05-10", ["Saturday 10 May 2025"]),
        ("/days/2025-05-10", ["2 clips", "Looking, 2 of 10", "Confirming 2 of 3", "Removed"]),
        ("/days/2025-05-10", ["No clip found", "Just in", "Scorer not named yet", "Half-time"]),
        ("/days/2025-05-12", ["No matches on this day", "Go to Saturday 10 May 2025"]),
        (
            "/matches/5000",
            ["assist L. Díaz", "Penalty", "Disallowed by VAR", "180p", "Verified (clock)"],
        ),
        ("/matches/5000", ["Line-ups", "4-3-3", "4-2-3-1", "V. van Dijk", "Defender"]),
        ("/matches/5000", ["Substitutes", "Player 14", "Forward"]),
        ("/matches/5002", ["No goal yet"]),
        ("/matches/5003", ["Not started"]),
        ("/search?q=salah", ["Found for", "M. Salah", "2 clips"]),
        ("/search?q=zzz", ["No results"]),
        ("/search", ["Type a player or a team"]),
        ("/matches/5000", ["/triggers?game=5000"]),
        ("/triggers", ["Liverpool – Manchester United", "2 triggers", "None yet"]),
        (
            "/triggers?game=5000",
            ["Triggers on Liverpool", "Tell me when", "Triggers on this match"],
        ),
        ("/triggers?game=99999999999999999999", ["Triggers on 99999999999999999999"]),
        (
            "/operations",
            ["MongoDB", "not football", "typically", "search 3, 2 of 10 done", "Not known"],
        ),
    ],
)
def test_a_page_shows_its_content(gallery: Gallery, path: str, words: list[str]) -> None:
    text = page(gallery, path)
    for word in words:
        assert word in text, word


def test_line_ups_that_are_not_known_leave_no_trace(gallery: Gallery) -> None:
    for path in ("/matches/5002", "/pieces/matches/5002", "/pieces/matches/5000/card"):
        assert "ine-up" not in page(gallery, path), path
    assert "Line-ups" in page(gallery, "/pieces/matches/5000")


def test_refused_videos_are_counted_by_kind(gallery: Gallery) -> None:
    text = page(gallery, "/operations")
    assert "the clock shows" not in text
    assert re.search(r"wrong minute</dt>.*?</meter> 3<", text)


def test_the_page_of_a_goal_shows_its_state(gallery: Gallery) -> None:
    matchday = gallery.matchday
    assert "Clip 1" in page(gallery, f"/goals/{matchday.salah.event_id}")
    assert "No clip yet" in page(gallery, f"/goals/{matchday.searching.event_id}")
    assert "All searches are done" in page(gallery, f"/goals/{matchday.without_clip.event_id}")
    assert "no longer counts" in page(gallery, f"/goals/{matchday.removed.event_id}")


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/matches/77", 404, "Not found"),
        ("/matches/x", 422, "Invalid address"),
        ("/days/someday", 422, "Invalid address"),
        ("/nothing", 404, "Not found"),
        ("/goals/5000_1_1_Goal_1", 404, "Not found"),
    ],
)
def test_a_wrong_address_gets_an_error_page(
    gallery: Gallery, path: str, status: int, words: str
) -> None:
    text = page(gallery, path, status)
    assert words in text
    assert "Traceback" not in text


def test_text_from_posts_and_providers_is_escaped(site: Site, day: Day) -> None:
    markup = "<script>alert(1)</script>"
    goal = day.goal(day.match(home=markup), 31, markup)
    day.line_ups(day.match(home=markup), markup)
    day.clips(goal, "good", source='x"><img src=1 onerror=alert(1)>')
    name = day.documents(goal)[0]["public_key"].removesuffix(".mp4")
    for path in ("/", "/matches/5000", f"/goals/{goal.event_id}", f"/watch/{name}", "/operations"):
        text = httpx.get(site.url + path).text
        assert markup not in text
        assert "<img src=1" not in text
    found = httpx.get(f"{site.url}/search", params={"q": '"><svg onload=alert(1)>'}).text
    assert "<svg onload" not in found


def test_a_link_of_a_post_must_be_http_or_https(
    site: Site, day: Day, database: Database[Document]
) -> None:
    goal = day.goal(day.match(), 31, "M. Salah")
    day.clips(goal, "good")
    database["clips"].update_many({}, {"$set": {"source_url": "javascript:alert(1)"}})
    name = day.documents(goal)[0]["public_key"].removesuffix(".mp4")
    assert "javascript:" not in httpx.get(f"{site.url}/watch/{name}").text


def test_a_change_is_on_the_page_at_once(site: Site, day: Day) -> None:
    """Pages are cached for a moment, but never beyond a change."""
    day.match(score=(0, 0))
    assert "No goal yet" in httpx.get(f"{site.url}/matches/5000").text
    version = site.services.feed.changes
    day.goal(day.match(score=(1, 0)), 31, "M. Salah")
    while site.services.feed.changes < version + 2:
        pass
    assert "M. Salah" in httpx.get(f"{site.url}/matches/5000").text


def test_line_ups_are_on_the_page_at_once(site: Site, day: Day) -> None:
    match = day.match()
    assert "Line-ups" not in httpx.get(f"{site.url}/matches/5000").text
    version = site.services.feed.changes
    day.line_ups(match)
    wait_until(lambda: site.services.feed.changes > version)
    assert "Line-ups" in httpx.get(f"{site.url}/matches/5000").text
    # That they were requested again is no change of a page.
    version = site.services.feed.changes
    RosterStore(day.database).record_failure([match.id], [], "no answer", day.clock.now())
    day.match(5001)
    wait_until(lambda: site.services.feed.changes > version)
    assert site.services.feed.changes == version + 1


def test_squads_are_shown_until_the_line_ups_are_out_and_not_after_the_match(
    site: Site, day: Day
) -> None:
    def text() -> str:
        return httpx.get(f"{site.url}/pieces/matches/5000").text

    match = day.match(status="NS", state=FixtureState.STAGING)
    day.squads(match, "M. Salah")
    wait_until(lambda: "M. Salah" in text())
    assert "Line-ups" not in text()
    day.match(status="FT", state=FixtureState.COMPLETED)
    wait_until(lambda: "M. Salah" not in text())
    day.match()
    day.line_ups(match, "Alisson")
    wait_until(lambda: "Alisson" in text())
    assert "M. Salah" not in text()
    assert "Squad" not in text()


def test_a_goal_page_links_to_its_partition_and_runs_in_dagster(
    database: Database[Document], clip_store: ClipStore, day: Day
) -> None:
    settings = load_settings(api_port=0, api_token=TOKEN, dagster_port=3000)
    with running_site(database, clip_store, day.clock, settings) as site:
        goal = day.goal(day.match(), 31, "M. Salah")
        text = httpx.get(f"{site.url}/goals/{goal.event_id}").text
        assert (
            f"http://127.0.0.1:3000/assets/clips?view=partitions&amp;partition={goal.event_id}"
            in text
        )
        assert f"tag%3Afooty/event%3D{goal.key}" in text


RUN = "0b1c2d3e-4f50-4a61-8b72-9c83ad94be05"


def test_a_clip_links_to_the_run_that_stored_it(
    database: Database[Document], clip_store: ClipStore, day: Day
) -> None:
    settings = load_settings(api_port=0, api_token=TOKEN, dagster_port=3000)
    with running_site(database, clip_store, day.clock, settings) as site:
        goal = day.goal(day.match(), 31, "M. Salah")
        day.clips(goal, "small", run_id="cli-0123abcd")
        name = day.documents(goal)[0]["public_key"].removesuffix(".mp4")
        assert "/runs/" not in httpx.get(f"{site.url}/watch/{name}").text, (
            "a command line run has no page in Dagster"
        )
        day.clips(goal, "large", run_id=RUN)
        answer = httpx.get(f"{site.url}/api/v1/clips").json()["items"]
        assert [clip["run_id"] for clip in answer] == [RUN], "the run of the current copy"
        text = httpx.get(f"{site.url}/watch/{name}").text
        assert f"http://127.0.0.1:3000/runs/{RUN}" in text
        assert f"partition={goal.event_id}" in text


@pytest.mark.parametrize(
    "path",
    ["/", "/days/2025-05-10", "/matches/5000", "/triggers", "/operations", "/live", "/status"],
)
def test_every_page_answers_head_requests(gallery: Gallery, path: str) -> None:
    """HEAD gives the headers of GET without the body."""
    answer = gallery.http.head(path)
    assert (answer.status_code, answer.content) == (200, b"")
    if path != "/live":
        assert answer.headers["content-length"] == str(len(gallery.http.get(path).content))
    assert gallery.http.head("/matches/77").status_code == 404


def test_without_a_database_every_page_is_a_503(
    mongo_uri: str, clip_store: ClipStore, day: Day
) -> None:
    client: MongoClient[Document] = MongoClient(mongo_uri, tz_aware=True)
    settings = load_settings(api_port=0, dagster_port=0)
    with running_site(client["lost"], clip_store, day.clock, settings) as site:
        client.close()
        answer = httpx.get(f"{site.url}/matches/5000", headers={"Accept": "text/html"})
        assert answer.status_code == 503
        assert "Temporarily unavailable" in answer.text
        answer = httpx.get(f"{site.url}/api/v1/fixtures")
        assert answer.status_code == 503
        assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("seconds", "length"), [(8.4, "0:08"), (59.6, "1:00"), (60.0, "1:00"), (119.6, "2:00")]
)
def test_a_goal_page_shows_the_length_of_its_clips(
    site: Site, day: Day, seconds: float, length: str
) -> None:
    goal = day.goal(day.match(), 31, "M. Salah")
    day.clips(goal, "good")
    day.database[CLIPS].update_many({}, {"$set": {"duration": seconds}})
    assert length in httpx.get(f"{site.url}/goals/{goal.event_id}").text
