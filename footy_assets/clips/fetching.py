"""D1: the videos of a batch are downloaded beside the work on those that are there."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context

from footy_assets.clips.batch import DownloadedFile
from footy_assets.progress import Watchdog
from footy_assets.store.collections import Document

# Downloads the video with this number in its batch.
Fetch = Callable[[int, Document], DownloadedFile]


class Fetching:
    """Several downloads at a time, in the order of the videos, each failing alone."""

    def __init__(
        self,
        videos: Sequence[Document],
        fetch: Fetch,
        at_once: int,
        new_watchdog: Callable[[], Watchdog],
    ) -> None:
        self._watchdogs: list[Watchdog] = []
        self._pool = ThreadPoolExecutor(at_once)
        self._waiting: dict[Future[DownloadedFile], Document] = {}
        for number, video in enumerate(videos):
            watchdog = new_watchdog()
            self._watchdogs.append(watchdog)
            future = self._pool.submit(copy_context().run, _fetch, watchdog, fetch, number, video)
            self._waiting[future] = video

    def next(self) -> tuple[Document, DownloadedFile | Exception] | None:
        """The first of the videos that is downloaded or has failed; waits for one. None when none
        is left."""
        if not self._waiting:
            return None
        done, _ = wait(self._waiting, return_when=FIRST_COMPLETED)
        future = next(one for one in self._waiting if one in done)
        video = self._waiting.pop(future)
        error = future.exception()
        if error is None:
            return video, future.result()
        if isinstance(error, Exception):
            return video, error
        raise error

    def end(self) -> None:
        """Give up what is not downloaded. A second call changes nothing."""
        self._waiting.clear()
        for watchdog in self._watchdogs:
            watchdog.abandon()
        self._pool.shutdown(wait=False, cancel_futures=True)


def _fetch(watchdog: Watchdog, fetch: Fetch, number: int, video: Document) -> DownloadedFile:
    return watchdog.run("download", lambda: fetch(number, video))
