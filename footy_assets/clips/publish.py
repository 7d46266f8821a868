"""Publishes the accepted videos of a batch as clips, in S3 and MongoDB (H2–H7)."""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from footy_assets.clips.batch import (
    AcceptedVideo,
    ClipBatch,
    StoredFile,
    failure_text,
    is_own_outage,
)
from footy_assets.clips.held_shelf import JPEG, MP4, HeldShelf
from footy_assets.clips.rules.clip import Candidate, Clip, JudgedFile
from footy_assets.clips.rules.dedup import (
    Absorb,
    Decision,
    Group,
    Keep,
    Replace,
    added_popularity,
    decide,
    other_goal_shown,
)
from footy_assets.clips.rules.keys import (
    goal_prefix,
    object_key,
    object_metadata,
    poster_and_thumbnail_keys,
    replaced_keys,
    scorebug_key,
)
from footy_assets.clips.rules.rank import ranks
from footy_assets.clips.store.clips import ClipDocuments, RemovedClip
from footy_assets.clock import Clock
from footy_assets.errors import Busy, S3Unavailable, Stalled
from footy_assets.logs import LogSink, Stage
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.media import Fingerprint, compare
from footy_assets.retries import RETRIES
from footy_assets.search.rules.video import VideoReason, VideoState
from footy_assets.store.leases import Lease, Leases
from footy_assets.tracing import span, traceparent

UPLOAD_LEASE_SECONDS = 120.0
UPLOAD_LEASE_WAIT_SECONDS = 60.0


class ClipObjects(Protocol):
    """The S3 bucket of clips, as far as publishing needs it."""

    def put(
        self,
        key: str,
        body: bytes | Path,
        *,
        content_type: str = ...,
        metadata: Mapping[str, str] | None = ...,
    ) -> None: ...
    def get(self, key: str) -> bytes: ...
    def delete(self, key: str) -> None: ...
    def list_keys(self, prefix: str = "") -> list[str]: ...


