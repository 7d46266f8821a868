"""Clients that hold connections shut nobody out. Over real sockets, with small limits."""

import asyncio
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field

import httpx
import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect as connect_websocket

from footy_assets.web_server.connections import ConnectionLimits, StreamSlots, client_of
from footy_assets.web_server.listening import server_config
from footy_assets_tests.waiting import PATIENCE_SECONDS, wait_until

LONG = b"x" * 65_536
CHUNKS = 400
# Four connections for each client.
FEW = ConnectionLimits(in_all=8)


@dataclass
class Served:
    port: int
    release: threading.Event = field(default_factory=threading.Event)
    long_responses_ended: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def connect(self, sent: bytes = b"", from_: str = "127.0.0.1") -> socket.socket:
        made = socket.create_connection(("127.0.0.1", self.port), PATIENCE_SECONDS, (from_, 0))
        made.sendall(sent)
        return made

    def hold(self) -> socket.socket:
        """A connection whose response has begun and does not end."""
        held = self.connect(b"GET /held HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"200" in held.recv(100)
        return held


@contextmanager
def serving(limits: ConnectionLimits) -> Iterator[Served]:
    """A server with pages that answer at once, are long, or end only when released."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            await receive()
            return
        if scope["type"] == "lifespan":
            return
        if scope["method"] == "POST":
            while (await receive()).get("more_body"):
                pass
        await send({"type": "http.response.start", "status": 200, "headers": []})
        if scope["path"] == "/held":
            await send({"type": "http.response.body", "body": b"begun", "more_body": True})
            await asyncio.to_thread(served.release.wait, PATIENCE_SECONDS)
        for _ in range(CHUNKS if scope["path"] == "/long" else 0):
            await send({"type": "http.response.body", "body": LONG, "more_body": True})
        with suppress(RuntimeError):
            await send({"type": "http.response.body", "body": b"end"})
        served.long_responses_ended += scope["path"] == "/long"

    with socket.create_server(("127.0.0.1", 0)) as listening:
        served = Served(listening.getsockname()[1])
        server = uvicorn.Server(server_config(app, limits))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            wait_until(lambda: server.started)
            yield served
        finally:
            served.release.set()
            server.should_exit = True
            thread.join(PATIENCE_SECONDS)


def is_closed(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def test_connections_that_send_nothing_make_room_for_others() -> None:
    with serving(FEW) as served, ExitStack() as opened:
        idle = [opened.enter_context(served.connect()) for _ in range(20)]
        for _ in range(3):
            assert httpx.get(served.url).text == "end"
        wait_until(lambda: sum(map(is_closed, idle)) >= 16)


def test_unfinished_headers_and_bodies_make_room_for_others() -> None:
    unfinished = (
        b"GET / HTTP/1.1\r\nHost: x\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n",
    )
    with serving(FEW) as served, ExitStack() as opened:
        for sent in unfinished:
            for _ in range(10):
                opened.enter_context(served.connect(sent))
            assert httpx.get(served.url).text == "end"


def test_a_client_whose_connections_are_all_served_gets_a_503_and_others_are_served() -> None:
    with serving(FEW) as served, ExitStack() as opened:
        held = [opened.enter_context(served.hold()) for _ in range(FEW.per_client)]
        with served.connect(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n") as refused:
            answer = refused.recv(1000)
        with served.connect() as silent:
            assert silent.recv(1000) == b"", "closed after a moment"
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"retry-after: 5" in answer
        with served.connect(b"GET / HTTP/1.0\r\n\r\n", from_="127.0.0.2") as other:
            assert other.recv(1000).startswith(b"HTTP/1.1 200 ")
        held.pop().close()
        wait_until(lambda: httpx.get(served.url).status_code == 200)


@pytest.mark.parametrize(
    "begun", [b"", b"GET / HTTP/1.1\r\nx: ", b"POST / HTTP/1.1\r\nContent-Length: 999999\r\n\r\n"]
)
def test_a_request_that_comes_byte_by_byte_is_given_up(begun: bytes) -> None:
    limits = ConnectionLimits(8, waiting_seconds=0.2, body_seconds=0.2)
    with serving(limits) as served, served.connect(begun) as slow:

        def sent_another_byte() -> bool:
            with suppress(OSError):
                slow.sendall(b"y" if begun else b"")
            return is_closed(slow)

        wait_until(sent_another_byte)
        assert httpx.get(served.url).text == "end"


@pytest.mark.parametrize("before", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"])
def test_headers_without_end_are_given_up(before: bytes) -> None:
    with serving(FEW) as served, served.connect(before) as endless:
        if before:
            assert b"200" in endless.recv(100)
        with pytest.raises(ConnectionError):
            endless.sendall(b"GET / HTTP/1.1\r\nx: " + CHUNKS * LONG)
        assert httpx.get(served.url).text == "end"


def test_a_keep_alive_connection_is_given_time_anew_for_each_request() -> None:
    with serving(ConnectionLimits(8)) as served, httpx.Client() as client:
        assert [client.get(served.url).text for _ in range(3)] == ["end"] * 3


def test_a_response_that_is_not_read_is_given_up() -> None:
    with serving(ConnectionLimits(8, waiting_seconds=0.4, stalled_seconds=0.2)) as served:
        with served.connect(b"GET /long HTTP/1.1\r\nHost: x\r\n\r\n") as deaf:
            wait_until(lambda: served.long_responses_ended == 1)
            received = 0
            with suppress(ConnectionResetError):
                while block := deaf.recv(1 << 20):
                    received += len(block)
        assert received < CHUNKS * len(LONG)
        assert len(httpx.get(f"{served.url}/long").content) > CHUNKS * len(LONG)


def test_websockets_count_until_they_are_closed() -> None:
    with serving(FEW) as served:
        url = f"ws://127.0.0.1:{served.port}"
        for _ in range(2 * FEW.in_all):
            with connect_websocket(url):
                pass
        with ExitStack() as opened:
            for _ in range(FEW.per_client):
                opened.enter_context(connect_websocket(url))
            with pytest.raises(InvalidStatus, match="503"), connect_websocket(url):
                pass


def test_streams_leave_room_for_requests() -> None:
    slots = StreamSlots(ConnectionLimits(in_all=16))
    with ExitStack() as opened:
        take = lambda client: opened.enter_context(slots.slot(client))  # noqa: E731
        assert [take("a") for _ in range(5)] == [True] * 4 + [False]
        assert [take("b") for _ in range(4)] == [True] * 4
        assert not take("c"), "half of the connections is for other requests"
    with slots.slot("a") as free:
        assert free


def test_a_network_of_ipv6_addresses_is_one_client() -> None:
    assert client_of("2001:db8::1") == client_of("2001:db8::ffff:1") != client_of("2001:db8:0:1::1")
    assert client_of("::ffff:10.0.0.1") == client_of("10.0.0.1") != client_of("10.0.0.2")


RAISED = """
import resource
from footy_assets.web_server.connections import ConnectionLimits
from footy_assets.web_server.open_files import raise_open_files
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
raise_open_files()
soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
assert soft == (min(16384, hard) if hard != resource.RLIM_INFINITY else 16384), soft
resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
raise_open_files()
assert ConnectionLimits.for_this_process(4096).in_all == 512
"""


def test_the_limit_of_open_files_is_raised_as_far_as_it_may_be() -> None:
    subprocess.run([sys.executable, "-c", RAISED], check=True)
