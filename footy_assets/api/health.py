"""Is everything there that the web app and the pipeline need?"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Literal

from pymongo.database import Database

from footy_assets import __version__
from footy_assets.api.dagster_ui import DagsterUi
from footy_assets.api.live_feed import LiveFeed
from footy_assets.store.collections import Document
from resources.clip_store import ClipStore
from resources.mongo_connection import health as mongo_health
from resources.s3_connection import health as s3_health

State = Literal["ok", "down"]
# To look is to write to S3 and to ask three servers: whoever asks meanwhile is told the same.
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
    _seen: tuple[float, Status] | None = None

    def status(self) -> Status:
        """As it was at most five seconds ago; however many ask at once, one looks."""
        with self._lock:
            if self._seen is None or self.monotonic() - self._seen[0] > FRESH_SECONDS:
                self._seen = (self.monotonic(), self._look())
            return self._seen[1]

    def _look(self) -> Status:
        mongo, s3 = mongo_health(self.database), s3_health(self.objects)
        failure = self.feed.failure
        found = (
            PartStatus("MongoDB", _state(mongo.ok), mongo.detail),
            PartStatus("S3", _state(s3.ok), s3.detail),
            PartStatus("Live feed", _state(failure is None), failure or "changes are told at once"),
            self._dagster(),
        )
        whole = all(part.state == "ok" for part in found if part.needed)
        return Status(_state(whole), __version__, found)

    def _dagster(self) -> PartStatus:
        """The pages do without it; new goals and clips do not."""
        url = self.dagster.url
        if url is None:
            return PartStatus("Dagster", "down", "its address is not known", needed=False)
        up = self.dagster.is_up()
        said = f"at {url}" if up else f"does not answer at {url}"
        return PartStatus("Dagster", _state(up), said, needed=False)


def _state(ok: bool) -> State:
    return "ok" if ok else "down"
