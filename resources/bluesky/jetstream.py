"""Bluesky's Jetstream: all posts of the network over a websocket, as they are made, no login.

A position is a time, which every server and both versions of the protocol understand; numbers of
messages are a server's own. After a break the stream goes on a few seconds before it, at the next
server, so that a post may come twice and none is missing.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from ssl import SSLContext
from urllib.parse import urlencode

import structlog
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.frames import CloseCode
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from footy_assets import __version__
from footy_assets.retries import RETRIES, RetryPolicy
from footy_assets.search.rules.heard import StreamEvent
from resources.bluesky.events import POSTS, StreamEnded, read_v1, read_v2
from resources.tls import verify_for

V1_PATH = "/subscribe"
V2_PATH = "/xrpc/network.bsky.jetstream.subscribeEvents"
V2_PROTOCOL = Subprotocol("xrpc.v1.json")
USER_AGENT = f"footy_assets/{__version__} (football goal clips)"
# A post has a few kilobytes. The server leaves out what is larger.
MAX_MESSAGE_BYTES = 256 * 1024
# Frames that wait for us; then the connection is not read, and the server waits.
MAX_QUEUE = 512
PING_SECONDS = 20.0
OPEN_SECONDS = 10.0
CLOSE_SECONDS = 2.0
# How long without a message until the reader gets a turn, and until the server counts as stuck.
IDLE_SECONDS = 0.25
SILENCE_SECONDS = 60.0
SECOND = 1_000_000
REWIND = 5 * SECOND
# The stream has dozens of messages a second: a first one this much later means that some are lost.
GAP = 60 * SECOND
TOO_MANY_REQUESTS = 429
# The waits have long stopped growing.
MOST_FAILURES = 100

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class StreamAddress:
    """A server, the version of its protocol, and where to begin."""

    url: str
    version: int
    cursor: int | None

    @property
    def uri(self) -> str:
        cursor = {"cursor": str(self.cursor)} if self.cursor is not None else {}
        size = {"maxMessageSizeBytes": str(MAX_MESSAGE_BYTES)}
        if self.version == 1:
            query = urlencode({"wantedCollections": POSTS, **size, **cursor})
            return f"{self.url}{V1_PATH}?{query}"
        wanted = [("collections", POSTS), ("kinds", "commit"), ("kinds", "account")]
        return f"{self.url}{V2_PATH}?{urlencode([*wanted, *size.items(), *cursor.items()])}"


class Jetstream:
    """A `PostStream` of several servers, of which one at a time is used."""

    def __init__(
        self,
        urls: Sequence[str],
        *,
        retry: RetryPolicy = RETRIES["stream"],
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
        silence_seconds: float = SILENCE_SECONDS,
    ) -> None:
        self._urls = [url.rstrip("/") for url in urls]
        self._retry, self._sleep, self._monotonic = retry, sleep, monotonic
        self._silence_seconds = silence_seconds
        self._without_v2: set[str] = set()
        self._number = 0

    def events(
        self, after: int | None, stopped: Callable[[], bool]
    ) -> Iterator[StreamEvent | None]:
        position, failures, rewind = after, 0, REWIND
        while not stopped():
            before, is_first, is_further = position, True, False
            subscription = self._subscription(position, rewind)
            rewind = REWIND
            try:
                for event in self._read(subscription, stopped):
                    if event is not None and (at := event.position) is not None:
                        event = _noting_a_gap(event, subscription.cursor) if is_first else event
                        is_first = False
                        is_further = is_further or before is None or at > before
                        position = _moved(position, at)
                    yield event
            except (OSError, WebSocketException, StreamEnded) as error:
                if self._refuses_v2(subscription, error):
                    continue
                if _is_too_large(error):
                    # It would end every connection: one second of the stream is left out.
                    rewind = -SECOND
                    yield StreamEvent(None, unreadable="too_large")
                log.warning(
                    "jetstream_broken", url=subscription.url, reason=str(error) or repr(error)
                )
                yield StreamEvent(None, broke_off=True)
                self._number += 1
                failures = 0 if is_further else failures + 1
                yield from self._wait(failures, stopped)

    def _subscription(self, position: int | None, rewind: int) -> StreamAddress:
        url = self._urls[self._number % len(self._urls)]
        cursor = None if position is None else position - rewind
        return StreamAddress(url, 1 if url in self._without_v2 else 2, cursor)

    def _read(
        self, subscription: StreamAddress, stopped: Callable[[], bool]
    ) -> Iterator[StreamEvent | None]:
        read = read_v1 if subscription.version == 1 else read_v2
        with _connect(subscription) as connection:
            log.info("jetstream_open", url=subscription.url, version=subscription.version)
            last = self._monotonic()
            while not stopped():
                try:
                    message = connection.recv(IDLE_SECONDS, decode=False)
                except TimeoutError:
                    if self._monotonic() - last > self._silence_seconds:
                        raise StreamEnded(f"silent for {self._silence_seconds:g} s") from None
                    yield None
                    continue
                last = self._monotonic()
                yield read(message)

    def _refuses_v2(self, subscription: StreamAddress, error: Exception) -> bool:
        """A server with the first version only; it gets a request for that at once."""
        if subscription.version == 1 or not isinstance(error, InvalidStatus):
            return False
        status = error.response.status_code
        if not 400 <= status < 500 or status == TOO_MANY_REQUESTS:
            return False
        self._without_v2.add(subscription.url)
        return True

    def _wait(self, failures: int, stopped: Callable[[], bool]) -> Iterator[None]:
        """After servers that sent nothing new; the reader gets its turns meanwhile."""
        left = self._retry.wait_after(min(failures, MOST_FAILURES)) if failures else 0.0
        while left > 0 and not stopped():
            yield None
            self._sleep(min(left, IDLE_SECONDS))
            left -= IDLE_SECONDS


def _connect(subscription: StreamAddress) -> AbstractContextManager[ClientConnection]:
    secure = verify_for(subscription.url.replace("wss://", "https://", 1))
    return connect(
        subscription.uri,
        ssl=secure if isinstance(secure, SSLContext) else None,
        subprotocols=[V2_PROTOCOL] if subscription.version == 2 else None,
        compression=None,
        user_agent_header=USER_AGENT,
        open_timeout=OPEN_SECONDS,
        ping_interval=PING_SECONDS,
        ping_timeout=PING_SECONDS,
        close_timeout=CLOSE_SECONDS,
        max_size=MAX_MESSAGE_BYTES,
        max_queue=MAX_QUEUE,
    )


def _moved(position: int | None, to: int) -> int:
    """What is repeated after a break is no step back; a server with another clock is one."""
    if position is not None and position - REWIND <= to < position:
        return position
    return to


def _noting_a_gap(event: StreamEvent, cursor: int | None) -> StreamEvent:
    """The first message of a connection: servers keep a day or two."""
    if cursor is None or event.position is None or event.position - cursor < GAP:
        return event
    return replace(event, missed_since=cursor)


def _is_too_large(error: Exception) -> bool:
    sent = error.sent if isinstance(error, ConnectionClosed) else None
    return sent is not None and sent.code == CloseCode.MESSAGE_TOO_BIG
