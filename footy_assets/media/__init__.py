"""Know a clip when you see it again: probe, one decoding pass, fingerprint, compare, dedup.

Usable alone: files in, frozen values out; no database, no Dagster, no settings.
"""

from footy_assets.media.acceptance import ClipRules, Refusal, Rejection, rejections
from footy_assets.media.compare import Match, compare
from footy_assets.media.decode import Scan, Still, scan
from footy_assets.media.dedup import Cluster, Quality, better, clusters
from footy_assets.media.failures import FingerprintUnreadable, Unreadable, VideoUnreadable
from footy_assets.media.fingerprint import Fingerprint, fingerprint, fingerprint_of
from footy_assets.media.probe import Limits, Probe, probe

__all__ = [
    "ClipRules",
    "Cluster",
    "Fingerprint",
    "FingerprintUnreadable",
    "Limits",
    "Match",
    "Probe",
    "Quality",
    "Refusal",
    "Rejection",
    "Scan",
    "Still",
    "Unreadable",
    "VideoUnreadable",
    "better",
    "clusters",
    "compare",
    "fingerprint",
    "fingerprint_of",
    "probe",
    "rejections",
    "scan",
]
