"""From chosen videos to clips in S3: download, validate, deduplicate, publish, rank.

Each step is a method, run by an op of its own. A batch lives in one process and one folder; what
must outlive it is in the database, so that the next run repeats a killed batch.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pymongo.errors import PyMongoError

from footy_assets.clip_limits import ClipRules
from footy_assets.clips.batch import (
    AcceptedVideo,
    ClipBatch,
    DownloadedFile,
    StoredFile,
    StoredRendition,
    download_refusal,
    failure_text,
    is_known_from_post,
    is_own_outage,
    refusal_of,
    trace_of,
)
from footy_assets.clips.facts import facts_of_goal, learn_abbreviations
from footy_assets.clips.held_shelf import HeldShelf
from footy_assets.clips.playable import make_winners_playable
from footy_assets.clips.publish import ClipObjects, ClipPublisher, same_footage
from footy_assets.clips.publish_held import HeldPublisher
from footy_assets.clips.rules.dedup import group_copies
from footy_assets.clips.rules.held import depends_on_goal
from footy_assets.clips.rules.keys import goal_prefix
from footy_assets.clips.rules.rendition import is_better_rendition
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.clips.store.held import HeldFiles
from footy_assets.clips.work_folders import WorkFolder, sweep_leftovers
from footy_assets.clock import Clock
from footy_assets.errors import Busy, Stalled, is_retryable
from footy_assets.logs import LogSink, Stage, StageLog, no_log
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.media import UnreadableReason, VideoUnreadable
from footy_assets.media.examine import Examination, Examiner
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.media.playable import PlayableMaker, PlayableMethod
from footy_assets.progress import Watchdog, heartbeat
from footy_assets.retries import RETRIES
from footy_assets.search.rules.video import VideoState
from footy_assets.search.store.ahead import AheadStore
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.videos import VideoStore
from footy_assets.store.collections import Document
from footy_assets.store.leases import Leases
from footy_assets.tracing import span

# P3, P4: a vision model may take 90 s to answer, so this step may be silent for longer than others.
EXAMINE_SILENCE = (RETRIES["validation"].timeout or 0.0) + 10.0

T = TypeVar("T")


class Downloads(Protocol):
    def fetch(self, url: str, into: Path, name: str) -> DownloadedFile: ...


@dataclass(frozen=True, slots=True)
class ClipWork:
    documents: ClipDocuments
    videos: VideoStore
    searches: SearchStore
    leases: Leases
    held: HeldFiles
    ahead: AheadStore
    objects: ClipObjects
    downloader: Downloads
    examiner: Examiner
    playable: PlayableMaker
    clock: Clock
    folder: Path
    downloads_at_once: int = 3
    rules: ClipRules = field(default_factory=ClipRules)
    # SE3: the other names of a team, by its id.
    aliases_of: Callable[[int], Sequence[str]] = lambda _: ()
    # Starts what examining needs, while videos are downloaded.
    warm_up: Callable[[], None] = lambda: None
    sleep: Callable[[float], None] = time.sleep
    new_watchdog: Callable[[], Watchdog] = Watchdog

    @contextmanager
    def batch(self, goal: GoalEvent, run_id: str) -> Iterator[ClipBatch]:
        """H8: a batch with a folder for this run, deleted at the end."""
        batch = self.begin(goal, run_id)
        try:
            with self.cleaning_up_on_failure(batch):
                yield batch
        finally:
            self.clean(batch)

    @contextmanager
    def cleaning_up_on_failure(self, batch: ClipBatch) -> Iterator[None]:
        """H8: a step that fails leaves no file behind. SE2: its videos stay chosen, with the error;
        an outage of our own stores costs them no try."""
        try:
            yield
        except BaseException as error:
            self.clean(batch)
            if isinstance(error, Exception):
                message = str(error) or type(error).__name__
                # Without a database nothing is recorded, and a later run repeats the batch.
                with suppress(PyMongoError):
                    self.videos.postpone(
                        batch.goal.key, message, batch.try_id, own_outage=is_own_outage(error)
                    )
            raise

    def run(self, goal: GoalEvent, run_id: str, sink: LogSink) -> ClipBatch:
        """All steps in a row."""
        with self.batch(goal, run_id) as batch:
            for step in self.steps(sink).values():
                step(batch)
            self.settle(batch, sink)
        return batch

    def steps(self, sink: LogSink) -> dict[str, Callable[[ClipBatch], None]]:
        """What is done to a batch before it is settled, in order, by the names of the ops."""
        return {
            "load_videos": lambda batch: self.load_videos(batch, sink),
            "download_videos": lambda batch: self.download(batch, sink),
            "validate_videos": lambda batch: self.examine(batch, sink),
            "dedup_batch": lambda batch: self.dedup(batch, sink),
            "store_clips": lambda batch: self.publish(batch, sink),
        }

    def begin(self, goal: GoalEvent, run_id: str) -> ClipBatch:
        sweep_leftovers(self.folder)
        return ClipBatch(goal, WorkFolder.make(self.folder, goal.fixture_id, run_id), run_id)

    def clean(self, batch: ClipBatch) -> None:
        batch.work_folder.remove()

    def load_videos(self, batch: ClipBatch, sink: LogSink = no_log) -> None:
        """Load the chosen videos, once what was held is published. Fails if S3 does not answer,
        before anything is downloaded."""
        self.objects.list_keys(goal_prefix(batch.goal))
        self.publish_held(batch.goal.key, batch.run_id, sink)
        batch.videos = self.videos.begin_try(batch.goal.key, batch.try_id, self.clock.now())
        if batch.videos:
            self.warm_up()

    def download(self, batch: ClipBatch, sink: LogSink) -> None:
        """D1: several at a time, each failing alone. A full disk fails them all."""

        def fetch(numbered: tuple[int, Document]) -> tuple[Document, DownloadedFile | Exception]:
            number, video = numbered
            url = video["video_url"] or video["url"]
            try:
                with span("download", trace_of(batch, video), video_id=video["video_id"]):
                    return video, self.new_watchdog().run(
                        "download",
                        lambda: self.downloader.fetch(url, batch.folder, f"video-{number}"),
                    )
            except Exception as failure:
                return video, failure

        with ThreadPoolExecutor(self.downloads_at_once) as pool:
            outcomes = list(pool.map(fetch, enumerate(batch.videos)))
        for video, outcome in outcomes:
            video_id, log = video["video_id"], batch.log(Stage.DOWNLOAD, sink, video)
            if not isinstance(outcome, Exception):
                batch.downloads[video_id] = outcome
                log.info("downloaded", bytes=outcome.size)
            elif is_own_outage(outcome):
                log.error("not_downloaded", reason=str(outcome))
                raise outcome
            elif is_retryable(outcome):
                # It stays chosen: the next batch tries again, up to its limit.
                batch.errors[video_id] = str(outcome)
                log.warning("not_downloaded", reason=str(outcome))
            else:
                self._refuse(batch, video, download_refusal(outcome), log)

    def examine(self, batch: ClipBatch, sink: LogSink) -> None:
        """D2, D3, V1: cheap checks first; the same bytes are examined once."""
        by_md5: dict[str, Examination | VideoUnreadable | Stalled] = {}
        facts = self.facts_of(batch.goal)
        batch.facts = facts
        for video in batch.videos:
            video_id, log = video["video_id"], batch.log(Stage.VALIDATE, sink, video)
            file = batch.downloads.get(video_id)
            if file is None:
                continue
            if file.md5 not in by_md5:
                with span("validate", trace_of(batch, video), video_id=video_id):
                    by_md5[file.md5] = self.examine_file(facts, file.path)
            examined = by_md5[file.md5]
            if isinstance(examined, Stalled):
                batch.errors[video_id] = str(examined)
                log.warning("not_validated", reason=str(examined))
            elif refusal := refusal_of(examined):
                if _may_be_right(batch.goal, examined):
                    assert isinstance(examined, Examination)
                    batch.refused_so_far.append(AcceptedVideo(video, file, examined))
                    log.info("refused_so_far", reason=refusal["reason"])
                else:
                    self._refuse(batch, video, refusal, log)
            else:
                assert isinstance(examined, Examination)
                accepted = AcceptedVideo(video, file, examined)
                batch.accepted.append(accepted)
                log.info(
                    "accepted",
                    verified=accepted.candidate.verified,
                    verified_by=str(accepted.candidate.verified_by),
                )
                log.with_stage(Stage.HASH).info("fingerprinted", md5=file.md5)

    def _refuse(
        self, batch: ClipBatch, video: Document, refusal: dict[str, Any], log: StageLog
    ) -> None:
        """SE6: a download that is refused for what the post says is wasted, and counted as such."""
        wasted = is_known_from_post(video, refusal["reason"], self.rules)
        batch.settle(video["video_id"], VideoState.REFUSED, **refusal, known_from_post=wasted)
        log.info("refused", reason=refusal["reason"])

    def facts_of(self, goal: GoalEvent) -> GoalFacts:
        """V7: what a scorebug can confirm or contradict."""
        return facts_of_goal(self.documents, self.aliases_of, goal)

    def examine_file(self, facts: GoalFacts, path: Path) -> Examination | VideoUnreadable | Stalled:
        """P3: a vision model may be silent for longer than others."""
        return self._watch(
            "validation",
            path,
            lambda: self.examiner.examine(path, facts),
            EXAMINE_SILENCE,
        )

    def make_playable(self, path: Path) -> StoredFile | VideoUnreadable | Stalled:
        """D4: beside the file, in its batch's folder."""
        output = path.with_suffix(".playable.mp4")
        made = self._watch(
            "making an MP4",
            path,
            lambda: StoredFile.of(self.playable.make_playable(path, output, lambda _: heartbeat())),
        )
        if isinstance(made, StoredFile) and made.method is PlayableMethod.TRANSCODED:
            return replace(made, renditions=self._make_renditions(path, made))
        return made

    def _make_renditions(self, path: Path, made: StoredFile) -> tuple[StoredRendition, ...]:
        """D6: the original pictures, where they are better. A clip does without where there is no
        MP4 of them."""
        output = path.with_suffix(".original.mp4")
        original = self._watch(
            "keeping the original",
            path,
            lambda: StoredRendition.of(
                self.playable.make_rendition(path, output, lambda _: heartbeat())
            ),
        )
        if not isinstance(original, StoredRendition):
            return ()
        is_better = is_better_rendition(original.probe, made.probe, self.rules.max_size)
        return (original,) if is_better else ()

    def _watch(
        self, name: str, path: Path, step: Callable[[], T], silence: float = 0.0
    ) -> T | VideoUnreadable | Stalled:
        """P3: stopped for lack of progress, not for being slow.

        Whatever else is raised refuses this file and no other, except an outage of our own stores.
        """
        watchdog = self.new_watchdog()
        watchdog.silence = max(watchdog.silence, silence)
        try:
            return watchdog.run(name, step)
        except (VideoUnreadable, Stalled) as failure:
            return failure
        except Exception as error:
            if is_own_outage(error):
                raise
            if is_retryable(error):
                return Stalled(f"{name}: {error}")
            return VideoUnreadable(path, UnreadableReason.FAILED, failure_text(error))

    def dedup(self, batch: ClipBatch, sink: LogSink) -> None:
        """H2: group the copies of the same footage within the batch."""
        candidates = [accepted.candidate for accepted in batch.accepted]
        with span("dedup", batch.goal.traceparent, files=len(candidates)):
            batch.groups = group_copies(candidates, same_footage)
        batch.log(Stage.DEDUP, sink).info(
            "grouped", files=len(candidates), different=len(batch.groups)
        )

    @property
    def publisher(self) -> ClipPublisher:
        shelf = HeldShelf(self.held, self.objects)
        return ClipPublisher(
            self.documents, self.leases, self.objects, shelf, self.clock, self.sleep
        )

    @property
    def held_publisher(self) -> HeldPublisher:
        return HeldPublisher(
            self.publisher, self.videos, self.searches, self.ahead, self.folder, self.facts_of
        )

    def publish_held(self, goal_key: str, run_id: str, sink: LogSink) -> None:
        """SE8: what is held for a goal that is stable by now."""
        with suppress(Busy):
            self.held_publisher.publish(goal_key, f"{run_id}-held", sink)

    def publish(self, batch: ClipBatch, sink: LogSink) -> None:
        """D4, H2–H7: make playable, compare with stored clips, upload, replace, rank."""
        stored = self.documents.clips_of(batch.goal.key)
        make_winners_playable(batch, stored, self.make_playable, sink)
        learn_abbreviations(self.documents, batch, self.clock.now())
        self.publisher.publish(batch, sink)

    def settle(self, batch: ClipBatch, sink: LogSink = no_log) -> None:
        """SE2: store the videos' outcomes, and count the attempts whose videos are all done."""
        now = self.clock.now()
        self.videos.record_errors(batch.goal.key, batch.errors)
        self.videos.settle(batch.goal.key, batch.outcomes, now)
        self.videos.end_try(batch.goal.key, batch.try_id)
        self._settle_held(batch, sink)
        self.searches.count_settled(batch.goal.key, now)

    def _settle_held(self, batch: ClipBatch, sink: LogSink) -> None:
        """SE8: the goal may have become stable while its videos were judged."""
        if held := self.videos.held_of(batch.goal.key):
            self.ahead.record_held(batch.goal.key, len(held))
            self.publish_held(batch.goal.key, batch.run_id, sink)
        self.publisher.shelf.drop_unused(batch.goal, self.videos.held_of(batch.goal.key))


def _may_be_right(goal: GoalEvent, examined: Examination | VideoUnreadable) -> bool:
    """SE8: minute, score and names of a goal that is not stable may still change."""
    return (
        not goal.stable
        and isinstance(examined, Examination)
        and depends_on_goal(examined.validation)
    )
