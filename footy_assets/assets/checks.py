"""Asset checks: the audit's questions, asked of each matchday, and the servers' health."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import dagster as dg

from footy_assets.assets.fixtures import fixtures
from footy_assets.assets.live_events import live_events
from footy_assets.assets.partitions import matchday_of
from footy_assets.operations.audit import (
    Finding,
    identities_unique,
    no_fixture_lost,
    score_agrees,
)
from footy_assets.store.matchdays import MatchdayStore
from resources.mongo import MongoResource
from resources.s3 import S3ClipsResource

Question = Callable[[MatchdayStore, date], Finding]

QUESTIONS: dict[dg.AssetKey, list[Question]] = {
    fixtures.key: [no_fixture_lost],
    live_events.key: [identities_unique, score_agrees],
}


def matchday_check(asset: dg.AssetKey, question: Question) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=asset, name=question.__name__, description=question.__doc__)
    def check(context: dg.AssetCheckExecutionContext, mongo: MongoResource) -> dg.AssetCheckResult:
        store = MatchdayStore(mongo.database)
        days = days_in_question(context, store)
        return dg.AssetCheckResult(**answers(question, store, days))

    return check


def days_in_question(context: dg.AssetCheckExecutionContext, store: MatchdayStore) -> list[date]:
    """The matchdays of the run; asked by hand, without a partition, those being played."""
    run = context.op_execution_context
    if run.has_partition_key or run.has_partition_key_range:
        return [matchday_of(key) for key in run.partition_keys]
    return store.matchdays_being_played()


def answers(question: Question, store: MatchdayStore, days: Sequence[date]) -> dict[str, Any]:
    findings = {day.isoformat(): question(store, day) for day in days}
    return {
        "passed": all(finding.passed for finding in findings.values()),
        "description": "; ".join(f"{day}: {found.summary}" for day, found in findings.items()),
        "metadata": {day: finding.details for day, finding in findings.items()},
    }


def evaluations(
    store: MatchdayStore, asset: dg.AssetKey, days: Sequence[date]
) -> list[dg.AssetCheckEvaluation]:
    """The same questions, answered outside a run: for what a sensor reports.

    They carry no partition: Dagster keeps one evaluation per check and partition outside runs,
    and refuses the next.
    """
    return [
        dg.AssetCheckEvaluation(
            asset_key=asset, check_name=question.__name__, **answers(question, store, days)
        )
        for question in QUESTIONS[asset]
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
    *(matchday_check(key, question) for key, asked in QUESTIONS.items() for question in asked),
    stores_healthy,
]
