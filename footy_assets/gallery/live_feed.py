"""Passes changes from one MongoDB change stream to all viewers."""

import asyncio
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import structlog
from anyio import CapacityLimiter, to_thread
from pymongo.change_stream import ChangeStream, DatabaseChangeStream
from pymongo.database import Database
from pymongo.errors import OperationFailure, PyMongoError

from footy_assets.gallery.live_log import Change, Kind, LiveLog
from footy_assets.store.collections import CLIPS, EVENTS, FIXTURES, Document

log = structlog.get_logger()

KINDS: dict[str, Kind] = {FIXTURES: "fixture", EVENTS: "goal", CLIPS: "clip"}
# Fields that no page shows.
HIDDEN_FIELDS = (
    "last_polled",
    "revision",
    "leftovers",
    "search",
    "told_minute",
    "incidents",
    "corners",
)
TOKEN = re.compile(r"[0-9A-F]{16,1024}")
WAIT_MS = 500
RETRY_SECONDS = 1.0
MAX_REPLAYED = 2_000
REPLAYS_AT_ONCE = 2
GROUP_SIZE = 20
BETWEEN_GROUPS_SECONDS = 0.002
# Maximum page loads per second that all viewers together may cause after a change.
RELOADS_PER_SECOND = 400

UPDATED: Document = {"$ifNull": ["$updateDescription.updatedFields", {}]}
PIPELINE: list[Document] = [
    {
        "$match": {
            "ns.coll": {"$in": list(KINDS)},
            "operationType": {"$in": ["insert", "update", "replace", "delete"]},
        }
    },
    {
        "$project": {
            "operationType": 1,
            "ns.coll": 1,
            "documentKey": 1,
            "fullDocument.fixture_id": 1,
            "fullDocument.matchday": 1,
            "fields": {"$map": {"input": {"$objectToArray": UPDATED}, "in": "$$this.k"}},
        }
    },
]


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
                with self._watch(token) as stream:
                    if token is None:
                        token = _token(stream)
                        loop.call_soon_threadsafe(self._begin, token)
                    loop.call_soon_threadsafe(self._set_failure, None)
                    self._ready.set()
                    while not self._stop.is_set():
                        found = stream.try_next()
                        token = _token(stream)
                        if found is not None and (change := self._change(found)):
                            loop.call_soon_threadsafe(self._publish, change)
                        elif found is None:
                            loop.call_soon_threadsafe(self._reached, token)
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

    def _watch(self, after: str | None, wait_ms: int = WAIT_MS) -> DatabaseChangeStream[Document]:
        return self._database.watch(
            PIPELINE,
            full_document="updateLookup",
            resume_after={"_data": after} if after else None,
            max_await_time_ms=wait_ms,
        )

    def _between(self, token: str, floor: str) -> list[Change] | None:
        missed: list[Change] = []
        try:
            with self._watch(token, wait_ms=100) as stream:
                while (found := stream.try_next()) is not None:
                    if found["_id"]["_data"] > floor:
                        break
                    if change := self._change(found):
                        missed.append(change)
                    if len(missed) > MAX_REPLAYED:
                        return None
        except PyMongoError:
            return None
        return missed

    def _change(self, found: Any) -> Change | None:
        fields = [name for name in found["fields"] if name.partition(".")[0] not in HIDDEN_FIELDS]
        if found["operationType"] == "update" and not fields:
            return None
        kind, document = KINDS[found["ns"]["coll"]], found.get("fullDocument") or {}
        fixture = found["documentKey"]["_id"] if kind == "fixture" else document.get("fixture_id")
        spread = round(1000 * self.watchers / RELOADS_PER_SECOND)
        return Change.of(found["_id"]["_data"], kind, fixture, document.get("matchday"), spread)

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


def _token(stream: ChangeStream[Document]) -> str:
    return str((stream.resume_token or {})["_data"])
