"""The live feed over HTTP: no change is lost, and no client delays another."""

import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import httpx
import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.gallery import live_stream
from footy_assets.store.collections import EVENTS, FIXTURES, Document
from footy_assets_tests.gallery.site import Day, Site, running_site
from footy_assets_tests.gallery.streams import Listener, open_stream
from footy_assets_tests.waiting import wait_until
from resources.s3.clip_store import ClipStore


def kinds(listener: Listener, count: int) -> list[str]:
    return [listener.next().data["kind"] for _ in range(count)]


def test_changes_of_match_goal_and_clip_arrive_in_order(site: Site, day: Day) -> None:
    with open_stream(f"{site.url}/live") as listener:
        goal = day.goal(day.match(), 31, "M. Salah")
        day.clips(goal, "good")
        events = [listener.next() for _ in range(4)]
    assert [one.data["kind"] for one in events] == ["fixture", "goal", "clip", "clip"]
    assert {one.data["fixture"] for one in events} == {5000}
    assert events[0].data["day"] == "2025-05-10"


def test_the_stream_is_written_as_browsers_read_it(site: Site, day: Day) -> None:
    with httpx.stream("GET", f"{site.url}/live", timeout=10) as answer:
        assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert answer.headers["cache-control"] == "no-store"
        pieces = answer.iter_raw()
        received = b""
        while b"id: " not in received:
            received += next(pieces)
        assert re.fullmatch(rb"retry: 1000\n\nid: [0-9A-F]+\n\n", received)
        day.match()
        events = b'data: {"kind":"fixture","fixture":5000,"day":"2025-05-10","spread_ms":2}'
        assert re.fullmatch(rb"id: [0-9A-F]+\nevent: change\n" + events + b"\n\n", next(pieces))


def test_the_page_of_one_match_gets_changes_of_that_match_only(site: Site, day: Day) -> None:
    with open_stream(f"{site.url}/live?fixture=5001") as other:
        day.match(5000)
        day.match(5001)
        assert other.next().data["fixture"] == 5001
        assert other.none_within(0.3)


def test_bookkeeping_fields_send_no_change(
    site: Site, day: Day, database: Database[Document]
) -> None:
    with open_stream(f"{site.url}/live") as listener:
        goal = day.goal(day.match(), 31, "M. Salah")
        assert kinds(listener, 2) == ["fixture", "goal"]
        database[EVENTS].update_one({"_id": goal.key}, {"$set": {"search.held_until": 1}})
        database[FIXTURES].update_one({"_id": 5000}, {"$set": {"last_polled": 1}})
        database[FIXTURES].update_one({"_id": 5000}, {"$set": {"status": "FT"}})
        assert kinds(listener, 1) == ["fixture"]
        assert listener.none_within(0.3)


def test_a_reconnecting_client_gets_exactly_what_it_missed(site: Site, day: Day) -> None:
    with open_stream(f"{site.url}/live") as before:
        day.match(5000)
        seen = before.next().id
    for number in range(5001, 5011):
        day.match(number)
    with open_stream(f"{site.url}/live", last_id=seen) as after:
        assert [after.next().data["fixture"] for _ in range(10)] == list(range(5001, 5011))
        assert after.none_within(0.3)


def test_a_restart_of_the_server_loses_nothing(
    database: Database[Document], clip_store: ClipStore, clock: ManualClock, day: Day
) -> None:
    with (
        running_site(database, clip_store, clock) as first,
        open_stream(f"{first.url}/live") as before,
    ):
        day.match(5000)
        seen = before.next().id
    day.match(5001)
    with running_site(database, clip_store, clock) as second:
        day.match(5002)
        with open_stream(f"{second.url}/live", last_id=seen) as after:
            assert [after.next().data["fixture"] for _ in range(2)] == [5001, 5002]
            assert after.none_within(0.3)


def test_changes_between_page_load_and_stream_are_sent(site: Site, day: Day) -> None:
    """A page carries the stream position at which it was rendered."""
    day.match(5000)
    page = httpx.get(f"{site.url}/days/2025-05-10").text
    since = page.partition('data-since="')[2].partition('"')[0]
    assert since
    day.match(5001)
    with open_stream(f"{site.url}/live?since={since}") as listener:
        fixture_ids = {listener.next().data["fixture"]}
        while 5001 not in fixture_ids:
            fixture_ids.add(listener.next().data["fixture"])


@pytest.mark.parametrize("forged", ["nonsense", "00", "FF" * 40, "82" * 500, "'; drop"])
def test_an_unknown_stream_position_makes_the_page_reload(
    site: Site, day: Day, forged: str
) -> None:
    with open_stream(f"{site.url}/live", last_id=forged) as listener:
        assert listener.next().event == "reload"
        day.match(5000)
        assert listener.next().event == "change"


def test_a_page_without_changes_gets_new_stream_positions(
    site: Site, day: Day, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its match has no changes but others do: after a reconnect it still need not reload."""
    monkeypatch.setattr(live_stream, "HEARTBEAT_SECONDS", 0.2)
    with open_stream(f"{site.url}/live?fixture=1") as listener:
        before = listener.last_id
        day.match(5000)
        wait_until(lambda: listener.last_id != before)


@contextmanager
def stuck_client(url: str) -> Iterator[None]:
    """Opens the live feed and reads nothing of it."""
    address = urlsplit(url)
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.connect((address.hostname, address.port))
        connection.sendall(b"GET /live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        yield


def test_a_client_that_reads_nothing_delays_no_other(
    database: Database[Document],
    clip_store: ClipStore,
    clock: ManualClock,
    day: Day,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is dropped in the end, without a traceback; its browser reconnects with its last id."""
    with running_site(database, clip_store, clock, send_buffer=8192) as site, ExitStack() as opened:
        feed = site.services.feed
        # The first is still connected, and stuck, when all else is over.
        for number, seconds in enumerate((600.0, 1.0), 1):
            monkeypatch.setattr(live_stream, "STALLED_SECONDS", seconds)
            opened.enter_context(stuck_client(site.url))
            wait_until(lambda number=number: feed.watchers == number)
        quick = opened.enter_context(open_stream(f"{site.url}/live"))
        day.match()
        assert quick.next().data["fixture"] == 5000
        for number in range(1500):
            database[FIXTURES].update_one({"_id": 5000}, {"$set": {"elapsed": number}})
        for _ in range(1500):
            assert quick.next().event == "change"
        wait_until(lambda: feed.watchers == 2)
        day.match(5001)
        assert quick.next().data["fixture"] == 5001
        assert feed.watchers == 2
    assert "Exception in ASGI application" not in caplog.text


def test_the_count_of_watchers_drops_when_they_disconnect(site: Site) -> None:
    with open_stream(f"{site.url}/live"):
        assert site.services.feed.watchers == 1
    wait_until(lambda: site.services.feed.watchers == 0)
