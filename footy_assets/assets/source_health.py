"""Asset checks of `live_events`: is what we know of live matches fresh, and do providers agree?"""

from datetime import datetime
from typing import Any

import dagster as dg

from footy_assets.operations.sources_health import Pulse
from footy_assets.settings import load_settings
from footy_assets.sources.health import Grade
from resources.clock import ClockResource
from resources.football_sources import SourcesOnDisk
from resources.mongo import MongoResource

# By its key: the live poll's module reports other checks of it, too.
ASSET = dg.AssetKey("live_events")
FRESH, AGREED = "sources_fresh", "sources_identified"


def freshness_answer(summary: dict[str, Any]) -> dict[str, Any]:
    fresh, grade = summary["freshness"], summary["grade"]
    return {
        "passed": grade not in (Grade.FAILING, Grade.DEGRADED),
        "severity": (
            dg.AssetCheckSeverity.ERROR if grade == Grade.FAILING else dg.AssetCheckSeverity.WARN
        ),
        "description": f"{grade}: {fresh['count']} in play, p95 {fresh['p95']:.0f} s old",
        "metadata": {
            "median_seconds": float(fresh["median"]),
            "p95_seconds": float(fresh["p95"]),
            "max_seconds": float(fresh["max"]),
            "failure_ratio": float(summary["failure_ratio"]),
            "paused": len(summary["paused"]),
        },
    }


def mapping_answer(summary: dict[str, Any]) -> dict[str, Any]:
    """A4: an unsure mapping is told; an alias in sources.yaml settles it."""
    unsure = summary["unsure_mappings"]
    return {
        "passed": unsure == 0,
        "severity": dg.AssetCheckSeverity.WARN,
        "description": f"{unsure} match(es) of other providers that may be ours",
        "metadata": {"unsure": unsure, "conflicts": summary["conflicts"]},
    }


QUESTIONS = {FRESH: freshness_answer, AGREED: mapping_answer}


def evaluations_of(pulse: Pulse, now: datetime) -> list[dg.AssetCheckEvaluation]:
    """For the sensor, which is no run of the asset itself."""
    summary = pulse.summary(now)
    return [
        dg.AssetCheckEvaluation(asset_key=ASSET, check_name=name, **answer(summary))
        for name, answer in QUESTIONS.items()
    ]


def source_health_check(name: str, description: str) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=ASSET, name=name, description=description)
    def check(mongo: MongoResource, clock: ClockResource) -> dg.AssetCheckResult:
        pulse = Pulse(mongo.database, SourcesOnDisk(load_settings()))
        return dg.AssetCheckResult(**QUESTIONS[name](pulse.summary(clock.clock().now())))

    return check


source_health_checks = [
    source_health_check(FRESH, "What we know of the matches in play is fresh."),
    source_health_check(AGREED, "Every match of another provider was surely identified (A4)."),
]
