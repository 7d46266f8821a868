"""What a demo found, refused and stored, and how long a first clip took."""

from collections import Counter
from collections.abc import Sequence
from statistics import quantiles
from typing import Any

from pymongo.database import Database

from footy_assets.sim.judge_clips import JudgedClips
from footy_assets.store.collections import ATTEMPTS, CLIPS, VIDEOS, Document


def clip_figures(
    database: Database[Document], judged: Sequence[JudgedClips], speed: float
) -> dict[str, Any]:
    states = Counter(video["state"] for video in database[VIDEOS].find({}, {"state": 1}))
    refused = Counter(
        video["reason"].split(":")[0]
        for video in database[VIDEOS].find({"state": {"$in": ["refused", "failed"]}}, {"reason": 1})
    )
    clips = list(database[CLIPS].find({}, {"replaced": 1, "verified": 1}))
    waits = first_clip_seconds(judged)
    figures: dict[str, Any] = {
        "searches": database[ATTEMPTS].count_documents({}),
        "searches_failed": dict(_failed_searches(database)),
        "videos_found": sum(states.values()),
        "videos_refused": dict(refused.most_common()),
        "videos_deduplicated": states["duplicate"],
        "clips_stored": len(clips),
        "clips_verified": sum(bool(clip["verified"]) for clip in clips),
        "clips_replaced_by_better": sum(len(clip["replaced"]) for clip in clips),
    }
    if len(waits) > 1:
        at = quantiles(waits, n=20, method="inclusive")
        figures["goal_to_first_clip_p50_p95_seconds_simulated"] = [round(at[9]), round(at[18])]
        wall = [round(at[9] / speed, 1), round(at[18] / speed, 1)]
        figures["goal_to_first_clip_p50_p95_seconds_wall"] = wall
    return figures


def _failed_searches(database: Database[Document]) -> Counter[str]:
    """Of the searches, how often which source did not answer, and why."""
    failed: Counter[str] = Counter()
    for attempt in database[ATTEMPTS].find({}, {"failure": 1, "failures": 1}):
        failed.update(f"{source}: {why}" for source, why in attempt.get("failures", {}).items())
        if attempt.get("failure"):
            failed[attempt["failure"]] += 1
    return failed


def first_clip_seconds(judged: Sequence[JudgedClips]) -> list[float]:
    """From the goal being visible in the feed to its first clip in S3."""
    return [
        (min(clip["stored_at"] for clip in one.clips) - one.judged.goal.shown_at).total_seconds()
        for one in judged
        if one.clips
    ]
