"""Pages that many look at are made once, until something changes."""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from anyio import to_thread

# The running minute is part of a page: nothing is older than this, changed or not.
FRESH_SECONDS = 2.0
KEPT = 256


@dataclass(frozen=True, slots=True)
class Made:
    body: bytes
    etag: str
    version: int
    at: float


class ViewCache:
    """`version` moves with every change; what was made before it moved is not shown after."""

    def __init__(self, version: Callable[[], int], fresh_seconds: float = FRESH_SECONDS) -> None:
        self._version = version
        self._fresh_seconds = fresh_seconds
        self._made: OrderedDict[Hashable, Made] = OrderedDict()
        self._making: dict[tuple[Hashable, int], asyncio.Task[Made]] = {}

    async def get(self, key: Hashable, make: Callable[[], str]) -> Made:
        """The page under this key; however many ask at once, it is made once, in a thread."""
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

    async def _make(self, key: Hashable, version: int, now: float, make: Callable[[], str]) -> Made:
        body = (await to_thread.run_sync(make)).encode()
        made = Made(body, etag_of(body), version, now)
        self._made[key] = made
        self._made.move_to_end(key)
        while len(self._made) > KEPT:
            self._made.popitem(last=False)
        return made


def etag_of(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()[:24]}"'
