"""Caches rendered pages until something changes."""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from anyio import to_thread

# Pages show the running minute, so they are rendered again after this time even without a change.
FRESH_SECONDS = 2.0
MAX_PAGES = 256


@dataclass(frozen=True, slots=True)
class CachedPage:
    body: bytes
    etag: str
    version: int
    at: float


class ViewCache:
    """`version` increases with every change; pages of an older version are not served."""

    def __init__(self, version: Callable[[], int], fresh_seconds: float = FRESH_SECONDS) -> None:
        self._version = version
        self._fresh_seconds = fresh_seconds
        self._made: OrderedDict[Hashable, CachedPage] = OrderedDict()
        self._making: dict[tuple[Hashable, int], asyncio.Task[CachedPage]] = {}

    async def get(self, key: Hashable, make: Callable[[], str]) -> CachedPage:
        """The page under this key. Concurrent requests share one rendering, in a thread."""
        now, version = asyncio.get_running_loop().time(), self._version()
        made = self._made.get(key)
        if made and made.version == version and now - made.at < self._fresh_seconds:
            return made
        task = self._making.get((key, version))
        if task is None:
            task = asyncio.create_task(self._make(key, version, now, make))
            self._making[key, version] = task
            task.add_done_callback(lambda _: self._making.pop((key, version), None))
        return await asyncio.shield(task)

    async def _make(
        self, key: Hashable, version: int, now: float, make: Callable[[], str]
    ) -> CachedPage:
        body = (await to_thread.run_sync(make)).encode()
        made = CachedPage(body, etag_of(body), version, now)
        self._made[key] = made
        self._made.move_to_end(key)
        while len(self._made) > MAX_PAGES:
            self._made.popitem(last=False)
        return made


def etag_of(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()[:24]}"'
