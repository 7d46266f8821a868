"""P5: what people do by hand to stored clips."""

from dataclasses import dataclass

from footy_assets.archive.clip import Clip
from footy_assets.archive.keys import beside
from footy_assets.errors import NotFound, Stalled
from footy_assets.logs import Stage, Tell
from footy_assets.matchday.goal import GoalEvent
from footy_assets.media.examine import Examined
from footy_assets.operations.by_hand import ByHand
from footy_assets.operations.clip_batch import Batch, refusal
from footy_assets.operations.clips import ClipWork
from footy_assets.store.clips import ClipDocuments

# V1's word for a clip that nobody could say anything about: a reason to refuse a new one, and none
# to take a stored one away.
NOT_JUDGED = "could not be judged"


def known_goal(documents: ClipDocuments, event_id: str) -> GoalEvent:
    goal = documents.goal_called(event_id)
    if goal is None:
        raise NotFound(f"no goal is called {event_id}", "`footy events` lists those we know")
    return goal


@dataclass(frozen=True, slots=True)
class Rejudged:
    """What a second look at a stored clip came to. `accepted` is None where it told nothing."""

    clip_id: str
    accepted: bool | None
    verified: bool
    reason: str


def remove_clip(work: ClipWork, by: ByHand, clip_id: str) -> Clip:
    """Its objects and its document go; its footage does not come back by another search."""
    with by.recorded("remove clip", clip_id) as entry:
        clip = work.documents.clip(clip_id)
        goal = work.documents.goal(clip.goal_key) if clip else None
        if clip is None or goal is None:
            raise NotFound(f"no clip is called {clip_id}", "`footy clips --json` lists their ids")
        with work.shelf.held(goal.key):
            work.documents.mark_removed(clip, goal.fixture_id, by.told(), by.clock.now())
            end = {"state": "removed", "reason": "removed by hand", "detail": by.told()}
            _take_away(work, clip, end)
            work.shelf.tidy(goal)
            work.shelf.rank(goal.key)
        entry.outcome = f"{clip.key} removed"
        return clip


def revalidate(
    work: ClipWork, by: ByHand, goal: GoalEvent, run_id: str, tell: Tell
) -> list[Rejudged]:
    """Judge a goal's clips again by what lies in S3. One that is refused now is removed."""
    with by.recorded("revalidate", goal.event_id) as entry:
        clips = {clip.id: clip for clip in work.documents.clips_of(goal.key)}
        with work.batch(goal, run_id) as batch:
            judged = {clip.id: _judged_again(work, batch, clip, tell) for clip in clips.values()}
        with work.shelf.held(goal.key):
            for clip in work.documents.clips_of(goal.key):
                # Only what was judged: a better copy may have taken its place meanwhile.
                if clip.id in clips and clip.md5 == clips[clip.id].md5:
                    _write_down(work, goal, clip, *judged[clip.id])
            work.shelf.rank(goal.key)
        found = [told for told, _ in judged.values()]
        refused = sum(told.accepted is False for told in found)
        open_ = sum(told.accepted is None for told in found)
        entry.outcome = f"{len(found)} judged, {refused} removed, {open_} left as they were"
        return found


def rerank(work: ClipWork, by: ByHand, goal: GoalEvent) -> list[Clip]:
    """H6 anew, for this goal; best first."""
    with by.recorded("rerank", goal.event_id) as entry, work.shelf.held(goal.key):
        work.shelf.rank(goal.key)
        clips = sorted(work.documents.clips_of(goal.key), key=lambda clip: clip.rank or 0)
        entry.outcome = f"{len(clips)} clips ranked"
        return clips


def _judged_again(
    work: ClipWork, batch: Batch, clip: Clip, tell: Tell
) -> tuple[Rejudged, Examined | None]:
    log = batch.log(Stage.VALIDATE, tell).of(clip_id=clip.id, video_id=clip.video_id)
    path = batch.folder / f"{clip.md5}.mp4"
    try:
        path.write_bytes(work.objects.get(clip.key))
    except NotFound as missing:
        log.error("not_judged", reason=str(missing))
        return Rejudged(clip.id, None, clip.verified, str(missing)), None
    looked = work.look(batch.goal, path)
    path.unlink()
    if isinstance(looked, Stalled):
        log.warning("not_judged", reason=str(looked))
        return Rejudged(clip.id, None, clip.verified, str(looked)), None
    refused = refusal(looked)
    if refused is None:
        assert isinstance(looked, Examined)
        assert looked.judged is not None
        log.info("accepted", verified=looked.judged.verified)
        return Rejudged(clip.id, True, looked.judged.verified, ""), looked
    reason = str(refused["reason"])
    if reason.startswith(NOT_JUDGED):
        log.warning("not_judged", reason=reason)
        return Rejudged(clip.id, None, clip.verified, reason), None
    log.info("refused", reason=reason)
    return Rejudged(clip.id, False, False, reason), None


def _write_down(
    work: ClipWork, goal: GoalEvent, clip: Clip, told: Rejudged, looked: Examined | None
) -> None:
    if told.accepted is False:
        end = {"state": "refused", "reason": told.reason, "detail": "when judged again"}
        _take_away(work, clip, end)
    elif looked is not None and looked.judged is not None:
        work.documents.rejudged(clip, told.verified, looked.judged.explanation)


def _take_away(work: ClipWork, clip: Clip, end: dict[str, str]) -> None:
    """What is known about its videos first, objects next, the document last (F9's order)."""
    work.documents.end_videos_of(clip.id, end, work.clock.now())
    for key in (clip.key, *beside(clip.key), *work.documents.leftovers_of_clip(clip.id)):
        work.objects.delete(key)
    work.documents.remove_clip(clip.id)
