"""SE8: puts judged files where nobody sees them, and takes them from there.

Objects come first, their document second and the state of the videos last; what is not needed any
more goes in the opposite order, so that a process may be killed at any line.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from footy_assets.clips.batch import AcceptedVideo, ClipBatch, StoredFile, StoredRendition
from footy_assets.clips.rules.held import (
    HeldFile,
    HeldPlayable,
    HeldRendition,
    held_file_id,
    held_prefix,
    held_rendition_key,
)
from footy_assets.clips.store.held import HeldFiles
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.search.rules.video import VideoReason, VideoState

JPEG, MP4 = "image/jpeg", "video/mp4"


class HeldObjects(Protocol):
    """The S3 bucket of clips, as far as this module needs it."""

    def get(self, key: str) -> bytes: ...
    def delete(self, key: str) -> None: ...
    def list_keys(self, prefix: str = "") -> list[str]: ...


# Poster, thumbnail and scorebug, which may be empty.
Images = tuple[bytes, bytes, bytes]
# Puts an object: its key, its bytes, its content type.
Put = Callable[[str, bytes | Path, str], None]


@dataclass(frozen=True, slots=True)
class HeldShelf:
    files: HeldFiles
    objects: HeldObjects

    def hold(self, batch: ClipBatch, put: Put, now: datetime) -> None:
        """Every accepted file, the best copy of its footage with its objects, and every file that
        is refused only for what is known of the goal so far."""
        winners = {group.winner.md5 for group in batch.groups}
        by_md5 = {one.file.md5: one for one in reversed((*batch.accepted, *batch.refused_so_far))}
        for md5, judged in by_md5.items():
            stored = batch.playable.get(md5) if md5 in winners else None
            held = _held_file(batch, judged, stored, now)
            if stored is not None:
                self._put_objects(held, judged, stored, put)
            self.files.put(held)
        for judged in (*batch.accepted, *batch.refused_so_far):
            batch.settle(
                judged.video_id,
                VideoState.HELD,
                VideoReason.GOAL_NOT_STABLE,
                held_md5=judged.file.md5,
            )

    def _put_objects(
        self, held: HeldFile, judged: AcceptedVideo, stored: StoredFile, put: Put
    ) -> None:
        examined = judged.examination
        images = examined.poster, examined.thumbnail, examined.scorebug
        for key, image in zip(held.image_keys, images, strict=False):
            put(key, image, JPEG)
        for one in stored.renditions:
            put(held_rendition_key(held.key, one.codec), one.path, MP4)
        put(held.key, stored.path, MP4)

    def fetch(self, held: HeldFile, folder: Path) -> tuple[StoredFile | None, Images]:
        """The MP4 as it was made, and the images. Raises `NotFound` if they are gone."""
        playable = held.playable
        if playable is None:
            return None, (b"", b"", b"")
        stem = f"held-{held.md5}"
        renditions = []
        for one in playable.renditions:
            path = folder / f"{stem}.{one.codec}.mp4"
            path.write_bytes(self.objects.get(held_rendition_key(held.key, one.codec)))
            renditions.append(StoredRendition(path, one.md5, one.probe, one.codec, one.codecs))
        path = folder / f"{stem}.mp4"
        path.write_bytes(self.objects.get(held.key))
        stored = StoredFile(path, playable.md5, playable.probe, playable.method, tuple(renditions))
        poster, thumbnail, *scorebug = map(self.objects.get, held.image_keys)
        return stored, (poster, thumbnail, scorebug[0] if scorebug else b"")

    def drop(self, held: HeldFile) -> None:
        for key in held.object_keys:
            self.objects.delete(key)
        self.files.delete(held)

    def drop_unused(self, goal: GoalEvent, held_videos: Sequence[Mapping[str, object]]) -> None:
        """What no video waits for, such as what a killed process left."""
        wanted = {video.get("held_md5") for video in held_videos}
        kept = set()
        for held in self.files.of_goal(goal.key):
            if held.md5 in wanted:
                kept |= set(held.object_keys)
            else:
                self.drop(held)
        for key in self.objects.list_keys(held_prefix(goal)):
            if key not in kept:
                self.objects.delete(key)


def _held_file(
    batch: ClipBatch, judged: AcceptedVideo, stored: StoredFile | None, now: datetime
) -> HeldFile:
    examined, goal = judged.examination, batch.goal
    assert examined.validation is not None
    return HeldFile(
        id=held_file_id(goal.key, judged.file.md5),
        goal_key=goal.key,
        fixture_id=goal.fixture_id,
        md5=judged.file.md5,
        size=judged.file.size,
        probe=examined.probe,
        validation=examined.validation,
        facts=batch.facts,
        held_at=now,
        fingerprint=examined.fingerprint,
        playable=_held_playable(stored) if stored else None,
        has_scorebug=bool(examined.scorebug),
    )


def _held_playable(stored: StoredFile) -> HeldPlayable:
    renditions = tuple(
        HeldRendition(one.md5, one.probe, one.codec, one.codecs) for one in stored.renditions
    )
    return HeldPlayable(stored.md5, stored.probe, stored.method, renditions)
