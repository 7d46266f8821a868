"""Asset checks of a matchday's fixtures and goals, and of the servers' health."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import dagster as dg

from footy_assets.findings import Finding
from footy_assets.matchday.assets import fixtures, live_events
from footy_assets.matchday.integrity import identities_unique, no_fixture_lost, score_agrees
from footy_assets.matchday.partitions import matchday_of
from footy_assets.matchday.store.matchdays import MatchdayStore
from resources.mongo.resource import MongoResource
from resources.s3.resource import S3ClipsResource

MatchdayCheck = Callable[[MatchdayStore, date], Finding]

CHECKS: dict[dg.AssetKey, list[MatchdayCheck]] = {
    fixtures.key: [no_fixture_lost],
    live_events.key: [identities_unique, score_agrees],
}


def matchday_check(asset: dg.AssetKey, check: MatchdayCheck) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=asset, name=check.__name__, description=check.__doc__)
    def asset_check(
        context: dg.AssetCheckExecutionContext, mongo: MongoResource
    ) -> dg.AssetCheckResult:
        store = MatchdayStore(mongo.database)
        days = days_to_check(context, store)
        return dg.AssetCheckResult(**evaluate(check, store, days))

    return asset_check


def days_to_check(context: dg.AssetCheckExecutionContext, store: MatchdayStore) -> list[date]:
    """The matchdays of the run's partitions; without partitions, those in play."""
    run = context.op_execution_context
    if run.has_partition_key or run.has_partition_key_range:
        return [matchday_of(key) for key in run.partition_keys]
    return store.matchdays_being_played()


def evaluate(check: MatchdayCheck, store: MatchdayStore, days: Sequence[date]) -> dict[str, Any]:
    findings = {day.isoformat(): check(store, day) for day in days}
    return {
        "passed": all(finding.passed for finding in findings.values()),
        "description": "; ".join(f"{day}: {found.summary}" for day, found in findings.items()),
        "metadata": {day: finding.details for day, finding in findings.items()},
    }


def check_evaluations(
    store: MatchdayStore, asset: dg.AssetKey, days: Sequence[date]
) -> list[dg.AssetCheckEvaluation]:
    """The same checks, evaluated outside a run, for a sensor to report.

    They carry no partition: outside runs, Dagster keeps one evaluation per check and partition
    and refuses the next one.
    """
    return [
        dg.AssetCheckEvaluation(
            asset_key=asset, check_name=check.__name__, **evaluate(check, store, days)
        )
        for check in CHECKS[asset]
    ]


@dg.asset_check(
    asset=fixtures,
    name="stores_healthy",
    description="MongoDB and S3 answer, and S3 gives back what was written.",
)
def stores_healthy(mongo: MongoResource, s3: S3ClipsResource) -> dg.AssetCheckResult:
    health = {"mongo": mongo.health(), "s3": s3.health()}
    return dg.AssetCheckResult(
        passed=all(one.ok for one in health.values()),
        metadata={name: one.detail for name, one in health.items()},
    )


matchday_checks = [
    *(matchday_check(key, check) for key, checks in CHECKS.items() for check in checks),
    stores_healthy,
]
