"""A Jetstream on loopback: both versions, and servers that refuse, break and forget."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Self
from urllib.parse import parse_qs, urlsplit

from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.sync.server import Server, ServerConnection, serve
from websockets.typing import Subprotocol

from footy_assets.sim.social.stream import SimStream, Version

PATHS: dict[str, Version] = {
    "/subscribe": 1,
    "/xrpc/network.bsky.jetstream.subscribeEvents": 2,
}
WAIT_SECONDS = 0.05
STOP_SECONDS = 5.0
NOT_FOUND, BAD_REQUEST, UNAVAILABLE = 404, 400, 503
INFO = (
    '{"$type":"message","payload":{"$type":"network.bsky.jetstream.subscribeEvents#info",'
    '"name":"OutdatedCursor","message":"resumed later"}}'
)


@dataclass
class StreamFaults:
    """`drops`: after how many messages each next connection breaks off, without a word. `hangs`:
    connections stay open and silent."""

    has_v2: bool = True
    refusals: int = 0
    drops: list[int] = field(default_factory=list)
    hangs: bool = False
    error: str = ""


@dataclass(frozen=True)
class StreamVisit:
    path: str
    query: dict[str, list[str]]
    user_agent: str


class JetstreamServer:
    """Sends a stream to everyone who connects. Use as a context manager."""

    def __init__(self, stream: SimStream, port: int = 0) -> None:
        self.stream = stream
        self.faults = StreamFaults()
        self.visits: list[StreamVisit] = []
        self._port = port
        self._server: Server | None = None
        self._thread: Thread | None = None
        self._stopped = Event()

    @property
    def url(self) -> str:
        if self._server is None:
            raise RuntimeError("the server has no port until it has started")
        return f"ws://127.0.0.1:{self._server.socket.getsockname()[1]}"

    def start(self) -> Self:
        self._server = serve(
            self._send_all,
            "127.0.0.1",
            self._port,
            process_request=self._refusal,
            select_subprotocol=_select,
            compression=None,
            ping_interval=None,
        )
        self._thread = Thread(target=self._server.serve_forever, name="jetstream", daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        self._stopped.set()
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._thread.join(STOP_SECONDS)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *error: object) -> None:
        self.stop()

    def _refusal(self, connection: ServerConnection, request: Request) -> Response | None:
        parts = urlsplit(request.path)
        query = parse_qs(parts.query)
        self.visits.append(StreamVisit(parts.path, query, request.headers.get("User-Agent", "")))
        if self.faults.refusals:
            self.faults.refusals -= 1
            return connection.respond(UNAVAILABLE, "not now")
        version = PATHS.get(parts.path)
        if version is None or (version == 2 and not self.faults.has_v2):
            return connection.respond(NOT_FOUND, "no such path")
        if version == 2 and "wantedCollections" in query:
            return connection.respond(BAD_REQUEST, "wantedCollections is now collections")
        return None

    def _send_all(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        parts = urlsplit(connection.request.path)
        query, version = parse_qs(parts.query), PATHS[parts.path]
        left = self.faults.drops.pop(0) if self.faults.drops else None
        number = self.stream.count()
        try:
            if cursor := query.get("cursor"):
                number = self.stream.first_at(int(cursor[0]))
                if version == 2 and int(cursor[0]) < self.stream.oldest():
                    connection.send(INFO)
            if self.faults.error and version == 2:
                connection.send(f'{{"$type":"error","error":"{self.faults.error}"}}')
                self.faults.error = ""
                return
            while not self._stopped.is_set() and connection.state is State.OPEN:
                message = None if self.faults.hangs else self.stream.message(number, version)
                if left == 0:
                    connection.socket.close()
                    return
                if message is None:
                    self.stream.wait(WAIT_SECONDS)
                    continue
                connection.send(message)
                number += 1
                left = None if left is None else left - 1
        except (ConnectionClosed, OSError):
            return


def _select(_: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    return offered[0] if offered else None
