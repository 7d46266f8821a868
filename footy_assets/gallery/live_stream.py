"""Server-sent events: one reader of the live feed."""

from collections.abc import AsyncIterator

import structlog
from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import SendTimeoutError
from starlette.types import Receive, Scope, Send

from footy_assets.gallery.live_feed import LiveFeed
from footy_assets.gallery.live_log import Change

log = structlog.get_logger()

HEARTBEAT_SECONDS = 15.0
# A reader that takes nothing for this long is dropped; its browser reconnects with its last id.
STALLED_SECONDS = 20.0
RETRY_MS = 1000
NEWLINE = "\n"


class LiveStream(EventSourceResponse):
    """The stream of one viewer. It waits only for that viewer: a slow one delays nobody else."""

    def __init__(self, feed: LiveFeed, since: str | None, fixture_id: int | None) -> None:
        self._feed, self._since, self._fixture_id = feed, since, fixture_id
        super().__init__(
            self._events(),
            sep=NEWLINE,
            ping=HEARTBEAT_SECONDS,
            ping_message_factory=self._position,
            send_timeout=STALLED_SECONDS,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        except SendTimeoutError:
            log.info("live_reader_dropped", silent_seconds=STALLED_SECONDS)

    async def _events(self) -> AsyncIterator[bytes | ServerSentEvent]:
        feed, recent = self._feed, self._feed.log
        with feed.watching() as news:
            yield ServerSentEvent(retry=RETRY_MS, sep=NEWLINE)
            place, first = await self._begin()
            if first:
                yield first
            while not feed.closed:
                news.clear()
                changes = recent.after(place)
                if changes == []:
                    await news.wait()
                    continue
                place = recent.next
                if changes is None:
                    yield self._reload()
                elif wire := self._wire(changes):
                    yield wire

    async def _begin(self) -> tuple[int, bytes | ServerSentEvent]:
        """The viewer's position in the log, and the first event to send."""
        recent = self._feed.log
        if self._since is None:
            return recent.next, self._position()
        missed = await self._feed.missed_since(self._since)
        if missed is None:
            return recent.next, self._reload()
        changes, place = missed
        return place, self._wire(changes)

    def _wire(self, changes: list[Change]) -> bytes:
        return b"".join(c.wire for c in changes if c.concerns(self._fixture_id))

    def _position(self) -> ServerSentEvent:
        """An event with only an id: moves the reconnect position and keeps proxies open."""
        return ServerSentEvent(id=self._feed.log.latest or "", sep=NEWLINE)

    def _reload(self) -> ServerSentEvent:
        return ServerSentEvent("{}", event="reload", id=self._feed.log.latest or "", sep=NEWLINE)
