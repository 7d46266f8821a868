"""The media engine: probe, decode once, fingerprint, compare, deduplicate and validate video clips.

Usable alone: files in, frozen values out; no database, no Dagster, no settings. `probe`, `scan` and
`fingerprint` decode in this process, which is for files of one's own; a `DecodingCell` (in `cell`)
reads files from outside.
"""

from footy_assets.clip_limits import ClipRules, Rejection, RejectionReason
from footy_assets.media.acceptance import rejections
from footy_assets.media.clock import CLOCK_STILLS, ClockReading, read_clock
from footy_assets.media.compare import Match, compare
from footy_assets.media.decode import Scan, Still, scan
from footy_assets.media.dedup import Cluster, Quality, better, clusters
from footy_assets.media.errors import FingerprintUnreadable, UnreadableReason, VideoUnreadable
from footy_assets.media.fingerprint import Fingerprint, fingerprint, fingerprint_of
from footy_assets.media.frame_assessment import FRAMES_AT, ClipAssessment, assess_frames
from footy_assets.media.goal_minute import GoalMinute, verify_minute
from footy_assets.media.probe import DecodeLimits, Probe, probe
from footy_assets.media.validation import RefusalReason, ValidationResult, validate_scan

__all__ = [
    "CLOCK_STILLS",
    "FRAMES_AT",
    "ClipAssessment",
    "ClipRules",
    "ClockReading",
    "Cluster",
    "DecodeLimits",
    "Fingerprint",
    "FingerprintUnreadable",
    "GoalMinute",
    "Match",
    "Probe",
    "Quality",
    "RefusalReason",
    "Rejection",
    "RejectionReason",
    "Scan",
    "Still",
    "UnreadableReason",
    "ValidationResult",
    "VideoUnreadable",
    "assess_frames",
    "better",
    "clusters",
    "compare",
    "fingerprint",
    "fingerprint_of",
    "probe",
    "read_clock",
    "rejections",
    "scan",
    "validate_scan",
    "verify_minute",
]
