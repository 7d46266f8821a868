"""Jobs on clips: download and publish, operators' actions, and retention."""

import dagster as dg

from footy_assets.clips import operator_actions
from footy_assets.clips.assets import clips
from footy_assets.clips.removed_goals import (
    delete_clips_of_removed_goals,
    relabel_clips_of_renamed_goals,
)
from footy_assets.clips.resource import ClipWorkResource
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.clips.work import ClipWork
from footy_assets.matchday.retention import delete_expired
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.store.retention import RetentionStore
from footy_assets.operator_actions import OperatorAction
from footy_assets.operator_runs import operator_action
from footy_assets.policies import deadlines, fixture_deletions
from footy_assets.queue_names import CLIPS_QUEUE
from footy_assets.run_labels import QUEUE_TAG, label_run
from footy_assets.runs import prune_runs
from footy_assets.store.leases import Leases
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource
from resources.policy import PolicyResource
from resources.s3.resource import S3ClipsResource

clips_job = dg.define_asset_job(
    "fetch_clips",
    selection=dg.AssetSelection.assets(clips),
    tags={QUEUE_TAG: CLIPS_QUEUE},
    description="Download, validate, compare and store the chosen videos of one goal.",
)


class OneGoal(dg.Config):
    """`event` is an event id, for example 5000_40_234_Goal_1."""

    event: str
    why: str


class OneClip(dg.Config):
    clip_id: str
    why: str


def goal_action(
    context: dg.OpExecutionContext,
    config: OneGoal,
    mongo: MongoResource,
    clip_work: ClipWorkResource,
    label: str,
) -> tuple[ClipWork, OperatorAction, GoalEvent]:
    label_run(context, f"{label}-{config.event}")
    work = clip_work.work
    goal = work.documents.goals.require(config.event)
    return work, operator_action(context, mongo.database, work.clock, config.why), goal


@dg.op(description="Validate a goal's stored clips again, and remove those that fail.")
def judge_again(
    context: dg.OpExecutionContext,
    config: OneGoal,
    mongo: MongoResource,
    clip_work: ClipWorkResource,
) -> None:
    work, by, goal = goal_action(context, config, mongo, clip_work, "revalidate")
    results = operator_actions.revalidate(work, by, goal, context.run_id, context.log.info)
    context.add_output_metadata(
        {"judged": len(results), "removed": sum(r.accepted is False for r in results)}
    )


@dg.op(description="H6: rank a goal's clips again.")
def rank_again(
    context: dg.OpExecutionContext,
    config: OneGoal,
    mongo: MongoResource,
    clip_work: ClipWorkResource,
) -> None:
    work, by, goal = goal_action(context, config, mongo, clip_work, "rerank")
    context.add_output_metadata({"clips": len(operator_actions.rerank(work, by, goal))})


@dg.op(description="Remove a stored clip; later searches refuse its footage.")
def take_clip_away(
    context: dg.OpExecutionContext,
    config: OneClip,
    mongo: MongoResource,
    clip_work: ClipWorkResource,
) -> None:
    label_run(context, f"remove-{config.clip_id}")
    work = clip_work.work
    by = operator_action(context, mongo.database, work.clock, config.why)
    context.add_output_metadata({"key": operator_actions.remove_clip(work, by, config.clip_id).key})


@dg.job(description="Validate a goal's stored clips again, and remove those that fail.")
def revalidate_goal() -> None:
    judge_again()


@dg.job(description="Rank a goal's clips again.")
def rerank_goal() -> None:
    rank_again()


@dg.job(description="Remove a stored clip; later searches refuse its footage.")
def remove_clip() -> None:
    take_clip_away()


@dg.op(description="E6: delete the clips of removed goals; their tombstones stay.")
def clear_removed_goals(
    context: dg.OpExecutionContext, mongo: MongoResource, s3: S3ClipsResource, clock: ClockResource
) -> None:
    documents, leases = ClipDocuments(mongo.database), Leases(mongo.database)
    store = RetentionStore(mongo.database)
    deleted = delete_clips_of_removed_goals(store, documents, leases, s3.store, clock.clock())
    context.log.info(f"{deleted} objects of removed goals deleted")


@dg.op(
    ins={"after": dg.In(dg.Nothing)},
    description="E5: write the new event id to the clips of renamed goals; keys stay.",
)
def restamp_renamed_goals(
    context: dg.OpExecutionContext, mongo: MongoResource, s3: S3ClipsResource
) -> None:
    relabelled = relabel_clips_of_renamed_goals(ClipDocuments(mongo.database), s3.store)
    context.log.info(f"{relabelled} clips of renamed goals restamped")


@dg.op(
    ins={"after": dg.In(dg.Nothing)},
    description="F9: delete expired matches: marks, objects, documents.",
)
def retire_matches(
    context: dg.OpExecutionContext,
    mongo: MongoResource,
    s3: S3ClipsResource,
    clock: ClockResource,
    policy: PolicyResource,
) -> None:
    database, keep = mongo.database, deadlines(policy.as_settings()).retention
    store, deletions = RetentionStore(database), fixture_deletions(database)
    report = delete_expired(store, s3.store, clock.clock(), keep, deletions)
    context.add_output_metadata(
        {"fixtures": report.fixtures, "events": report.events, "objects": report.objects}
    )


@dg.op(ins={"after": dg.In(dg.Nothing)}, description="Delete old runs and their files.")
def prune_old_runs(
    context: dg.OpExecutionContext, clock: ClockResource, policy: PolicyResource
) -> None:
    keep = deadlines(policy.as_settings()).retention
    context.add_output_metadata({"runs": prune_runs(context.instance, clock.clock().now() - keep)})


@dg.job(
    name="retention",
    description="Delete matches that ended more than FOOTY_RETENTION_DAYS ago, and old runs.",
)
def retention_job() -> None:
    cleared = restamp_renamed_goals(after=clear_removed_goals())
    prune_old_runs(after=retire_matches(after=cleared))
