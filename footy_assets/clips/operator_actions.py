"""P5: what operators do to stored clips: remove, validate again, rank again."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from footy_assets.clips.batch import ClipBatch, refusal_of
from footy_assets.clips.rules.clip import Clip
from footy_assets.clips.work import ClipWork
from footy_assets.errors import NotFound, Stalled
from footy_assets.logs import LogSink, Stage
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.media import UnreadableReason, VideoUnreadable
from footy_assets.media.examine import Examination
from footy_assets.operator_actions import OperatorAction
from footy_assets.search.rules.video import VideoReason, VideoState


@dataclass(frozen=True, slots=True)
class Revalidation:
    """A stored clip, validated again. `accepted` is None if no verdict was possible."""

    clip_id: str
    accepted: bool | None
    verified: bool
    reason: str


def remove_clip(work: ClipWork, by: OperatorAction, clip_id: str) -> Clip:
    """Delete a clip's objects and document; later searches refuse its footage."""
    with by.recorded("remove clip", clip_id) as entry:
        clip = work.documents.clip(clip_id)
        goal = work.documents.goals.get(clip.goal_key) if clip else None
        if clip is None or goal is None:
            raise NotFound(f"clip {clip_id} is not known", "`footy clips --json` lists their ids")
        with work.publisher.lock(goal.key):
            work.documents.mark_removed(clip, goal.fixture_id, by.signature(), by.clock.now())
            outcome = {
                "state": VideoState.REMOVED,
                "reason": VideoReason.REMOVED_BY_OPERATOR,
                "detail": by.signature(),
            }
            _delete_clip(work, clip, outcome)
            work.publisher.delete_unused_objects(goal)
            work.publisher.rank(goal.key)
        entry.outcome = f"{clip.key} removed"
        return clip


def revalidate(
    work: ClipWork, by: OperatorAction, goal: GoalEvent, run_id: str, sink: LogSink
) -> list[Revalidation]:
    """Validate the stored files of a goal's clips again, and remove those that fail."""
    with by.recorded("revalidate", goal.event_id) as entry:
        clips = {clip.id: clip for clip in work.documents.clips_of(goal.key)}
        with work.batch(goal, run_id) as batch:
            results = {clip.id: _validate_again(work, batch, clip, sink) for clip in clips.values()}
        with work.publisher.lock(goal.key):
            for clip in work.documents.clips_of(goal.key):
                # A better copy may have replaced the validated file meanwhile.
                if clip.id in clips and clip.md5 == clips[clip.id].md5:
                    _save(work, clip, *results[clip.id])
            work.publisher.rank(goal.key)
        validated = [result for result, _ in results.values()]
        removed = sum(result.accepted is False for result in validated)
        unchanged = sum(result.accepted is None for result in validated)
        entry.outcome = (
            f"{len(validated)} validated, {removed} removed, {unchanged} without a verdict"
        )
        return validated


def rerank(work: ClipWork, by: OperatorAction, goal: GoalEvent) -> list[Clip]:
    """H6: rank a goal's clips again, best first."""
    with by.recorded("rerank", goal.event_id) as entry, work.publisher.lock(goal.key):
        work.publisher.rank(goal.key)
        clips = sorted(work.documents.clips_of(goal.key), key=lambda clip: clip.rank or 0)
        entry.outcome = f"{len(clips)} clips ranked"
        return clips


def _validate_again(
    work: ClipWork, batch: ClipBatch, clip: Clip, sink: LogSink
) -> tuple[Revalidation, Mapping[str, Any]]:
    """The result and what to store of it: the validation, or why the clip is refused."""
    log = batch.log(Stage.VALIDATE, sink).bind(clip_id=clip.id, video_id=clip.video_id)
    path = batch.folder / f"{clip.md5}.mp4"
    try:
        path.write_bytes(work.objects.get(clip.key))
    except NotFound as missing:
        log.error("not_validated", reason=str(missing))
        return Revalidation(clip.id, None, clip.verified, str(missing)), {}
    examined = work.files.examine(work.facts_of(batch.goal), path)
    path.unlink()
    if isinstance(examined, Stalled):
        log.warning("not_validated", reason=str(examined))
        return Revalidation(clip.id, None, clip.verified, str(examined)), {}
    refusal = refusal_of(examined)
    if refusal is None:
        assert isinstance(examined, Examination)
        assert examined.validation is not None
        verified = examined.validation.verified
        log.info("accepted", verified=verified)
        return Revalidation(clip.id, True, verified, ""), examined.validation.as_json()
    reason = str(refusal["reason"])
    if _is_undecided(examined):
        # V1: a reason to refuse a new clip, but not to remove a stored one.
        log.warning("not_validated", reason=reason)
        return Revalidation(clip.id, None, clip.verified, reason), {}
    log.info("refused", reason=reason)
    kept = ("reason", "reason_kind")
    why = {name: value for name, value in refusal.items() if name in kept}
    return Revalidation(clip.id, False, False, reason), why


def _is_undecided(examined: Examination | VideoUnreadable) -> bool:
    if isinstance(examined, VideoUnreadable):
        return examined.reason in (UnreadableReason.FAILED, UnreadableReason.DECODER_CRASHED)
    return not examined.decided


def _save(work: ClipWork, clip: Clip, result: Revalidation, found: Mapping[str, Any]) -> None:
    if result.accepted is False:
        outcome = {"state": VideoState.REFUSED, **found, "detail": "when validated again"}
        _delete_clip(work, clip, outcome)
    elif result.accepted:
        work.documents.save_validation(clip, result.verified, found)


def _delete_clip(work: ClipWork, clip: Clip, outcome: Mapping[str, Any]) -> None:
    """The state of its videos first, objects next, the document last (F9's order)."""
    work.videos.settle_of_clip(clip.id, outcome, work.clock.now())
    for key in (*clip.object_keys, *work.documents.leftovers_of_clip(clip.id)):
        work.objects.delete(key)
    work.documents.delete_clip(clip.id)
