"""Deliveries to subscribers: where they may go, and what their errors reveal."""

import base64
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from footy_assets.clock import SystemClock
from footy_assets.errors import DeliveryFailed
from footy_assets.triggers.notify import signed_headers
from footy_assets_tests.triggers.fake_subscriber import subscriber
from footy_assets_tests.waiting import wait_until
from resources.notify.client import HttpSubscriber, without_credentials

PASSWORD = "s3cr3t-w0rd"
LOGIN = base64.b64encode(f"ada:{PASSWORD}".encode()).decode()


def test_a_subscriber_on_this_machine_gets_nothing_unless_it_is_allowed() -> None:
    with subscriber() as fake:
        headers = signed_headers(fake.secret, b"{}", "key", SystemClock().now())
        by_name = fake.url.replace("127.0.0.1", "localhost")
        for url in (fake.url, by_name):
            with pytest.raises(DeliveryFailed, match="FOOTY_NOTIFY_PRIVATE_ADDRESSES allows it"):
                HttpSubscriber(5.0).deliver(url, b"{}", headers)
        assert fake.requests == 0
        assert HttpSubscriber(5.0, private_addresses=True).deliver(fake.url, b"{}", headers) == 200
        assert fake.requests == 1


@contextmanager
def answering(answer: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """A server that sends these bytes to one request, which it records."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        received: list[bytes] = []

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                received.append(connection.recv(65536))
                connection.sendall(answer.replace(b"LOGIN", LOGIN.encode()))

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://ada:{PASSWORD}@127.0.0.1:{listening.getsockname()[1]}/hook", received
        thread.join()


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 500 X\r\ncontent-length: 0\r\n\r\n",
        b"Authorization: Basic LOGIN\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nBasic LOGIN\r\n\r\n",
    ],
)
def test_no_error_and_no_log_has_the_password_of_a_subscribers_url(
    answer: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with answering(answer) as (url, received):
        with pytest.raises(DeliveryFailed) as failed:
            HttpSubscriber(5.0, private_addresses=True).deliver(url, b"{}", {})
        wait_until(lambda: bool(received))
    assert f"basic {LOGIN}".lower() in received[0].decode().lower(), "it is sent, as a header"
    for text in (failed.value.sentence(), caplog.text):
        assert PASSWORD not in text
        assert LOGIN not in text


def test_the_reason_of_other_failures_is_kept() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with pytest.raises(DeliveryFailed, match=rf"^127.0.0.1:{port}: All connection attempts failed"):
        HttpSubscriber(5.0, private_addresses=True).deliver(
            f"http://ada:{PASSWORD}@127.0.0.1:{port}/", b"{}", {}
        )


def test_a_url_is_shown_without_its_credentials() -> None:
    assert without_credentials(f"https://ada:{PASSWORD}@x.example/a") == (
        "https://********@x.example/a"
    )
    assert without_credentials("https://x.example/a?b=c") == "https://x.example/a?b=c"
    assert without_credentials("footy:searches") == "footy:searches"
