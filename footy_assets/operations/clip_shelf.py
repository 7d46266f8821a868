"""Where a goal's clips lie: what becomes of a batch there, one change at a time (H2–H7)."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from footy_assets.archive.clip import Candidate, Clip
from footy_assets.archive.dedup import (
    Absorb,
    Decision,
    Keep,
    Replace,
    against_stored,
    contributions,
)
from footy_assets.archive.keys import beside, object_key, object_metadata
from footy_assets.archive.rank import ranks
from footy_assets.clock import Clock
from footy_assets.errors import Busy, S3Unavailable
from footy_assets.logs import Stage, Tell
from footy_assets.matchday.goal import GoalEvent
from footy_assets.media import Fingerprint, compare
from footy_assets.operations.clip_batch import Batch, Local
from footy_assets.retries import RETRIES
from footy_assets.store.clips import ClipDocuments, RemovedClip
from footy_assets.store.leases import Lease, Leases

UPLOAD_LEASE_SECONDS = 120.0
WAIT_FOR_THE_LEASE = 60.0
JPEG, MP4 = "image/jpeg", "video/mp4"


class Objects(Protocol):
    """Where clips lie."""

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
class ClipShelf:
    documents: ClipDocuments
    leases: Leases
    objects: Objects
    clock: Clock
    sleep: Callable[[float], None] = time.sleep

    @contextmanager
    def held(self, goal_key: str) -> Iterator[Lease]:
        """H5: nobody else changes this goal's clips meanwhile."""
        with self.leases.hold(
            upload_lease(goal_key), seconds=UPLOAD_LEASE_SECONDS, wait=WAIT_FOR_THE_LEASE
        ) as lease:
            yield lease

    def put_away(self, batch: Batch, tell: Tell) -> None:
        """H2–H7 inside the lease: state is read there, and no one else writes meanwhile (H5)."""
        with self.held(batch.goal.key) as lease:
            goal = self.documents.goal(batch.goal.key)
            if goal is None or not goal.live:
                for local in batch.fit:
                    batch.end(local.video["video_id"], "refused", "the goal was removed")
                return
            batch.goal = goal
            self._refuse_removed(batch, tell)
            stored = self.documents.clips_of(goal.key)
            locals_by_md5 = {local.fetched.md5: local for local in reversed(batch.fit)}
            for decision in against_stored(batch.groups, stored, same):
                self._carry_out(batch, lease, decision, locals_by_md5, tell)
            self.tidy(goal)
            self.rank(goal.key)

    def _refuse_removed(self, batch: Batch, tell: Tell) -> None:
        """P5: what a person took away does not come back, by whichever post."""
        gone = self.documents.removed_of(batch.goal.key)
        left = []
        for group in batch.groups:
            files = (group.winner, *group.beaten)
            before = next((r for r in gone if any(_is_again(r, file) for file in files)), None)
            if before is None:
                left.append(group)
                continue
            md5s = {file.md5 for file in files}
            for local in batch.fit:
                if local.fetched.md5 in md5s:
                    batch.end(
                        local.video["video_id"], "refused", "removed before", detail=before.reason
                    )
                    batch.log(Stage.DEDUP, tell, local.video).info("refused", copy_of=before.id)
        batch.groups = tuple(left)

    def _carry_out(
        self,
        batch: Batch,
        lease: Lease,
        decision: Decision,
        files: Mapping[str, Local],
        tell: Tell,
    ) -> None:
        goal, now = batch.goal, self.clock.now()
        local = files[decision.candidate.md5]
        log = batch.log(Stage.UPLOAD, tell, local.video)
        clip: Clip
        match decision:
            case Keep():
                clip = self._new_clip(goal, decision.candidate, local, now)
                clip = replace(clip, popularity_by=contributions(decision))
                self._upload(goal, clip.key, local, lease)
                self.documents.add(clip, _facts(batch, local))
                batch.stored.append(clip.id)
                log.info("stored", key=clip.key)
            case Replace(clip=old):
                clip = replace(
                    self._new_clip(goal, decision.candidate, local, now),
                    id=old.id,
                    public_key=old.public_key,
                    popularity_by={**old.popularity_by, **contributions(decision)},
                    rank=old.rank,
                )
                self._upload(goal, clip.key, local, lease)
                self.documents.replace(old, clip, _facts(batch, local), [old.key, *beside(old.key)])
                batch.replaced.append(old.id)
                log.info("replaced", key=clip.key, old=old.key)
            case Absorb(clip=clip):
                self.documents.add_popularity(clip.id, contributions(decision))
                log.at(Stage.DEDUP).info("copy_of_stored", key=clip.key)
        settled = {decision.candidate.md5, *(c.md5 for c in decision.instead_of)}
        for local in batch.fit:
            if local.fetched.md5 in settled:
                batch.end(local.video["video_id"], **_what_became(local, clip))

    def _new_clip(self, goal: GoalEvent, candidate: Candidate, local: Local, now: datetime) -> Clip:
        key = object_key(goal, candidate.md5)
        judged = local.examined.judged
        return Clip(
            id=f"{goal.key}:{candidate.md5[:16]}",
            goal_key=goal.key,
            key=key,
            public_key=key,
            md5=candidate.md5,
            quality=candidate.quality,
            width=local.examined.probe.width,
            height=local.examined.probe.height,
            verified=candidate.verified,
            fingerprint=candidate.fingerprint,
            popularity_by=candidate.popularity,
            video_id=local.video["video_id"],
            stored_at=now,
            verdict=judged.explanation if judged else {},
        )

    def _upload(self, goal: GoalEvent, key: str, local: Local, lease: Lease) -> None:
        """H4: bytes first. The video comes last, so that what has one has its pictures too."""
        poster, thumbnail = beside(key)
        self._put(lease, poster, local.examined.poster, JPEG)
        self._put(lease, thumbnail, local.examined.thumbnail, JPEG)
        metadata = object_metadata(goal, local.candidate, local.video["url"])
        self._put(lease, key, local.fetched.path, MP4, metadata)

    def _put(
        self,
        lease: Lease,
        key: str,
        body: bytes | Path,
        content_type: str,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        """P4: three tries, each only while the lease is ours (H5)."""

        def put() -> None:
            keep(lease)
            self.objects.put(key, body, content_type=content_type, metadata=metadata)

        RETRIES["upload"].run(put, lambda error: isinstance(error, S3Unavailable), self.sleep)

    def tidy(self, goal: GoalEvent) -> None:
        """Leftovers of better copies, and objects that a killed run left without a document."""
        for clip_id, key in self.documents.leftovers_of(goal.key):
            self.objects.delete(key)
            self.documents.leftover_deleted(clip_id, key)
        known = self.documents.keys_of_fixture(goal.fixture_id)
        wanted = known | {key for clip in known for key in beside(clip)}
        for key in self.objects.list_keys(prefix(goal)):
            if key not in wanted:
                self.objects.delete(key)

    def rank(self, goal_key: str) -> None:
        """H6: recomputed after each batch."""
        self.documents.write_ranks(goal_key, ranks(self.documents.clips_of(goal_key)))


def upload_lease(goal_key: str) -> str:
    """H5: held by whoever changes a goal's clips."""
    return f"upload-{goal_key}"


def keep(lease: Lease) -> None:
    if not lease.renew():
        raise Busy(f"the lease {lease.slot} was lost to another")


def prefix(goal: GoalEvent) -> str:
    return f"{goal.fixture_id}/{goal.event_id}/"


def _is_again(removed: RemovedClip, candidate: Candidate) -> bool:
    return removed.md5 == candidate.md5 or same(removed.fingerprint, candidate.fingerprint)


def same(a: Fingerprint, b: Fingerprint) -> bool:
    return compare(a, b).match


def _facts(batch: Batch, local: Local) -> dict[str, Any]:
    return {
        "fixture_id": batch.goal.fixture_id,
        "event_id": batch.goal.event_id,
        "run_id": batch.run_id,
        "source": local.video["source"],
        "source_url": local.video["url"],
        "attempt": local.video.get("attempt"),
    }


def _what_became(local: Local, clip: Clip) -> dict[str, Any]:
    if local.video["video_id"] == clip.video_id:
        return {"state": "taken", "reason": "stored", "clip_id": clip.id}
    same = local.fetched.md5 == clip.md5
    reason = "the same bytes are stored" if same else "a copy no worse is stored"
    return {"state": "duplicate", "reason": reason, "clip_id": clip.id}
