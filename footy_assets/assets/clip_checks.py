"""Asset checks of `clips`: asked after each run of a goal, or by hand of all goals."""

import dagster as dg

from footy_assets.assets.clips import clips
from footy_assets.operations.clip_audit import ONLY_WARN, QUESTIONS, Question
from footy_assets.store.clips import ClipDocuments
from resources.mongo import MongoResource
from resources.s3 import S3ClipsResource


def clip_check(question: Question) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=clips, name=question.__name__, description=question.__doc__)
    def check(
        context: dg.AssetCheckExecutionContext, mongo: MongoResource, s3: S3ClipsResource
    ) -> dg.AssetCheckResult:
        documents = ClipDocuments(mongo.database)
        run = context.op_execution_context
        names = run.partition_keys if run.has_partition_key else None
        goals = documents.goals_with_clips(names)
        findings = {goal.event_id: question(documents, s3.store, goal) for goal in goals}
        wrong = {name: found for name, found in findings.items() if not found.passed}
        told = wrong or findings
        summary = "; ".join(f"{name}: {found.summary}" for name, found in list(told.items())[:5])
        return dg.AssetCheckResult(
            passed=not wrong,
            severity=(
                dg.AssetCheckSeverity.WARN if question in ONLY_WARN else dg.AssetCheckSeverity.ERROR
            ),
            description=summary or "no clips yet",
            metadata={"goals": len(findings), "wrong": len(wrong)}
            | {name: found.details for name, found in list(told.items())[:5]},
        )

    return check


clip_checks = [clip_check(question) for question in QUESTIONS]
