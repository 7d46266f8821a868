"""Everything we want to know about a file, from one decoding pass."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from footy_assets.media.acceptance import ClipRules, Rejection, rejections
from footy_assets.media.clock import CLOCK_STILLS
from footy_assets.media.decode import Progress, Scan, scan
from footy_assets.media.fingerprint import Fingerprint, fingerprint_of
from footy_assets.media.looks import FRAMES_AT
from footy_assets.media.probe import LIMITS, Limits, Probe, probe

THUMBNAIL_WIDTH = 320
POSTER_WIDTH = 1280
# Moments of a clip, as parts of its length: enough to see a clock tick, and V2's quarters.
STILLS_AT = tuple(sorted({*CLOCK_STILLS, *FRAMES_AT}))
POSTER_AT = STILLS_AT.index(0.5)


@dataclass(frozen=True, slots=True)
class Judged:
    """A validator's word on a clip (V1–V5), ready to be stored and printed."""

    accepted: bool
    verified: bool
    reasons: tuple[str, ...]
    explanation: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Examined:
    """A file that was read. Refused by D2, it was not decoded; refused by V, not fingerprinted."""

    probe: Probe
    rejections: tuple[Rejection, ...] = ()
    judged: Judged | None = None
    fingerprint: Fingerprint | None = None
    poster: bytes = b""
    thumbnail: bytes = b""


class Examiner(Protocol):
    def examine(self, path: Path, elapsed: int, extra: int | None) -> Examined:
        """Raises `VideoUnreadable` for a file that is no video."""
        ...


Judge = Callable[[Scan, int, int | None], Judged]


@dataclass(frozen=True, slots=True)
class FileExaminer:
    """Cheap before dear (V1): headers, then one decoding pass, the judge, the fingerprint."""

    judge: Judge
    rules: ClipRules = field(default_factory=ClipRules)
    limits: Limits = LIMITS
    on_progress: Progress | None = None

    def examine(self, path: Path, elapsed: int, extra: int | None) -> Examined:
        seen = probe(path, self.limits)
        if refused := rejections(seen, self.rules):
            return Examined(seen, refused)
        scanned = scan(path, STILLS_AT, self.limits, self.on_progress)
        judged = self.judge(scanned, elapsed, extra)
        if not judged.accepted:
            return Examined(seen, judged=judged)
        still = scanned.stills[POSTER_AT]
        return Examined(
            probe=seen,
            judged=judged,
            fingerprint=fingerprint_of(scanned),
            poster=still.jpeg(POSTER_WIDTH),
            thumbnail=still.jpeg(THUMBNAIL_WIDTH),
        )
