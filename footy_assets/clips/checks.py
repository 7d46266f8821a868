"""Asset checks of `clips`: of one goal after its run, or of all goals."""

import dagster as dg

from footy_assets.clips.assets import clips
from footy_assets.clips.audit import CHECKS, WARN_ONLY, Check
from footy_assets.clips.store.clips import ClipDocuments
from resources.mongo.resource import MongoResource
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


clip_checks = [clip_check(evaluate) for evaluate in CHECKS]
