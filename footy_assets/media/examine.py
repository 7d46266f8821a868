"""Everything the pipeline needs to know about a file, from one decoding pass."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from footy_assets.clip_limits import ClipRules, Rejection
from footy_assets.media.acceptance import rejections
from footy_assets.media.clock import CLOCK_STILLS
from footy_assets.media.decode import Progress, Scan, Still
from footy_assets.media.fingerprint import Fingerprint, fingerprint_of
from footy_assets.media.frame_assessment import FRAMES_AT, nearest
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.media.goal_moment import goal_moment
from footy_assets.media.probe import Probe
from footy_assets.media.scorebug_picture import draw_scorebug
from footy_assets.media.validation import ValidationResult, Validator

THUMBNAIL_WIDTH = 320
POSTER_WIDTH = 1280
# Positions in a clip, as parts of its length: enough to see a clock tick, and V2's quarters.
STILLS_AT = tuple(sorted({*CLOCK_STILLS, *FRAMES_AT}))


def poster_still(scanned: Scan) -> Still:
    """The still nearest to the goal; to the middle if no cut says where the goal is."""
    moment = goal_moment(scanned.samples)
    return nearest(scanned.stills, scanned.probe.duration / 2 if moment is None else moment)


@dataclass(frozen=True, slots=True)
class Examination:
    """The findings about a readable file. A file that D2 rejects is not decoded; a clip that the
    validator refuses is not fingerprinted."""

    probe: Probe
    rejections: tuple[Rejection, ...] = ()
    validation: ValidationResult | None = None
    fingerprint: Fingerprint | None = None
    poster: bytes = b""
    thumbnail: bytes = b""
    # V5: what the clock and the scorebug were read from; empty if nothing was read.
    scorebug: bytes = b""

    @property
    def decided(self) -> bool:
        """False if the file was neither rejected nor validated."""
        return bool(self.rejections) or (self.validation is not None and self.validation.decided)


class VideoReader(Protocol):
    """Reads files from outside: a `DecodingCell`. Raises `VideoUnreadable`."""

    def scan_if_accepted(
        self,
        path: Path,
        rules: ClipRules,
        stills_at: Sequence[float] = (),
        on_progress: Progress | None = None,
    ) -> Scan | Probe: ...


class Examiner(Protocol):
    def examine(self, path: Path, goal: GoalFacts) -> Examination:
        """Raises `VideoUnreadable` if the file is not a readable video."""
        ...


@dataclass(frozen=True, slots=True)
class FileExaminer:
    """Cheap steps first (V1): headers, then one decoding pass, validation, the fingerprint."""

    validate: Validator
    reader: VideoReader
    rules: ClipRules = field(default_factory=ClipRules)
    on_progress: Progress | None = None

    def examine(self, path: Path, goal: GoalFacts) -> Examination:
        scanned = self.reader.scan_if_accepted(path, self.rules, STILLS_AT, self.on_progress)
        if isinstance(scanned, Probe):
            return Examination(scanned, rejections(scanned, self.rules))
        validation = self.validate(scanned, goal)
        if not validation.accepted:
            return Examination(scanned.probe, validation=validation)
        still = poster_still(scanned)
        return Examination(
            probe=scanned.probe,
            validation=validation,
            fingerprint=fingerprint_of(scanned),
            poster=still.jpeg(POSTER_WIDTH),
            thumbnail=still.jpeg(THUMBNAIL_WIDTH),
            scorebug=draw_scorebug(
                scanned.stills,
                validation.text_box,
                validation.text_moments,
                is_mirrored=validation.mirrored,
            ),
        )
