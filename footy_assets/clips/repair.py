"""D4: makes playable MP4s of stored clips that are none, such as those of an older version."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from footy_assets.clips.batch import ClipBatch, StoredFile
from footy_assets.clips.rules.clip import Clip, JudgedFile
from footy_assets.clips.rules.keys import (
    object_key,
    poster_and_thumbnail_keys,
    replaced_keys,
    scorebug_key,
)
from footy_assets.clips.work import ClipWork
from footy_assets.errors import Busy, NotFound
from footy_assets.logs import LogSink, Stage
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.media.playable import PlayableMethod
from footy_assets.operator_actions import OperatorAction


class RepairResult(StrEnum):
    PLAYABLE = "playable already"
    REWRITTEN = "rewritten"
    TO_REWRITE = "would be rewritten"
    REPLACED = "replaced meanwhile"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ClipRepair:
    """What was done to a stored clip. `method` is how its MP4 is made."""

    clip_id: str
    event_id: str
    result: RepairResult
    method: PlayableMethod | None = None
    reason: str = ""


def repair_clips(
    work: ClipWork,
    by: OperatorAction,
    run_id: str,
    sink: LogSink,
    *,
    every: bool = False,
    dry_run: bool = False,
) -> list[ClipRepair]:
    """Clips that are not known to be playable, or every one. Killed at any step and run again, it
    ends the same. A clip that cannot be repaired stays as it is."""
    with by.recorded("repair clips", "every clip" if every else "older clips") as entry:
        repairs = [
            repair
            for goal in work.documents.goals_with_clips()
            for repair in _repair_goal(work, goal, run_id, sink, every, dry_run)
        ]
        rewritten = sum(repair.result is RepairResult.REWRITTEN for repair in repairs)
        failed = sum(repair.result is RepairResult.FAILED for repair in repairs)
        entry.outcome = f"{len(repairs)} checked, {rewritten} rewritten, {failed} failed"
        if dry_run:
            entry.outcome += ", nothing changed (--dry-run)"
        return repairs


def _repair_goal(
    work: ClipWork, goal: GoalEvent, run_id: str, sink: LogSink, every: bool, dry_run: bool
) -> Iterator[ClipRepair]:
    clips = [c for c in work.documents.clips_of(goal.key) if every or c.judged is None]
    if clips:
        with work.batch(goal, run_id) as batch:
            for clip in clips:
                repair = _repair_clip(work, batch, clip, dry_run)
                log = batch.log(Stage.UPLOAD, sink).bind(clip_id=clip.id, video_id=clip.video_id)
                log.info("repaired", result=str(repair.result), reason=repair.reason)
                yield repair
    if not dry_run and (clips or work.documents.leftovers_of(goal.key)):
        with work.publisher.lock(goal.key):
            work.publisher.delete_unused_objects(goal)
            work.publisher.rank(goal.key)


def _repair_clip(work: ClipWork, batch: ClipBatch, clip: Clip, dry_run: bool) -> ClipRepair:
    repair = ClipRepair(clip.id, batch.goal.event_id, RepairResult.FAILED)
    path = batch.folder / f"{clip.md5}.stored"
    try:
        path.write_bytes(work.objects.get(clip.key))
        made = work.files.make_playable(path)
        if not isinstance(made, StoredFile):
            return replace(repair, reason=made.sentence())
        rewrites = made.method.writes
        repair = replace(repair, method=made.method)
        if dry_run:
            result = RepairResult.TO_REWRITE if rewrites else RepairResult.PLAYABLE
        elif not _store(work, batch.goal, clip, made):
            result = RepairResult.REPLACED
        else:
            result = RepairResult.REWRITTEN if rewrites else RepairResult.PLAYABLE
        return replace(repair, result=result)
    except (NotFound, Busy) as error:
        return replace(repair, reason=error.sentence())
    finally:
        for file in batch.folder.glob(f"{clip.md5}*"):
            file.unlink()


def _store(work: ClipWork, goal: GoalEvent, clip: Clip, made: StoredFile) -> bool:
    """H4: the new object first, the document second; the old object is deleted last, with the
    goal's other leftovers."""
    judged = clip.judged or JudgedFile(clip.md5, clip.quality)
    new = replace(clip, judged=judged)
    if made.method.writes:
        new = replace(
            new,
            key=object_key(goal, made.md5),
            md5=made.md5,
            quality=made.quality,
            width=made.probe.width,
            height=made.probe.height,
            renditions=tuple(one.at(goal) for one in made.renditions) or clip.renditions,
        )
    with work.publisher.lock(goal.key) as lease:
        current = work.documents.clip(clip.id)
        if current is None or current.md5 != clip.md5:
            return False
        if new.key != clip.key:
            poster, thumbnail = map(work.objects.get, poster_and_thumbnail_keys(clip.key))
            scorebug = work.objects.get(scorebug_key(clip.key)) if clip.has_scorebug else b""
            images = poster, thumbnail, scorebug
            source_url = work.documents.source_url(clip.id)
            work.publisher.put_objects(lease, goal, new.key, made, images, source_url)
        leftovers = replaced_keys(clip.object_keys, new.object_keys)
        return work.documents.rewrite(clip, new, leftovers)
