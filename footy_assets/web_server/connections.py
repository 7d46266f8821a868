"""Limits of connections, so that clients that hold many of them shut nobody out.

A connection whose client does not do its part (send a request, read the response) costs an open
file and nothing else. It is closed after a while, or earlier to make room for another connection.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv6Address, ip_network
from typing import Any

from footy_assets.web_server.open_files import open_files_limit

RETRY_SECONDS = 5
REFUSED = (
    f"HTTP/1.1 503 Service Unavailable\r\nretry-after: {RETRY_SECONDS}\r\n"
    "content-length: 0\r\nconnection: close\r\n\r\n"
).encode()
# Open files for everything but connections: databases, threads, videos.
RESERVED_FILES = 512
SWEEP_SECONDS = 1.0
# How long, and how many at a time, connections that are refused may stay open for a request.
REFUSED_SECONDS = 2.0
MAX_REFUSED = 100


class Phase(StrEnum):
    """What a connection does."""

    WAITING = "waiting for a request, or for the rest of its headers"
    SENDING_BODY = "sending the body of a request"
    ANSWERED = "receiving a response"
    STALLED = "not reading its response"


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Streams (live feeds, WebSockets) stay open for long; half of the connections is for others.
    Browsers behind one proxy are one client."""

    in_all: int
    waiting_seconds: float = 15.0
    body_seconds: float = 60.0
    stalled_seconds: float = 120.0

    @classmethod
    def for_this_process(cls, wanted: int) -> "ConnectionLimits":
        """As many as wanted, or as the limit of open files allows."""
        files = open_files_limit()
        return cls(min(wanted, max(files - RESERVED_FILES, files // 2)))

    @property
    def per_client(self) -> int:
        return max(1, self.in_all // 2)

    @property
    def streams(self) -> int:
        return max(1, self.in_all // 2)

    @property
    def streams_per_client(self) -> int:
        return max(1, self.in_all // 4)

    def seconds(self, phase: Phase) -> float | None:
        """How long a connection may be in this phase."""
        return {
            Phase.WAITING: self.waiting_seconds,
            Phase.SENDING_BODY: self.body_seconds,
            Phase.STALLED: self.stalled_seconds,
        }.get(phase)


@dataclass(slots=True, eq=False)
class _Connection:
    protocol: Any
    transport: Any
    client: str
    since: float
    phase: Phase = Phase.WAITING
    cycle: Any = None

    def phase_now(self) -> Phase:
        if self.protocol.flow.write_paused or self.transport.is_closing():
            return Phase.STALLED
        if self.transport.get_protocol() is not self.protocol:
            return Phase.ANSWERED  # a WebSocket, which sends pings itself
        cycle = self.protocol.cycle
        if cycle is None or cycle.response_complete:
            return Phase.WAITING
        return Phase.SENDING_BODY if cycle.more_body else Phase.ANSWERED


class OpenConnections:
    """The open connections of a server. Used by its event loop only."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        self._open: dict[Any, _Connection] = {}
        self._per_client: Counter[str] = Counter()
        # Whether each connection that is refused has its answer.
        self._refused: dict[Any, bool] = {}
        self._sweeping = False

    def add(self, protocol: Any, transport: Any) -> bool:
        """False if there are too many connections and all are being served: `refuse` it then."""
        loop = asyncio.get_running_loop()
        peer = transport.get_extra_info("peername")
        client = client_of(peer[0] if peer else "")
        if not self._make_room(client):
            if len(self._refused) >= MAX_REFUSED:
                transport.abort()
            else:
                self._refused[transport] = False
                loop.call_later(REFUSED_SECONDS, transport.abort)
            return False
        self._open[transport] = _Connection(protocol, transport, client, loop.time())
        self._per_client[client] += 1
        if not self._sweeping:
            self._sweeping = True
            loop.call_later(self._sweep_seconds, self._sweep, loop)
        return True

    def refuse(self, transport: Any) -> None:
        """Answers a request with a 503. Closed at once, a client that is still sending would lose
        the response."""
        if self._refused.get(transport) is False:
            self._refused[transport] = True
            transport.write(REFUSED)
            transport.write_eof()

    def remove(self, transport: Any) -> None:
        self._refused.pop(transport, None)
        connection = self._open.pop(transport, None)
        if connection is not None:
            self._per_client[connection.client] -= 1
            if not self._per_client[connection.client]:
                del self._per_client[connection.client]

    def _make_room(self, client: str) -> bool:
        if self._per_client[client] >= self.limits.per_client:
            return self._close_one_of(client)
        if len(self._open) >= self.limits.in_all:
            [(greediest, _)] = self._per_client.most_common(1)
            return self._close_one_of(greediest)
        return True

    def _close_one_of(self, client: str) -> bool:
        """The one that has waited for a request for longest; if none waits, another that the
        client keeps waiting."""
        found: _Connection | None = None
        for connection in self._open.values():
            if connection.client != client or (phase := connection.phase_now()) is Phase.ANSWERED:
                continue
            if phase is Phase.WAITING:
                found = connection
                break
            found = found or connection
        if found is None:
            return False
        self._close(found)
        return True

    def _close(self, connection: _Connection) -> None:
        connection.transport.abort()
        self.remove(connection.transport)

    @property
    def _sweep_seconds(self) -> float:
        return min(SWEEP_SECONDS, self.limits.waiting_seconds / 2)

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        now = loop.time()
        for connection in list(self._open.values()):
            phase, cycle = connection.phase_now(), connection.protocol.cycle
            if phase is not connection.phase or cycle is not connection.cycle:
                connection.phase, connection.cycle, connection.since = phase, cycle, now
                continue
            limit = self.limits.seconds(phase)
            if limit is not None and now - connection.since > limit:
                self._close(connection)
        self._sweeping = bool(self._open)
        if self._sweeping:
            loop.call_later(self._sweep_seconds, self._sweep, loop)


class StreamSlots:
    """How many streams may be open, in all and for each client."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self._limits = limits
        self._taken: Counter[str] = Counter()

    @contextmanager
    def slot(self, address: str) -> Iterator[bool]:
        """Takes a slot for the block; False if there is none."""
        client = client_of(address)
        free = (
            self._taken.total() < self._limits.streams
            and self._taken[client] < self._limits.streams_per_client
        )
        self._taken[client] += free
        try:
            yield free
        finally:
            self._taken[client] -= free
            if not self._taken[client]:
                del self._taken[client]


def client_of(address: str) -> str:
    """One client has one IPv4 address, or a /64 network of IPv6 addresses."""
    try:
        parsed = IPv6Address(address)
    except ValueError:
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ip_network((int(parsed) >> 64 << 64, 64)))
