"""Asset checks of `live_events`: live data is fresh, and matches are mapped for sure."""

from datetime import datetime
from typing import Any

import dagster as dg

from footy_assets.providers.connection import ProvidersFileLoader
from footy_assets.providers.health import HealthMonitor
from footy_assets.providers.rules.health import Grade
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource
from resources.policy import PolicyResource

# By key, because other modules also report checks of it.
ASSET = dg.AssetKey("live_events")
FRESH, IDENTIFIED = "providers_fresh", "providers_identified"


def evaluate_freshness(summary: dict[str, Any]) -> dict[str, Any]:
    fresh, grade = summary["freshness"], summary["grade"]
    return {
        # While it recovers, the data is still old.
        "passed": grade == Grade.HEALTHY,
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


def evaluate_mappings(summary: dict[str, Any]) -> dict[str, Any]:
    """A4: reports unsure mappings; an alias in sources.yaml resolves one."""
    unsure = summary["unsure_mappings"]
    return {
        "passed": unsure == 0,
        "severity": dg.AssetCheckSeverity.WARN,
        "description": f"{unsure} unsure mapping(s) of other providers' matches",
        "metadata": {"unsure": unsure, "conflicts": summary["conflicts"]},
    }


CHECKS = {FRESH: evaluate_freshness, IDENTIFIED: evaluate_mappings}


def evaluate_checks(monitor: HealthMonitor, now: datetime) -> list[dg.AssetCheckEvaluation]:
    """All checks, for the sensor: it reports them without a run."""
    summary = monitor.summary(now)
    return [
        dg.AssetCheckEvaluation(asset_key=ASSET, check_name=name, **evaluate(summary))
        for name, evaluate in CHECKS.items()
    ]


def provider_health_check(name: str, description: str) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=ASSET, name=name, description=description)
    def check(
        mongo: MongoResource, clock: ClockResource, policy: PolicyResource
    ) -> dg.AssetCheckResult:
        monitor = HealthMonitor(mongo.database, ProvidersFileLoader(policy.as_settings()))
        return dg.AssetCheckResult(**CHECKS[name](monitor.summary(clock.clock().now())))

    return check


provider_health_checks = [
    provider_health_check(FRESH, "The data of live matches is fresh."),
    provider_health_check(IDENTIFIED, "Every match of other providers is mapped for sure (A4)."),
]