@dataclass(frozen=True, slots=True)
class ClipPublisher:
    documents: ClipDocuments
    leases: Leases
    objects: ClipObjects
    shelf: HeldShelf
    clock: Clock
    sleep: Callable[[float], None] = time.sleep
    lock_wait: float | None = None

    def lock(self, goal_key: str) -> AbstractContextManager[Lease]:
        return lock_clips(self.leases, goal_key, self.lock_wait)

    def publish(self, batch: ClipBatch, sink: LogSink) -> None:
        """H2–H7. Stored clips are read and changed under the goal's lock (H5). SE8: of a goal that
        is not stable nothing is published, but held."""
        batch.published = True
        with self.lock(batch.goal.key) as lease:
            goal = self.documents.goals.get(batch.goal.key)
            if goal is None or not goal.live:
                for accepted in (*batch.accepted, *batch.refused_so_far):
                    batch.settle(accepted.video_id, VideoState.REFUSED, VideoReason.GOAL_REMOVED)
                return
            batch.goal = goal
            if goal.stable:
                with span("publish", goal.traceparent, event_id=goal.event_id):
                    self._publish(batch, lease, sink)
            else:
                self._hold(batch, lease, sink)

    def _publish(self, batch: ClipBatch, lease: Lease, sink: LogSink) -> None:
        for refused in batch.refused_so_far:
            batch.errors[refused.video_id] = "its goal became stable while it was judged"
        self._refuse_known_footage(batch, sink)
        stored = self.documents.clips_of(batch.goal.key)
        by_md5 = {accepted.file.md5: accepted for accepted in reversed(batch.accepted)}
        for decision in decide(batch.groups, stored, same_footage):
            try:
                self._apply(batch, lease, decision, by_md5, sink)
            except Exception as error:
                if is_own_outage(error):
                    raise
                self._keep_chosen(batch, decision, failure_text(error), sink)
        self.delete_unused_objects(batch.goal)
        self.rank(batch.goal.key)

    def _hold(self, batch: ClipBatch, lease: Lease, sink: LogSink) -> None:
        if not batch.accepted and not batch.refused_so_far:
            return
        self.shelf.hold(batch, partial(self._put, lease), self.clock.now())
        batch.log(Stage.UPLOAD, sink).info(
            "held", videos=len(batch.accepted), refused_so_far=len(batch.refused_so_far)
        )

    def _keep_chosen(
        self, batch: ClipBatch, decision: Decision, reason: str, sink: LogSink
    ) -> None:
        """Videos that could not be published stay chosen, with the reason; the others go on."""
        md5s = _md5s(decision)
        for accepted in batch.accepted:
            if accepted.file.md5 in md5s:
                batch.errors[accepted.video_id] = reason
                log = batch.log(Stage.UPLOAD, sink, accepted.video)
                log.warning("not_published", reason=reason)

    def _refuse_known_footage(self, batch: ClipBatch, sink: LogSink) -> None:
        """P5: refuse footage of clips that an operator removed. V7: and footage that is verified as
        another goal of the match, and not as this one."""
        removed_clips = self.documents.removed_clips_of(batch.goal.key)
        others = self.documents.clips_of_other_goals(batch.goal) if batch.groups else []
        kept = []
        for group in batch.groups:
            files = (group.winner, *group.beaten)
            removed = next(
                (r for r in removed_clips if any(_is_copy(file, r) for file in files)), None
            )
            if removed is not None:
                reason = VideoReason.CLIP_REMOVED_BEFORE
                self._refuse_group(batch, group, reason, removed.reason, removed.id, sink)
            elif (other := other_goal_shown(group, others, same_footage)) is not None:
                reason = VideoReason.OTHER_GOAL
                self._refuse_group(batch, group, reason, other.key, other.id, sink)
            else:
                kept.append(group)
        batch.groups = tuple(kept)

    def _refuse_group(
        self,
        batch: ClipBatch,
        group: Group,
        reason: VideoReason,
        detail: str,
        copy_of: str,
        sink: LogSink,
    ) -> None:
        md5s = {file.md5 for file in (group.winner, *group.beaten)}
        for accepted in batch.accepted:
            if accepted.file.md5 in md5s:
                batch.settle(accepted.video_id, VideoState.REFUSED, reason, detail=detail)
                batch.log(Stage.DEDUP, sink, accepted.video).info("refused", copy_of=copy_of)

    def _apply(
        self,
        batch: ClipBatch,
        lease: Lease,
        decision: Decision,
        by_md5: Mapping[str, AcceptedVideo],
        sink: LogSink,
    ) -> None:
        goal, now = batch.goal, self.clock.now()
        winner = by_md5[decision.candidate.md5]
        log = batch.log(Stage.UPLOAD, sink, winner.video)
        clip: Clip
        match decision:
            case Keep():
                stored = _stored_file(batch, winner)
                clip = self._new_clip(goal, winner, stored, now)
                clip = replace(clip, popularity_by=added_popularity(decision))
                self._upload(goal, clip.key, winner, stored, lease)
                self.documents.add(clip, _origin(batch, winner))
                batch.stored.append(clip.id)
                log.info("stored", key=clip.key)
            case Replace(clip=old):
                stored = _stored_file(batch, winner)
                clip = replace(
                    self._new_clip(goal, winner, stored, now),
                    id=old.id,
                    public_key=old.public_key,
                    popularity_by={**old.popularity_by, **added_popularity(decision)},
                    rank=old.rank,
                )
                self._upload(goal, clip.key, winner, stored, lease)
                leftovers = replaced_keys(old.object_keys, clip.object_keys)
                self.documents.replace(old, clip, _origin(batch, winner), leftovers)
                batch.replaced.append(old.id)
                log.info("replaced", key=clip.key, old=old.key)
            case Absorb(clip=clip):
                self.documents.add_popularity(clip.id, added_popularity(decision))
                log.with_stage(Stage.DEDUP).info("copy_of_stored", key=clip.key)
        settled = _md5s(decision)
        for accepted in batch.accepted:
            if accepted.file.md5 in settled:
                state, reason = _outcome(accepted, clip)
                batch.settle(accepted.video_id, state, reason, clip_id=clip.id)

    def _new_clip(
        self, goal: GoalEvent, accepted: AcceptedVideo, stored: StoredFile, now: datetime
    ) -> Clip:
        candidate = accepted.candidate
        key = object_key(goal, stored.md5)
        validation = accepted.examination.validation
        return Clip(
            id=f"{goal.key}:{candidate.md5[:16]}",
            goal_key=goal.key,
            key=key,
            public_key=key,
            md5=stored.md5,
            quality=stored.quality,
            width=stored.probe.width,
            height=stored.probe.height,
            verified=candidate.verified,
            verified_by=candidate.verified_by,
            fingerprint=candidate.fingerprint,
            popularity_by=candidate.popularity,
            video_id=accepted.video_id,
            stored_at=now,
            verdict=validation.as_json() if validation else {},
            judged=JudgedFile(candidate.md5, candidate.quality),
            renditions=tuple(one.at(goal) for one in stored.renditions),
            has_scorebug=bool(accepted.examination.scorebug),
        )

    def _upload(
        self, goal: GoalEvent, key: str, accepted: AcceptedVideo, stored: StoredFile, lease: Lease
    ) -> None:
        examined = accepted.examination
        images = examined.poster, examined.thumbnail, examined.scorebug
        self.put_objects(lease, goal, key, stored, images, accepted.video["url"])

    def put_objects(
        self,
        lease: Lease,
        goal: GoalEvent,
        key: str,
        stored: StoredFile,
        images: tuple[bytes, bytes, bytes],
        source_url: str,
    ) -> None:
        """H4: objects before the document. The video comes last: a clip always has its images, of
        which the scorebug may be empty."""
        image_keys = *poster_and_thumbnail_keys(key), scorebug_key(key)
        for image_key, image in zip(image_keys, images, strict=True):
            if image:
                self._put(lease, image_key, image, JPEG)
        for one in stored.renditions:
            rendition, metadata = one.at(goal), object_metadata(goal, one.quality, source_url)
            self._put(lease, rendition.key, one.path, rendition.content_type, metadata)
        metadata = object_metadata(goal, stored.quality, source_url)
        self._put(lease, key, stored.path, MP4, metadata)

    def _put(
        self,
        lease: Lease,
        key: str,
        body: bytes | Path,
        content_type: str,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        """P4: three tries, each only while the lease is held (H5)."""

        def put() -> None:
            renew_or_raise(lease)
            self.objects.put(key, body, content_type=content_type, metadata=metadata)

        RETRIES["upload"].retrying(self.sleep, lambda error: isinstance(error, S3Unavailable))(put)

    def delete_unused_objects(self, goal: GoalEvent) -> None:
        """Delete replaced objects, and those that a killed run left without a document."""
        for clip_id, key in self.documents.leftovers_of(goal.key):
            self.objects.delete(key)
            self.documents.remove_leftover(clip_id, key)
        wanted = self.documents.object_keys_of_fixture(goal.fixture_id)
        for key in self.objects.list_keys(goal_prefix(goal)):
            if key not in wanted:
                self.objects.delete(key)

    def rank(self, goal_key: str) -> None:
        """H6: recompute the ranks of a goal's clips."""
        self.documents.write_ranks(goal_key, ranks(self.documents.clips_of(goal_key)))


def lock_clips(
    leases: Leases, goal_key: str, wait: float | None = None
) -> AbstractContextManager[Lease]:
    """H5: inside the block no other process changes this goal's clips."""
    longest = UPLOAD_LEASE_WAIT_SECONDS if wait is None else wait
    return leases.hold(upload_lease(goal_key), seconds=UPLOAD_LEASE_SECONDS, wait=longest)


def upload_lease(goal_key: str) -> str:
    """H5: the lease under which a goal's clips are changed."""
    return f"upload-{goal_key}"


def renew_or_raise(lease: Lease) -> None:
    if not lease.renew():
        raise Busy(f"another process has taken the lease {lease.slot}")


def _stored_file(batch: ClipBatch, winner: AcceptedVideo) -> StoredFile:
    if winner.file.md5 not in batch.playable:
        raise Stalled("the goal's clips changed while its videos were made playable")
    return batch.playable[winner.file.md5]


def _md5s(decision: Decision) -> set[str]:
    return {decision.candidate.md5, *(c.md5 for c in decision.beaten)}


def _is_copy(candidate: Candidate, removed: RemovedClip) -> bool:
    return candidate.md5 == removed.md5 or same_footage(removed.fingerprint, candidate.fingerprint)


def same_footage(a: Fingerprint, b: Fingerprint) -> bool:
    return compare(a, b).match


def _origin(batch: ClipBatch, accepted: AcceptedVideo) -> dict[str, Any]:
    """Where a clip comes from, as stored with it."""
    return {
        "fixture_id": batch.goal.fixture_id,
        "event_id": batch.goal.event_id,
        "run_id": batch.run_id,
        "source": accepted.video["source"],
        "source_url": accepted.video["url"],
        "attempt": accepted.video.get("attempt"),
        **({"traceparent": found} if (found := traceparent()) else {}),
    }


def _outcome(accepted: AcceptedVideo, clip: Clip) -> tuple[VideoState, VideoReason]:
    if accepted.video_id == clip.video_id:
        return VideoState.TAKEN, VideoReason.STORED
    if accepted.file.md5 == clip.judged_md5:
        return VideoState.DUPLICATE, VideoReason.SAME_BYTES
    return VideoState.DUPLICATE, VideoReason.COPY_STORED
