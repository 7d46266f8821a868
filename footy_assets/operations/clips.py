"""From chosen videos to clips in S3: fetch, filter, judge, compare, store, rank.

Each step is a function of its own, run by an op of that name. A batch lives in one process and one
folder; what must outlive it is in the database, so that a killed batch is simply taken up again.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pymongo.errors import PyMongoError

from footy_assets.archive.dedup import within_batch
from footy_assets.clock import Clock
from footy_assets.errors import DownloadFailed, Stalled
from footy_assets.logs import Stage, Tell
from footy_assets.matchday.goal import GoalEvent
from footy_assets.media import VideoUnreadable
from footy_assets.media.examine import Examined, Examiner
from footy_assets.operations.clip_batch import Batch, Fetched, Local, is_ours, refusal
from footy_assets.operations.clip_shelf import ClipShelf, Objects, prefix, same
from footy_assets.operations.work_folders import WorkFolder, sweep_leftovers
from footy_assets.progress import Watch
from footy_assets.retries import RETRIES
from footy_assets.store.clips import ClipDocuments
from footy_assets.store.collections import Document
from footy_assets.store.leases import Leases
from footy_assets.store.searches import SearchStore

# P3, P4: a vision model has 90 s for an answer, so its silence is longer than other steps'.
EXAMINE_SILENCE = (RETRIES["validation"].timeout or 0.0) + 10.0


class Fetcher(Protocol):
    def fetch(self, url: str, into: Path, name: str) -> Fetched: ...


@dataclass(frozen=True, slots=True)
class ClipWork:
    documents: ClipDocuments
    searches: SearchStore
    leases: Leases
    objects: Objects
    fetcher: Fetcher
    examiner: Examiner
    clock: Clock
    folder: Path
    downloads_at_once: int = 3
    sleep: Callable[[float], None] = time.sleep
    new_watch: Callable[[], Watch] = Watch

    @contextmanager
    def batch(self, goal: GoalEvent, run_id: str) -> Iterator[Batch]:
        """H8: a folder for this run, gone when it ends."""
        batch = self.begin(goal, run_id)
        try:
            with self.guarded(batch):
                yield batch
        finally:
            self.clean(batch)

    @contextmanager
    def guarded(self, batch: Batch) -> Iterator[None]:
        """H8: a step that fails leaves no file behind. S2: its videos stay due, with the reason;
        where our own stores are away, without a try less."""
        try:
            yield
        except BaseException as error:
            self.clean(batch)
            if isinstance(error, Exception):
                tried = [video["video_id"] for video in batch.videos]
                told = str(error) or type(error).__name__
                # Without a database the batch is simply taken up again later.
                with suppress(PyMongoError):
                    self.documents.put_off(batch.goal.key, told, tried, ours=is_ours(error))
            raise

    def run(self, goal: GoalEvent, run_id: str, tell: Tell) -> Batch:
        """All steps in a row."""
        with self.batch(goal, run_id) as batch:
            self.take_up(batch)
            self.download(batch, tell)
            self.examine(batch, tell)
            self.dedup(batch, tell)
            self.store(batch, tell)
            self.settle(batch)
        return batch

    def begin(self, goal: GoalEvent, run_id: str) -> Batch:
        sweep_leftovers(self.folder)
        return Batch(goal, WorkFolder.make(self.folder, goal.fixture_id, run_id), run_id)

    def clean(self, batch: Batch) -> None:
        batch.place.remove()

    def take_up(self, batch: Batch) -> None:
        """Not before S3 answers: what is fetched while it is away would be fetched in vain."""
        self.objects.list_keys(prefix(batch.goal))
        batch.videos = self.documents.take_up(batch.goal.key, self.clock.now())

    def download(self, batch: Batch, tell: Tell) -> None:
        """D1: side by side with a limit, one failing alone. A full disk fails them all."""
        Outcome = Fetched | DownloadFailed | Stalled

        def fetch(numbered: tuple[int, Document]) -> tuple[Document, Outcome]:
            number, video = numbered
            url = video["video_url"] or video["url"]
            try:
                return video, self.new_watch().over(
                    "download", lambda: self.fetcher.fetch(url, batch.folder, f"video-{number}")
                )
            except (DownloadFailed, Stalled) as failure:
                return video, failure

        with ThreadPoolExecutor(self.downloads_at_once) as pool:
            outcomes = list(pool.map(fetch, enumerate(batch.videos)))
        for video, outcome in outcomes:
            video_id, log = video["video_id"], batch.log(Stage.DOWNLOAD, tell, video)
            if not isinstance(outcome, DownloadFailed | Stalled):
                batch.fetched[video_id] = outcome
                log.info("fetched", bytes=outcome.size)
            elif is_ours(outcome):
                log.error("not_fetched", reason=str(outcome))
                raise outcome
            elif outcome.retryable:
                # It stays chosen: the next batch tries again, up to its limit.
                batch.troubles[video_id] = str(outcome)
                log.warning("not_fetched", reason=str(outcome))
            else:
                assert isinstance(outcome, DownloadFailed)
                batch.end(video_id, "refused", outcome.cause, detail=str(outcome))
                log.info("refused", reason=outcome.cause)

    def examine(self, batch: Batch, tell: Tell) -> None:
        """D2, D3, V1: cheap before dear; the same bytes are looked at once."""
        seen: dict[str, Examined | VideoUnreadable | Stalled] = {}
        for video in batch.videos:
            video_id, log = video["video_id"], batch.log(Stage.VALIDATE, tell, video)
            fetched = batch.fetched.get(video_id)
            if fetched is None:
                continue
            if fetched.md5 not in seen:
                seen[fetched.md5] = self.look(batch.goal, fetched.path)
            looked = seen[fetched.md5]
            if isinstance(looked, Stalled):
                batch.troubles[video_id] = str(looked)
                log.warning("not_judged", reason=str(looked))
            elif verdict := refusal(looked):
                batch.end(video_id, "refused", **verdict)
                log.info("refused", reason=verdict["reason"])
            else:
                assert isinstance(looked, Examined)
                local = Local(video, fetched, looked)
                batch.fit.append(local)
                log.info("accepted", verified=local.candidate.verified)
                log.at(Stage.HASH).info("fingerprinted", md5=fetched.md5)

    def look(self, goal: GoalEvent, path: Path) -> Examined | VideoUnreadable | Stalled:
        """P3: ended for lack of progress, not for being slow."""
        watch = self.new_watch()
        watch.silence = max(watch.silence, EXAMINE_SILENCE)
        try:
            return watch.over(
                "judging",
                lambda: self.examiner.examine(path, goal.minute.elapsed, goal.minute.extra),
            )
        except (VideoUnreadable, Stalled) as failure:
            return failure

    def dedup(self, batch: Batch, tell: Tell) -> None:
        """H2: within the batch first."""
        batch.groups = within_batch([local.candidate for local in batch.fit], same)
        batch.log(Stage.DEDUP, tell).info(
            "grouped", files=len(batch.fit), different=len(batch.groups)
        )

    @property
    def shelf(self) -> ClipShelf:
        return ClipShelf(self.documents, self.leases, self.objects, self.clock, self.sleep)

    def store(self, batch: Batch, tell: Tell) -> None:
        """H2–H7: against what is stored; upload, replace, rank."""
        self.shelf.put_away(batch, tell)

    def settle(self, batch: Batch) -> None:
        """S2: an attempt counts when all its videos are settled."""
        now = self.clock.now()
        self.documents.note_troubles(batch.goal.key, batch.troubles)
        self.documents.settle_videos(batch.goal.key, batch.ends, now)
        for number in self.searches.uncounted(batch.goal.key):
            if not self.searches.waiting_for_videos(batch.goal.key, number):
                self.searches.count(batch.goal.key, [number], now, "videos settled")
