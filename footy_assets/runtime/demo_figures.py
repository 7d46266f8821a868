"""Figures of a demo: goals, runs, videos found, refused and stored, and time to the first clip."""

from collections import Counter
from collections.abc import Sequence
from statistics import quantiles
from typing import Any

from dagster import AssetKey, RunsFilter
from pymongo.database import Database

from footy_assets.clips.rules.reasons import REASONS
from footy_assets.clips.store.figures import stored_clip_counts
from footy_assets.dagster_internals import failed_ticks
from footy_assets.matchday.store.journal import Journal
from footy_assets.matchday.views import Row
from footy_assets.runtime.reaper import WITH_A_WORKER
from footy_assets.runtime.supervisor import Running
from footy_assets.search.rules.video import VideoState
from footy_assets.search.store.figures import attempt_count, failed_search_counts
from footy_assets.search.store.videos import VideoStore
from footy_assets.sim.check_clips import ClipsCheck
from footy_assets.store.collections import Document


def matchday_figures(
    database: Database[Document], fixtures: Sequence[Row], events: Sequence[Row]
) -> dict[str, Any]:
    return {
        "fixtures": len(fixtures),
        "states": dict(Counter(row["state"] for row in events)),
        "polls_that_changed_something": Journal(database).poll_count(),
    }


def dagster_figures(up: Running) -> dict[str, int]:
    """Figures from Dagster, without runs that the reaper marked failed."""
    with up.instance() as instance:
        runs = Counter(r.status.value for r in instance.get_runs() if r.run_id not in up.reaped)
        materializations = instance.fetch_materializations(AssetKey("live_events"), limit=10_000)
        ticks = failed_ticks(instance)
    return {
        "runs": sum(runs.values()),
        "failed_runs": runs["FAILURE"],
        "failed_ticks": ticks,
        "materializations": len(materializations.records),
    }


def has_runs(up: Running) -> bool:
    """Whether a run is busy. One that hangs is ended (P3), so this does not stay true."""
    with up.instance() as instance:
        return bool(instance.get_run_ids(RunsFilter(statuses=WITH_A_WORKER), limit=1))


def clip_figures(
    database: Database[Document], checks: Sequence[ClipsCheck], speed: float
) -> dict[str, Any]:
    videos, clips = VideoStore(database), stored_clip_counts(database)
    states = videos.count_by_state()
    waits = first_clip_seconds(checks)
    figures: dict[str, Any] = {
        "searches": attempt_count(database),
        "searches_failed": {
            f"{site}: {kind}": count
            for (site, kind), count in failed_search_counts(database).items()
        },
        "videos_found": sum(states.values()),
        "videos_refused": dict(videos.count_without_clip(REASONS)),
        "videos_deduplicated": states.get(VideoState.DUPLICATE, 0),
        "clips_stored": clips.stored,
        "clips_verified": clips.verified,
        "clips_replaced_by_better": clips.replaced,
    }
    if len(waits) > 1:
        at = quantiles(waits, n=20, method="inclusive")
        figures["goal_to_first_clip_p50_p95_seconds_simulated"] = [round(at[9]), round(at[18])]
        wall = [round(at[9] / speed, 1), round(at[18] / speed, 1)]
        figures["goal_to_first_clip_p50_p95_seconds_wall"] = wall
    return figures


def first_clip_seconds(checks: Sequence[ClipsCheck]) -> list[float]:
    """Seconds from a goal's first appearance in the feed to its first clip in S3."""
    return [
        (
            min(clip["stored_at"] for clip in one.clips) - one.goal_check.goal.shown_at
        ).total_seconds()
        for one in checks
        if one.clips
    ]
