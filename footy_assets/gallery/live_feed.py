"""Passes changes from one MongoDB change stream to all viewers."""

import asyncio
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import structlog
from anyio import CapacityLimiter, to_thread
from pymongo.database import Database
from pymongo.errors import OperationFailure, PyMongoError

from footy_assets.gallery.live_log import Change, LiveLog
from footy_assets.gallery.store import StoredChange, read_changes
from footy_assets.store.collections import Document

log = structlog.get_logger()

TOKEN = re.compile(r"[0-9A-F]{16,1024}")
WAIT_MS = 500
REPLAY_WAIT_MS = 100
RETRY_SECONDS = 1.0
MAX_REPLAYED = 2_000
REPLAYS_AT_ONCE = 2
GROUP_SIZE = 20
BETWEEN_GROUPS_SECONDS = 0.002
# Maximum page loads per second that all viewers together may cause after a change.
RELOADS_PER_SECOND = 400


class LiveFeed:
    """Runs on the server's event loop; a thread reads the stream and passes changes to it."""

    def __init__(self, database: Database[Document], keep: int = 4096) -> None:
        self._database = database
        self.log = LiveLog(keep)
        self._watching: set[asyncio.Event] = set()
        self._news = asyncio.Event()
        self._waker: asyncio.Task[None] | None = None
        self.changes = 0
        self.failure: str | None = "not started"
        self.closed = False
        self._stop = threading.Event()
        self._ready = threading.Event()
        self._thread: threading.Thread | None = None
        self._replays = CapacityLimiter(REPLAYS_AT_ONCE)

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._read, args=(loop,), name="live-feed")
        self._thread.daemon = True
        self._thread.start()
        self._waker = asyncio.create_task(self._wake_viewers())
        await to_thread.run_sync(self._ready.wait, 5.0)

    def close(self) -> None:
        """End every watcher's stream, and the thread."""
        self._stop.set()
        self.closed = True
        for news in self._watching:
            news.set()

    async def join(self) -> None:
        if self._waker is not None:
            self._waker.cancel()
        if self._thread is not None:
            await to_thread.run_sync(self._thread.join, 3.0)

    @property
    def watchers(self) -> int:
        return len(self._watching)

    @contextmanager
    def watching(self) -> Iterator[asyncio.Event]:
        """Registers a viewer; its event is set whenever there are new changes."""
        news = asyncio.Event()
        self._watching.add(news)
        try:
            yield news
        finally:
            self._watching.discard(news)

    async def missed_since(self, token: str) -> tuple[list[Change], int] | None:
        """The changes that a reader missed and the log no longer holds, and its next position.

        MongoDB's oplog reaches back further than our log, also before our start. None: not far
        enough, or the token is invalid.
        """
        floor = self.log.floor
        if not TOKEN.fullmatch(token) or floor is None:
            return None
        if (place := self.log.place_after(token)) is not None:
            return [], place
        if token > floor:
            return None
        missed = await to_thread.run_sync(self._between, token, floor, limiter=self._replays)
        place = self.log.place_after(floor)
        return None if missed is None or place is None else (missed, place)

    # -- in threads -----------------------------------------------------------------------

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        token: str | None = None
        while not self._stop.is_set():
            try:
                with read_changes(self._database, token, WAIT_MS) as changes:
                    if token is None:
                        token = changes.token
                        loop.call_soon_threadsafe(self._begin, token)
                    loop.call_soon_threadsafe(self._set_failure, None)
                    self._ready.set()
                    while not self._stop.is_set():
                        found = changes.next()
                        token = changes.token
                        if found is None:
                            loop.call_soon_threadsafe(self._reached, token)
                        elif found.shown:
                            loop.call_soon_threadsafe(self._publish, self._change(found))
            except OperationFailure as error:
                # The position in the stream is lost: every viewer has to reload.
                token = None
                self._failed(loop, error)
            except PyMongoError as error:
                self._failed(loop, error)
            except RuntimeError:
                # The event loop has ended.
                return

    def _failed(self, loop: asyncio.AbstractEventLoop, error: PyMongoError) -> None:
        if not self._stop.is_set():
            log.warning("live_feed_lost", reason=str(error)[:200])
            loop.call_soon_threadsafe(self._set_failure, str(error)[:200])
            self._stop.wait(RETRY_SECONDS)

    def _between(self, token: str, floor: str) -> list[Change] | None:
        missed: list[Change] = []
        try:
            with read_changes(self._database, token, REPLAY_WAIT_MS) as changes:
                while (found := changes.next()) is not None:
                    if found.token > floor:
                        break
                    if found.shown:
                        missed.append(self._change(found))
                    if len(missed) > MAX_REPLAYED:
                        return None
        except PyMongoError:
            return None
        return missed

    def _change(self, found: StoredChange) -> Change:
        spread = round(1000 * self.watchers / RELOADS_PER_SECOND)
        return Change.of(found.token, found.kind, found.fixture_id, found.matchday, spread)

    # -- on the loop ----------------------------------------------------------------------

    def _begin(self, token: str) -> None:
        self.log.begin(token)
        self._news.set()

    def _publish(self, change: Change) -> None:
        self.log.append(change)
        self.changes += 1
        self._news.set()

    def _reached(self, token: str) -> None:
        self.log.reached(token)

    def _set_failure(self, reason: str | None) -> None:
        self.failure = reason

    async def _wake_viewers(self) -> None:
        """Wakes a few viewers at a time, so that page requests are served in between.

        Later changes wait for the next round.
        """
        while True:
            await self._news.wait()
            self._news.clear()
            for group in batched(list(self._watching), GROUP_SIZE):
                for news in group:
                    news.set()
                await asyncio.sleep(BETWEEN_GROUPS_SECONDS)


def batched(events: Sequence[asyncio.Event], size: int) -> Iterator[Sequence[asyncio.Event]]:
    return (events[at : at + size] for at in range(0, len(events), size))
