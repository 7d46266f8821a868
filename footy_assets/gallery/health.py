"""The health of everything that the web app and the pipeline need."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Literal

from pymongo.database import Database

from footy_assets import __version__
from footy_assets.gallery.dagster_ui import DagsterUi
from footy_assets.gallery.live_feed import LiveFeed
from footy_assets.store.collections import Document
from resources.mongo.connection import health as mongo_health
from resources.s3.clip_store import ClipStore
from resources.s3.connection import health as s3_health

State = Literal["ok", "down"]
# A check writes to S3 and queries three servers, so its result is reused for this long.
FRESH_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class PartStatus:
    name: str
    state: State
    detail: str
    needed: bool = True


@dataclass(frozen=True, slots=True)
class Status:
    state: State
    version: str
    parts: tuple[PartStatus, ...]


@dataclass(slots=True)
class Health:
    database: Database[Document]
    objects: ClipStore
    feed: LiveFeed
    dagster: DagsterUi
    monotonic: Callable[[], float] = time.monotonic
    _lock: Lock = field(default_factory=Lock)
    _last: tuple[float, Status] | None = None

    def status(self) -> Status:
        """At most five seconds old; concurrent requests share one check."""
        with self._lock:
            if self._last is None or self.monotonic() - self._last[0] > FRESH_SECONDS:
                self._last = (self.monotonic(), self._check())
            return self._last[1]

    def _check(self) -> Status:
        mongo, s3 = mongo_health(self.database), s3_health(self.objects)
        failure = self.feed.failure
        found = (
            PartStatus("MongoDB", _state(mongo.ok), mongo.detail),
            PartStatus("S3", _state(s3.ok), s3.detail),
            PartStatus("Live feed", _state(failure is None), failure or "live updates on"),
            self._dagster(),
        )
        whole = all(part.state == "ok" for part in found if part.needed)
        return Status(_state(whole), __version__, found)

    def _dagster(self) -> PartStatus:
        """Not required by the pages, but by new goals and clips."""
        url = self.dagster.url
        if url is None:
            return PartStatus("Dagster", "down", "its address is not known", needed=False)
        up = self.dagster.is_up()
        detail = f"at {url}" if up else f"does not answer at {url}"
        return PartStatus("Dagster", _state(up), detail, needed=False)


def _state(ok: bool) -> State:
    return "ok" if ok else "down"
