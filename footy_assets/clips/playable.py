"""D4: of every video that becomes a clip, the MP4 that is stored."""

from collections.abc import Callable, Sequence
from pathlib import Path

from footy_assets.clips.batch import AcceptedVideo, ClipBatch, StoredFile, refusal_of
from footy_assets.clips.publish import same_footage
from footy_assets.clips.rules.clip import Clip
from footy_assets.clips.rules.dedup import Absorb, decide, group_copies
from footy_assets.errors import Stalled
from footy_assets.logs import LogSink, Stage
from footy_assets.media import VideoUnreadable
from footy_assets.search.rules.video import VideoState

MakePlayable = Callable[[Path], StoredFile | VideoUnreadable | Stalled]


def make_winners_playable(
    batch: ClipBatch, stored: Sequence[Clip], make: MakePlayable, sink: LogSink
) -> None:
    """Before the goal is locked: a transcode takes longer than a lease lasts. Where no MP4 can be
    made of a video, the next best copy of its footage takes its place."""
    while True:
        accepted = {one.file.md5: one for one in reversed(batch.accepted)}
        wanted = [
            accepted[decision.candidate.md5]
            for decision in decide(batch.groups, stored, same_footage)
            if not isinstance(decision, Absorb)
        ]
        made = [
            _make(batch, winner, make, sink)
            for winner in wanted
            if winner.file.md5 not in batch.playable
        ]
        if all(made):
            return
        left = [one.candidate for one in batch.accepted]
        batch.groups = group_copies(left, same_footage)


def _make(batch: ClipBatch, winner: AcceptedVideo, make: MakePlayable, sink: LogSink) -> bool:
    made = make(winner.file.path)
    md5 = winner.file.md5
    if isinstance(made, StoredFile):
        batch.playable[md5] = made
        return True
    for accepted in [one for one in batch.accepted if one.file.md5 == md5]:
        batch.accepted.remove(accepted)
        log = batch.log(Stage.UPLOAD, sink, accepted.video)
        if isinstance(made, Stalled):
            batch.errors[accepted.video_id] = str(made)
            log.warning("not_made_playable", reason=str(made))
        else:
            refusal = refusal_of(made)
            assert refusal is not None
            batch.settle(accepted.video_id, VideoState.REFUSED, **refusal)
            log.info("refused", reason=refusal["reason"])
    return False
