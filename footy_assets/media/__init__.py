"""Know a clip when you see it again, and the goal it shows: probe, one decoding pass, fingerprint,
compare, dedup, validate.

Usable alone: files in, frozen values out; no database, no Dagster, no settings.
"""

from footy_assets.media.acceptance import ClipRules, Refusal, Rejection, rejections
from footy_assets.media.clock import CLOCK_STILLS, ClockReading, read_clock
from footy_assets.media.compare import Match, compare
from footy_assets.media.decode import Scan, Still, scan
from footy_assets.media.dedup import Cluster, Quality, better, clusters
from footy_assets.media.failures import FingerprintUnreadable, Unreadable, VideoUnreadable
from footy_assets.media.fingerprint import Fingerprint, fingerprint, fingerprint_of
from footy_assets.media.goal_minute import GoalMinute, verified_by
from footy_assets.media.looks import FRAMES_AT, FrameLook, Looks, look
from footy_assets.media.probe import Limits, Probe, probe
from footy_assets.media.tracks import FrameRead
from footy_assets.media.verdict import Verdict, validate, validate_scan

__all__ = [
    "CLOCK_STILLS",
    "FRAMES_AT",
    "ClipRules",
    "ClockReading",
    "Cluster",
    "Fingerprint",
    "FingerprintUnreadable",
    "FrameLook",
    "FrameRead",
    "GoalMinute",
    "Limits",
    "Looks",
    "Match",
    "Probe",
    "Quality",
    "Refusal",
    "Rejection",
    "Scan",
    "Still",
    "Unreadable",
    "Verdict",
    "VideoUnreadable",
    "better",
    "clusters",
    "compare",
    "fingerprint",
    "fingerprint_of",
    "look",
    "probe",
    "read_clock",
    "rejections",
    "scan",
    "validate",
    "validate_scan",
    "verified_by",
]
