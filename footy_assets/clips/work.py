"""From chosen videos to clips in S3: download, validate, deduplicate, publish, rank.

Each step is a method, run by an op of its own. A batch lives in one process and one folder; what
must outlive it is in the database, so that the next run repeats a killed batch.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from pymongo.errors import PyMongoError

from footy_assets.clip_limits import ClipRules
from footy_assets.clips.batch import (
    AcceptedVideo,
    ClipBatch,
    DownloadedFile,
    Examined,
    download_refusal,
    is_known_from_post,
    is_own_outage,
    refusal_of,
    trace_of,
)
from footy_assets.clips.facts import facts_of_goal, learn_abbreviations
from footy_assets.clips.fetching import Fetching
from footy_assets.clips.file_steps import FileSteps
from footy_assets.clips.held_shelf import HeldShelf
from footy_assets.clips.playable import make_winners_playable
from footy_assets.clips.publish import ClipObjects, ClipPublisher, same_footage
from footy_assets.clips.publish_held import HeldPublisher
from footy_assets.clips.rules.dedup import group_copies
from footy_assets.clips.rules.giving_way import gives_way, likeliest_first
from footy_assets.clips.rules.held import depends_on_goal
from footy_assets.clips.rules.keys import goal_prefix
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.clips.store.held import HeldFiles
from footy_assets.clips.work_folders import WorkFolder, sweep_leftovers
from footy_assets.clock import Clock
from footy_assets.errors import Busy, Stalled, is_retryable
from footy_assets.logs import LogSink, Stage, StageLog, no_log
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.media import VideoUnreadable
from footy_assets.media.examine import Examination, Examiner
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.media.playable import PlayableMaker
from footy_assets.progress import Watchdog
from footy_assets.search.rules.video import VideoState
from footy_assets.search.store.ahead import AheadStore
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.videos import VideoStore
from footy_assets.store.collections import Document
from footy_assets.store.leases import Leases
from footy_assets.tracing import span


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
    # Of other goals too: as many runs may work on clips.
    batches_at_once: int = 2
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
        """All steps in a row, as the ops of `clips` do them."""
        with self.batch(goal, run_id) as batch:
            self.load_videos(batch, sink)
            for _ in batch.videos:
                self.finish_one(batch, sink)
            self.settle(batch, sink)
        return batch

    def finish_one(self, batch: ClipBatch, sink: LogSink, until: str = "") -> ClipBatch:
        """One video of a batch on its way, to the end or up to this op."""
        part = batch
        for op, step in self.steps.items():
            part = step(part, sink)
            if op == until:
                break
        return part

    @property
    def steps(self) -> dict[str, Callable[[ClipBatch, LogSink], ClipBatch]]:
        """What is done to one video after the other, in order, by the names of the ops. The first
        takes it from the batch."""
        return {
            "download_video": self.download,
            "validate_video": self.examine,
            "dedup_video": self.dedup,
            "store_clip": self.publish,
        }

    def begin(self, goal: GoalEvent, run_id: str) -> ClipBatch:
        sweep_leftovers(self.folder)
        return ClipBatch(goal, WorkFolder.make(self.folder, goal.fixture_id, run_id), run_id)

    def clean(self, batch: ClipBatch) -> None:
        whole = batch.part_of or batch
        whole.ended = True
        if whole.fetching is not None:
            whole.fetching.end()
        whole.work_folder.remove()

    def load_videos(self, batch: ClipBatch, sink: LogSink = no_log) -> None:
        """Load the chosen videos, the likeliest first, once what was held is published, and begin
        to download them. Fails if S3 does not answer, before anything is downloaded."""
        self.objects.list_keys(goal_prefix(batch.goal))
        self.publish_held(batch.goal.key, batch.run_id, sink)
        chosen = self.videos.begin_try(batch.goal.key, batch.try_id, self.clock.now())
        batch.videos = sorted(chosen, key=likeliest_first)
        if batch.videos:
            self.warm_up()
            fetch = partial(self._fetch, batch)
            at_once = self.downloads_at_once
            batch.fetching = Fetching(batch.videos, fetch, at_once, self.new_watchdog)

    def _fetch(self, batch: ClipBatch, number: int, video: Document) -> DownloadedFile:
        url = video["video_url"] or video["url"]
        with span("download", trace_of(batch, video), video_id=video["video_id"]):
            return self.downloader.fetch(url, batch.folder, f"video-{number}")

    def download(self, batch: ClipBatch, sink: LogSink) -> ClipBatch:
        """D1: the next video that is downloaded, the likeliest of those, to go its own way. None
        if the batch gives way (SE10), has failed, or has no other. A full disk fails them all."""
        part = batch.part([])
        if batch.fetching is None or batch.ended or self._gives_way(batch, sink):
            return part
        found = batch.fetching.next()
        if found is None:
            return part
        video, outcome = found
        part.videos.append(video)
        batch.taken.add(video["video_id"])
        video_id, log = video["video_id"], part.log(Stage.DOWNLOAD, sink, video)
        if not isinstance(outcome, Exception):
            part.downloads[video_id] = outcome
            log.info("downloaded", bytes=outcome.size)
        elif is_own_outage(outcome):
            log.error("not_downloaded", reason=str(outcome))
            raise outcome
        elif is_retryable(outcome):
            # It stays chosen: the next batch tries again, up to its limit.
            part.errors[video_id] = str(outcome)
            log.warning("not_downloaded", reason=str(outcome))
        else:
            self._refuse(part, video, download_refusal(outcome), log)
        return part

    def _gives_way(self, batch: ClipBatch, sink: LogSink) -> bool:
        """SE10: a goal with a clip leaves the rest of its videos for later while another one that
        has none waits for a free place."""
        key = batch.goal.key
        if batch.gives_way or not batch.taken:
            return batch.gives_way
        in_work, waiting = self.videos.goals_in_work_and_waiting()
        if len(in_work) < self.batches_at_once or not waiting:
            return False
        served, goals = {*self.documents.goal_keys(), *self.held.goals()}, self.documents.goals
        found = (goals.get(other) for other in waiting - served)
        live = {goal.key for goal in found if goal is not None and goal.live}
        batch.gives_way = gives_way(key, live, served, goals.preferred_keys())
        if batch.gives_way:
            batch.log(Stage.DOWNLOAD, sink).info(
                "gave_way", videos_left=len(batch.videos) - len(batch.taken)
            )
        return batch.gives_way

    def examine(self, batch: ClipBatch, sink: LogSink) -> ClipBatch:
        """D2, D3, V1: cheap checks first; the same bytes are examined once."""
        batch.facts = self.facts_of(batch.goal)
        for video in batch.videos:
            if (file := batch.downloads.get(video["video_id"])) is not None:
                self._judge(batch, video, file, sink)
        return batch

    def _judge(
        self, batch: ClipBatch, video: Document, file: DownloadedFile, sink: LogSink
    ) -> None:
        video_id, log = video["video_id"], batch.log(Stage.VALIDATE, sink, video)
        known = (batch.part_of or batch).examined
        if file.md5 not in known or known[file.md5].facts != batch.facts:
            with span("validate", trace_of(batch, video), video_id=video_id):
                found = self.files.examine(batch.facts, file.path)
                known[file.md5] = Examined(batch.facts, found)
        examined = known[file.md5].found
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

    def dedup(self, batch: ClipBatch, sink: LogSink) -> ClipBatch:
        """H2: compare it with the videos of the batch that were accepted before. What is stored is
        compared under the goal's lock."""
        candidates = [accepted.candidate for accepted in batch.accepted]
        if not candidates:
            return batch
        earlier = batch.part_of.accepted if batch.part_of else []
        with span("dedup", batch.goal.traceparent, files=len(earlier) + len(candidates)):
            batch.groups = group_copies(candidates, same_footage)
            everything = [*(one.candidate for one in earlier), *candidates]
            grouped = group_copies(everything, same_footage)
        winners = {group.winner.md5 for group in grouped}
        batch.beaten = {one.md5 for one in candidates} - winners
        batch.log(Stage.DEDUP, sink, batch.accepted[0].video).info(
            "compared", files=len(everything), different=len(grouped), copies=len(batch.beaten)
        )
        return batch

    @property
    def files(self) -> FileSteps:
        return FileSteps(self.examiner, self.playable, self.rules, self.new_watchdog)

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

    def publish(self, batch: ClipBatch, sink: LogSink) -> ClipBatch:
        """D4, H2–H7: make playable, compare with stored clips, upload, replace, rank. SE2: store
        what became of the video."""
        if batch.accepted or batch.refused_so_far:
            self._make_playable(batch, sink)
            learn_abbreviations(self.documents, batch, self.clock.now())
            self.publisher.publish(batch, sink)
        if batch.videos:
            self.videos.record_errors(batch.goal.key, batch.errors)
            self.videos.settle(batch.goal.key, batch.outcomes, self.clock.now())
            if any(one["state"] is VideoState.HELD for one in batch.outcomes.values()):
                self._record_held(batch, sink)
        if batch.part_of is not None:
            batch.part_of.add(batch)
        return batch

    def _make_playable(self, batch: ClipBatch, sink: LogSink) -> None:
        """SE8: a copy of a better one that is held needs no MP4 of its own."""
        if not batch.goal.stable and batch.beaten:
            return
        stored = self.documents.clips_of(batch.goal.key)
        make_winners_playable(batch, stored, self.files.make_playable, sink)

    def settle(self, batch: ClipBatch, sink: LogSink = no_log) -> None:
        """SE2: what is left for a later batch costs no try, and the attempts count whose videos
        are all done."""
        if not batch.published:
            # What a killed run left is removed also where nothing is accepted.
            self.publisher.publish(batch.part([]), sink)
        left = [one["video_id"] for one in batch.videos if one["video_id"] not in batch.taken]
        self.videos.give_back(batch.goal.key, batch.try_id, left)
        self.videos.end_try(batch.goal.key, batch.try_id)
        self._record_held(batch, sink)
        self.publisher.shelf.drop_unused(batch.goal, self.videos.held_of(batch.goal.key))
        self.searches.count_settled(batch.goal.key, self.clock.now())

    def _record_held(self, batch: ClipBatch, sink: LogSink) -> None:
        """SE8: the goal may have become stable while its videos were judged."""
        if held := self.videos.held_of(batch.goal.key):
            self.ahead.record_held(batch.goal.key, len(held))
            self.publish_held(batch.goal.key, batch.run_id, sink)


def _may_be_right(goal: GoalEvent, examined: Examination | VideoUnreadable) -> bool:
    """SE8: minute, score and names of a goal that is not stable may still change."""
    return (
        not goal.stable
        and isinstance(examined, Examination)
        and depends_on_goal(examined.validation)
    )
