"""Jetstream over loopback: breaks, other servers, other versions."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from footy_assets.search.rules.heard import HeardPost, StreamEvent
from footy_assets.sim.social.jetstream import JetstreamServer
from footy_assets.sim.social.stream import EventLog, SimEvent, chatter, created, position_at
from footy_assets_tests.resources.fans import NOW, post
from footy_assets_tests.waiting import no_sleep
from resources.bluesky import jetstream
from resources.bluesky.jetstream import REWIND, SECOND, USER_AGENT, Jetstream

AT = position_at(NOW)


@pytest.fixture
def server() -> Iterator[JetstreamServer]:
    log = EventLog()
    log.add(*(created(post(number), AT + number * SECOND) for number in range(20)))
    with JetstreamServer(log) as running:
        yield running


def hear(stream: Jetstream, after: int | None, until: Callable[[StreamEvent], bool]) -> list[Any]:
    """The messages up to the first that fulfils `until`."""
    found: list[StreamEvent] = []
    for event in stream.events(after, lambda: bool(found) and until(found[-1])):
        if event is not None:
            found.append(event)
    return found


def last(event: StreamEvent) -> bool:
    return event.position == AT + 19 * SECOND


def numbers(events: list[StreamEvent]) -> list[str]:
    posts = (change for event in events for change in event.changes)
    return [one.author.removeprefix("did:plc:fan") for one in posts if isinstance(one, HeardPost)]


ALL = [str(number) for number in range(20)]


def test_se5_the_stream_begins_a_little_before_the_position(server: JetstreamServer) -> None:
    found = hear(Jetstream([server.url]), AT + 10 * SECOND, last)
    assert numbers(found) == ALL[5:]
    (visit,) = server.visits
    assert visit.path.endswith("network.bsky.jetstream.subscribeEvents")
    assert visit.user_agent == USER_AGENT
    assert visit.query == {
        "collections": ["app.bsky.feed.post"],
        "kinds": ["commit", "account"],
        "maxMessageSizeBytes": ["262144"],
        "cursor": [str(AT + 10 * SECOND - REWIND)],
    }


def test_without_a_position_it_begins_now(server: JetstreamServer) -> None:
    events = Jetstream([server.url]).events(None, lambda: False)
    assert next(events) is None, "nothing of before"
    assert "cursor" not in server.visits[0].query
    server.stream.add(created(post(30), AT + 30 * SECOND))  # type: ignore[attr-defined]
    assert numbers([next(event for event in events if event is not None)]) == ["30"]
    events.close()  # type: ignore[attr-defined]


def test_a_server_without_the_second_version_is_asked_for_the_first(
    server: JetstreamServer,
) -> None:
    server.faults.has_v2 = False
    server.faults.drops = [3]
    found = hear(Jetstream([server.url], sleep=no_sleep), AT, last)
    assert set(numbers(found)) == set(ALL)
    assert [visit.path.rpartition("/")[2] for visit in server.visits] == [
        "network.bsky.jetstream.subscribeEvents", "subscribe", "subscribe",
    ]  # fmt: skip
    assert server.visits[1].query["wantedCollections"] == ["app.bsky.feed.post"]


def test_se5_twenty_breaks_lose_nothing(server: JetstreamServer) -> None:
    """Some of them come before anything new did."""
    server.faults.drops = [1 + number % 9 for number in range(10)]
    with JetstreamServer(server.stream) as other:
        other.faults.drops = list(server.faults.drops)
        found = hear(Jetstream([server.url, other.url], sleep=no_sleep), AT, last)
        assert len(server.visits) + len(other.visits) == 21
    assert set(numbers(found)) == set(ALL)


def test_a_server_that_sends_nothing_is_left_after_growing_waits(server: JetstreamServer) -> None:
    waits: list[float] = []
    server.faults.refusals = 3
    found = hear(Jetstream([server.url], sleep=waits.append), AT, last)
    assert numbers(found) == ALL
    assert sum(waits) == pytest.approx(1 + 2 + 4)


def test_a_server_that_breaks_before_anything_new_is_left_after_growing_waits(
    server: JetstreamServer,
) -> None:
    waits: list[float] = []
    server.faults.drops = [3, 3, 3]
    found = hear(Jetstream([server.url], sleep=waits.append), AT + 10 * SECOND, last)
    assert set(numbers(found)) == set(ALL[5:]), "and never further back"
    assert sum(waits) == pytest.approx(1 + 2 + 4)


def test_a_silent_server_is_left(server: JetstreamServer) -> None:
    server.faults.hangs = True
    with JetstreamServer(server.stream) as other:
        stream = Jetstream([server.url, other.url], sleep=no_sleep, silence_seconds=0.1)
        assert numbers(hear(stream, AT, last)) == ALL


def test_a_named_error_is_a_break(server: JetstreamServer) -> None:
    server.faults.error = "ConsumerTooSlow"
    assert numbers(hear(Jetstream([server.url], sleep=no_sleep), AT, last)) == ALL


@pytest.mark.parametrize("has_v2", [True, False])
def test_se7_what_the_server_no_longer_has_is_noticed(
    server: JetstreamServer, has_v2: bool
) -> None:
    server.faults.has_v2 = has_v2
    hours_ago = AT - 7200 * SECOND
    assert isinstance(server.stream, EventLog)
    server.stream.events.insert(0, chatter(hours_ago))
    server.stream.forget_before(AT)
    first, *others = (
        event for event in hear(Jetstream([server.url]), hours_ago, last) if event.position
    )
    assert first.missed_since == hours_ago - REWIND
    assert not any(event.missed_since for event in others)


def test_a_message_that_is_too_large_does_not_stop_the_stream(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jetstream, "MAX_MESSAGE_BYTES", 2_000)
    large = SimEvent(AT, "did:plc:fan1", rkey="large", record={"text": "x" * 3_000})
    log = EventLog([chatter(AT - SECOND // 2), large, created(post(7), AT + 2 * SECOND)])
    with JetstreamServer(log) as server:
        stream = Jetstream([server.url], sleep=no_sleep)
        found = hear(stream, AT, lambda event: event.position == AT + 2 * SECOND)
    assert numbers(found) == ["7"]
    assert [event.unreadable for event in found if event.unreadable] == ["too_large"]
