"""SE8: publishes what was held for a goal, once the goal is stable. Nothing is downloaded, decoded
or read again."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from pymongo.errors import PyMongoError

from footy_assets.clips.batch import AcceptedVideo, ClipBatch, StoredFile, refusal_of
from footy_assets.clips.facts import learn_abbreviations
from footy_assets.clips.held_shelf import Images
from footy_assets.clips.playable import make_winners_playable
from footy_assets.clips.publish import UPLOAD_LEASE_SECONDS, ClipPublisher, same_footage
from footy_assets.clips.rules.dedup import group_copies
from footy_assets.clips.rules.held import HeldFile, judged_for
from footy_assets.clips.work_folders import WorkFolder
from footy_assets.errors import Busy, NotFound, Stalled
from footy_assets.logs import LogSink, Stage
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.media.examine import Examination
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.search.rules.video import VideoState
from footy_assets.search.store.ahead import AheadStore
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.videos import VideoStore

GONE = "its file is not held any more"
GOAL_CHANGED = "what is known of the goal has changed since it was judged"
NO_FILE = "its file was not held: another copy of the footage was better then"


@dataclass(frozen=True, slots=True)
class HeldVideoFile:
    """A `DownloadedFile` of which only the MP4 that is published is here, if any."""

    path: Path
    md5: str
    size: int


@dataclass(frozen=True, slots=True)
class HeldPublisher:
    publisher: ClipPublisher
    videos: VideoStore
    searches: SearchStore
    ahead: AheadStore
    folder: Path
    facts_of: Callable[[GoalEvent], GoalFacts]

    def publish(self, goal_key: str, run_id: str, sink: LogSink) -> ClipBatch | None:
        """None if nothing is held, or the goal is not stable. Raises `Busy` while another process
        does this; any other failure postpones it."""
        if not self.videos.held_of(goal_key):
            return None
        goal, held = self.publisher.documents.goals.get(goal_key), self.publisher.shelf.files
        if goal is None or not goal.live or not goal.stable:
            return None
        try:
            with self.publisher.leases.hold(f"held-{goal_key}", seconds=UPLOAD_LEASE_SECONDS):
                return self._publish(goal, run_id, sink)
        except Busy:
            raise
        except Exception:
            # Without a database nothing is postponed, and nothing else runs either.
            with suppress(PyMongoError):
                held.postpone(goal_key)
            raise

    def _publish(self, goal: GoalEvent, run_id: str, sink: LogSink) -> ClipBatch:
        """The steps of a batch, with what was held in place of what is downloaded and judged."""
        batch = ClipBatch(goal, WorkFolder.make(self.folder, goal.fixture_id, run_id), run_id)
        try:
            batch.videos = self.videos.held_of(goal.key)
            files = self._restore(batch, sink)
            batch.groups = group_copies([one.candidate for one in batch.accepted], same_footage)
            stored = self.publisher.documents.clips_of(goal.key)
            make_winners_playable(batch, stored, lambda _: Stalled(NO_FILE), sink)
            learn_abbreviations(self.publisher.documents, batch, self.publisher.clock.now())
            self.publisher.publish(batch, sink)
            now = self.publisher.clock.now()
            self.videos.settle(goal.key, batch.outcomes, now)
            self.videos.choose_again(goal.key, batch.errors)
            self.searches.count_settled(goal.key, now)
            self.ahead.record_published(goal.key, now)
            for held in files:
                self.publisher.shelf.drop(held)
        finally:
            batch.work_folder.remove()
        return batch

    def _restore(self, batch: ClipBatch, sink: LogSink) -> list[HeldFile]:
        """The accepted files of the batch, with the verdict for what is known of the goal now."""
        facts, files = self.facts_of(batch.goal), self.publisher.shelf.files
        by_md5 = {held.md5: held for held in files.of_goal(batch.goal.key)}
        used: dict[str, HeldFile] = {}
        fetched: dict[str, tuple[StoredFile | None, Images]] = {}
        for video in batch.videos:
            video_id, held = video["video_id"], by_md5.get(video.get("held_md5", ""))
            log = batch.log(Stage.VALIDATE, sink, video)
            if held is None:
                batch.errors[video_id] = GONE
                continue
            used[held.md5] = held
            verdict = judged_for(held, facts)
            examined = Examination(held.probe, (), verdict, held.fingerprint)
            if verdict.accepted and held.fingerprint is None:
                batch.errors[video_id] = GOAL_CHANGED
                log.info("chosen_again", reason=GOAL_CHANGED)
            elif refusal := refusal_of(examined):
                batch.settle(video_id, VideoState.REFUSED, **refusal)
                log.info("refused", reason=refusal["reason"])
            else:
                try:
                    if held.md5 not in fetched:
                        fetched[held.md5] = self.publisher.shelf.fetch(held, batch.folder)
                except NotFound:
                    batch.errors[video_id] = GONE
                    continue
                stored, (poster, thumbnail, scorebug) = fetched[held.md5]
                if stored is not None:
                    batch.playable[held.md5] = stored
                file = HeldVideoFile(batch.folder / held.md5, held.md5, held.size)
                examined = replace(examined, poster=poster, thumbnail=thumbnail, scorebug=scorebug)
                batch.accepted.append(AcceptedVideo(video, file, examined))
        return list(used.values())
