"""Messages of Jetstream, one by one."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from footy_assets.search.rules.heard import HeardPost, RemovedAuthor, RemovedPost, StreamEvent
from footy_assets.sim.social.stream import SimEvent, account_gone, created, deleted, position_at
from footy_assets_tests.resources.fans import NOW, post
from resources.bluesky.events import StreamEnded, read_v1, read_v2

AT = position_at(NOW)
READERS = {1: read_v1, 2: read_v2}
both = pytest.mark.parametrize("version", [1, 2])


def read(event: SimEvent, version: Any) -> StreamEvent:
    return READERS[version](event.message(0, version))


@both
def test_se5_a_post_with_a_video_is_read(version: int) -> None:
    made = post(1, size=(1920, 1080))
    assert read(created(made, AT), version) == StreamEvent(
        AT,
        (
            HeardPost(
                post_id="did:plc:fan1/1900000001",
                author="did:plc:fan1",
                text="GOAL! Salah for Liverpool, take 1",
                posted_at=made.posted_at,
                video="film1",
                size=1_000_000,
                width=1920,
                height=1080,
                langs=("en",),
            ),
        ),
    )


@both
def test_se5_a_video_beside_a_quote_counts_and_one_in_the_quote_does_not(version: int) -> None:
    quoted = post(9)
    (own,) = read(created(post(1, quotes=quoted), AT), version).changes
    assert isinstance(own, HeardPost)
    assert own.video == "film1"
    without = read(created(post(2, video=None, quotes=quoted), AT), version)
    assert without == StreamEvent(AT)


@both
def test_a_post_of_the_future_has_the_time_of_the_stream(version: int) -> None:
    (heard,) = read(created(post(1, seconds_ago=-3600), AT), version).changes
    assert isinstance(heard, HeardPost)
    assert heard.posted_at == NOW


@both
def test_posts_and_accounts_are_removed(version: int) -> None:
    assert read(deleted(post(1), AT), version).changes == (RemovedPost("did:plc:fan1/1900000001"),)
    assert read(account_gone("fan1", AT), version).changes == (RemovedAuthor("did:plc:fan1"),)
    assert read(account_gone("fan1", AT, "throttled"), version) == StreamEvent(AT)


@both
def test_an_edited_post_replaces_the_old_one(version: int) -> None:
    made = created(post(1), AT)
    edited = SimEvent(AT, made.did, "update", made.rkey, made.record)
    removed, heard = read(edited, version).changes
    assert removed == RemovedPost("did:plc:fan1/1900000001")
    assert isinstance(heard, HeardPost)


@both
def test_other_collections_are_passed_over(version: int) -> None:
    like = SimEvent(AT, "did:plc:fan1", "delete", "abc", collection="app.bsky.feed.like")
    assert read(like, version) == StreamEvent(AT)


@both
@pytest.mark.parametrize("shape", ["undated", "malformed"])
def test_an_unreadable_record_keeps_its_place(version: int, shape: Any) -> None:
    found = read(created(post(1, shape=shape), AT), version)
    assert found == StreamEvent(AT, unreadable="unknown_record")


@both
@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "null", "\x00", '{"did":7}', '{"$type":"message","payload":{"a":1}}']
)
def test_an_unreadable_message_is_a_reason(version: int, text: str) -> None:
    assert READERS[version](text) == StreamEvent(None, unreadable="unknown_form")


@pytest.mark.parametrize(
    "change",
    [
        {"createdAt": "0001-01-01T00:00:00+14:00"},
        {"createdAt": "9999-12-31T23:59:59-14:00"},
        {"text": None},
        {"langs": 7},
        {"embed.aspectRatio": {"width": 10**30, "height": 1}},
        {"embed.aspectRatio": {"width": 0, "height": 1}},
        {"embed.video": {"ref": {"$link": "a"}, "size": 10**30}},
        {"embed.video": {"ref": {"$link": "../../x"}, "size": 1}},
    ],
)
def test_what_cannot_be_stored_is_unreadable(change: dict[str, Any]) -> None:
    made = created(post(1), AT)
    record = json.loads(json.dumps(made.record))
    for name, value in change.items():
        inside, _, field = name.rpartition(".")
        (record[inside] if inside else record)[field] = value
    for version in (1, 2):
        found = read(SimEvent(AT, made.did, "create", made.rkey, record), version)
        assert found == StreamEvent(AT, unreadable="unknown_record")


def test_a_record_cannot_move_the_position() -> None:
    """Whoever posts may write any field into a record."""
    made = created(post(1), AT)
    record = {**(made.record or {}), "time_us": 1, "witnessedAt": "1990-01-01T00:00:00Z"}
    for version in (1, 2):
        hostile = SimEvent(AT, made.did, "create", made.rkey, record)
        assert read(hostile, version).position == AT


def test_v2_says_when_a_cursor_refers_to_another_time_than_it_shows() -> None:
    message = json.loads(created(post(1), AT).message(0, 2))
    message["payload"]["time"] = "2001-01-01T00:00:00.000000Z"
    assert read_v2(json.dumps(message)).position == AT
    del message["payload"]["witnessedAt"]
    old = datetime(2001, 1, 1, tzinfo=UTC)
    assert read_v2(json.dumps(message)).position == position_at(old)


def test_v2_accounts_may_be_flat() -> None:
    message = json.loads(account_gone("fan1", AT).message(0, 2))
    message["payload"] |= message["payload"].pop("account")
    assert read_v2(json.dumps(message)).changes == (RemovedAuthor("did:plc:fan1"),)


def test_v2_an_error_ends_the_stream() -> None:
    with pytest.raises(StreamEnded, match="ConsumerTooSlow"):
        read_v2('{"$type":"error","error":"ConsumerTooSlow","message":"bye"}')
