"""Asset checks of `clips`: of one goal after its run, or of all goals; and of matchdays."""

from collections.abc import Iterable
from datetime import date
from typing import Any

import dagster as dg
from pymongo.database import Database

from footy_assets.clips.assets import clips
from footy_assets.clips.audit import CHECKS, WARN_ONLY, Check
from footy_assets.clips.coverage import days_of_goals, goals_have_clips
from footy_assets.clips.rules.coverage import CoverageTarget
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.clips.store.coverage import CoverageStore
from footy_assets.policies import coverage_target
from footy_assets.store.collections import Document
from resources.mongo.resource import MongoResource
from resources.policy import PolicyResource
from resources.s3.resource import S3ClipsResource

REPORTED_GOALS = 5


def clip_check(evaluate: Check) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=clips, name=evaluate.__name__, description=evaluate.__doc__)
    def check(
        context: dg.AssetCheckExecutionContext, mongo: MongoResource, s3: S3ClipsResource
    ) -> dg.AssetCheckResult:
        documents = ClipDocuments(mongo.database)
        run = context.op_execution_context
        names = run.partition_keys if run.has_partition_key else None
        goals = documents.goals_with_clips(names)
        findings = {goal.event_id: evaluate(documents, s3.store, goal) for goal in goals}
        wrong = {name: found for name, found in findings.items() if not found.passed}
        reported = list((wrong or findings).items())[:REPORTED_GOALS]
        summary = "; ".join(f"{name}: {found.summary}" for name, found in reported)
        return dg.AssetCheckResult(
            passed=not wrong,
            severity=(
                dg.AssetCheckSeverity.WARN if evaluate in WARN_ONLY else dg.AssetCheckSeverity.ERROR
            ),
            description=summary or "no clips yet",
            metadata={"goals": len(findings), "wrong": len(wrong)}
            | {name: found.details for name, found in reported},
        )

    return check


def evaluate_coverage(
    store: CoverageStore, days: Iterable[date], target: CoverageTarget
) -> dict[str, Any]:
    found = goals_have_clips(store, days, target)
    return {
        "passed": found.passed,
        "severity": dg.AssetCheckSeverity.WARN,
        "description": found.summary,
        "metadata": found.details,
    }


def coverage_evaluation(
    database: Database[Document], days: Iterable[date], target: CoverageTarget
) -> dg.AssetCheckEvaluation:
    """For the live poll: a day without any clip has no run of this asset."""
    return dg.AssetCheckEvaluation(
        asset_key=clips.key,
        check_name=goals_have_clips.__name__,
        **evaluate_coverage(CoverageStore(database), days, target),
    )


@dg.asset_check(asset=clips, name=goals_have_clips.__name__, description=goals_have_clips.__doc__)
def coverage_check(
    context: dg.AssetCheckExecutionContext, mongo: MongoResource, policy: PolicyResource
) -> dg.AssetCheckResult:
    run, store = context.op_execution_context, CoverageStore(mongo.database)
    days = days_of_goals(store, run.partition_keys if run.has_partition_key else None)
    target = coverage_target(policy.as_settings())
    return dg.AssetCheckResult(**evaluate_coverage(store, days, target))


clip_checks = [*(clip_check(evaluate) for evaluate in CHECKS), coverage_check]
