"""T17: messages to channels: where they may go, what they may read, what errors reveal."""

import json
import logging
import socket
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from footy_assets.errors import BadInput, DeliveryFailed
from footy_assets_tests.triggers.fake_channel import FakeChannel, channel
from resources.notify.channels import ChannelSubscriber, masked, scheme_of

pytestmark = pytest.mark.slow

SECRET = "s3cr3t-t0ken"
BODY = json.dumps({"message": {"title": "Goal", "text": "Liverpool 1–0 Chelsea"}}).encode()


@pytest.fixture(scope="module")
def allowed() -> Iterator[ChannelSubscriber]:
    opened = ChannelSubscriber(5.0, private_addresses=True)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def public() -> Iterator[ChannelSubscriber]:
    opened = ChannelSubscriber(5.0)
    yield opened
    opened.close()


@pytest.fixture
def fake() -> Iterator[FakeChannel]:
    with channel() as opened:
        yield opened


def test_t17_a_message_arrives_by_json_and_by_ntfy(
    allowed: ChannelSubscriber, fake: FakeChannel
) -> None:
    assert allowed.deliver(fake.json_url(), BODY, {"idempotency-key": "k1"}) == 200
    assert allowed.deliver(fake.ntfy_url(), BODY, {"idempotency-key": "k2"}) == 200
    assert [one["message"] for one in fake.received] == ["Liverpool 1–0 Chelsea"] * 2
    assert [one["title"] for one in fake.received] == ["Goal"] * 2
    assert fake.keys == ["k1", None], "ntfy takes no headers of ours"


def test_t17_a_channel_on_this_machine_gets_nothing_unless_it_is_allowed(
    public: ChannelSubscriber, fake: FakeChannel
) -> None:
    for url in (fake.json_url(), fake.ntfy_url(), fake.json_url("localhost")):
        with pytest.raises(DeliveryFailed, match="FOOTY_NOTIFY_PRIVATE_ADDRESSES allows it"):
            public.deliver(url, BODY, {})
    assert fake.requests == 0


@pytest.mark.parametrize("behaviour", ["500", "down", "redirect"])
def test_t17_no_error_and_no_log_has_the_secret_of_a_channel(
    allowed: ChannelSubscriber,
    fake: FakeChannel,
    behaviour: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    fake.behaviour = behaviour
    url = fake.json_url(login=f"ada:{SECRET}", path=SECRET)
    with pytest.raises(DeliveryFailed) as failed:
        allowed.deliver(url, BODY, {})
    assert str(failed.value).startswith("json: ")
    # The driver of the database, whose client other tests share, names its own address.
    logged = [one.getMessage() for one in caplog.records if not one.name.startswith("pymongo")]
    for text in (failed.value.sentence(), *logged, masked(url)):
        assert SECRET not in text
        assert "127.0.0.1" not in text


def test_t17_the_status_of_a_failure_is_told(allowed: ChannelSubscriber, fake: FakeChannel) -> None:
    fake.behaviour = "500"
    with pytest.raises(DeliveryFailed, match=r"^json: HTTP 500$"):
        allowed.deliver(fake.json_url(), BODY, {})


def test_t17_a_channel_that_hangs_ends_at_the_time_limit(fake: FakeChannel) -> None:
    fake.behaviour = "hang"
    hasty = ChannelSubscriber(0.5, private_addresses=True)
    try:
        with pytest.raises(DeliveryFailed, match=r"^json: no answer within 0.5 s$"):
            hasty.deliver(fake.json_url(), BODY, {})
    finally:
        hasty.close()


@pytest.mark.parametrize(
    "url",
    ["bogus://x", "syslog://", "dbus://", "windows://", "json://", "file:///etc/passwd", "x"],
)
def test_t17_what_is_no_channel_is_refused(allowed: ChannelSubscriber, url: str) -> None:
    with pytest.raises(BadInput, match="is no channel that we can send to"):
        allowed.check(url)


def test_t17_a_webhook_of_a_known_host_is_its_channel(allowed: ChannelSubscriber) -> None:
    found = allowed.check(f"https://discord.com/api/webhooks/123456789012345678/{SECRET * 6}")
    assert found.service == "Discord"
    assert found.url.startswith("discord://")
    assert SECRET not in repr(found)


def test_t17_a_message_reads_no_file(allowed: ChannelSubscriber, tmp_path: Path) -> None:
    """A channel whose URL names a file of this machine does not get it: nothing is sent there."""
    template = tmp_path / "template.json"
    template.write_text(json.dumps({"type": "message", "attachments": [{"contentType": SECRET}]}))
    with closing(socket.create_server(("127.0.0.1", 0))) as receiver:
        url = f"workflows://127.0.0.1:{receiver.getsockname()[1]}/workflow/signature?verify=no"
        # It answers nothing, so that no message is delivered; without a file it is tried.
        for file, is_tried in ((None, True), (template, False)):
            with ThreadPoolExecutor(1) as pool:
                sending = pool.submit(allowed.deliver, with_template(url, file), BODY, {})
                tried = was_reached_before_the_end_of(sending, receiver)
                with pytest.raises(DeliveryFailed):
                    sending.result()
            assert tried is is_tried


def with_template(url: str, file: Path | None) -> str:
    return f"{url}&template={file}" if file else url


def was_reached_before_the_end_of(sending: Future[int], receiver: socket.socket) -> bool:
    """Whether somebody connected, and is then hung up on."""
    receiver.settimeout(0.05)
    while True:
        ended = sending.done()
        try:
            connection, _ = receiver.accept()
        except TimeoutError:
            if ended:
                return False
        else:
            connection.close()
            return True


def test_a_channel_is_shown_by_its_scheme_only() -> None:
    assert masked(f"tgram://{SECRET}/1") == "tgram://********"
    assert scheme_of("no scheme") == "unknown"
