"""Sensors of clips: one requests runs for goals with new videos, another requests retention."""

from datetime import timedelta

import dagster as dg

from footy_assets.clips.due import goals_due, is_retention_due, overdue_held
from footy_assets.clips.jobs import clips_job, retention_job
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.clips.store.held import HeldFiles
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.store.goals import GoalStore
from footy_assets.matchday.store.retention import RetentionStore
from footy_assets.policies import deadlines
from footy_assets.run_labels import (
    EVENT_TAG,
    LABEL_TAG,
    PRIORITY_TAG,
    TRACE_TAG,
    WORK_TAG,
    clips_label,
    retention_label,
)
from footy_assets.runs import has_active_run
from footy_assets.search.store.videos import VideoStore
from footy_assets.settings import Settings
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource
from resources.policy import PolicyResource

INTERVAL_SECONDS = 5
RETENTION_INTERVAL_SECONDS = 60
MAX_REQUESTS = 8
# SE8: in real time, after which a run publishes what the tick that made a goal stable has not.
PUBLISHED_WITHIN = timedelta(seconds=15)
# SE9: before the runs of other goals, after searches.
PREFERRED_PRIORITY = "5"
# A goal with a clip leaves the next free place to one without any.
SERVED_PRIORITY = "-1"


def clips_due_sensor(settings: Settings) -> dg.SensorDefinition:
    @dg.sensor(
        name="clips_due",
        job=clips_job,
        minimum_interval_seconds=settings.sensor_interval(INTERVAL_SECONDS),
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Requests a run for every goal with new videos, one at a time for each goal; those "
            "that somebody waits for first. Also for held ones of a stable goal (SE8)."
        ),
    )
    def clips_due(
        context: dg.SensorEvaluationContext, mongo: MongoResource, clock: ClockResource
    ) -> dg.SensorResult:
        goals, videos = GoalStore(mongo.database), VideoStore(mongo.database)
        time = clock.clock()
        stable_before = time.now() - PUBLISHED_WITHIN * time.speed
        held = HeldFiles(mongo.database)
        overdue = overdue_held(goals, held, stable_before)
        served = {*ClipDocuments(mongo.database).goal_keys(), *held.goals()}
        partitions = set(context.instance.get_dynamic_partitions("goals"))

        def has_run(goal: GoalEvent) -> bool:
            return has_active_run(context.instance, clips_job.name, {EVENT_TAG: goal.key})

        requests = []
        for due in goals_due(goals, videos, partitions, has_run, MAX_REQUESTS, overdue, served):
            goal = due.goal
            label = clips_label(goals.fixture_of(goal), goal, videos.count_waiting(goal.key))
            tags = {EVENT_TAG: goal.key, WORK_TAG: "clips", LABEL_TAG: label}
            if goal.traceparent is not None:
                tags[TRACE_TAG] = goal.traceparent
            if due.preferred:
                tags[PRIORITY_TAG] = PREFERRED_PRIORITY
            elif due.served:
                tags[PRIORITY_TAG] = SERVED_PRIORITY
            requests.append(dg.RunRequest(partition_key=goal.event_id, tags=tags))
        skip = None if requests else "no new videos"
        return dg.SensorResult(run_requests=requests, skip_reason=skip)

    return clips_due


def retention_sensor(settings: Settings) -> dg.SensorDefinition:
    @dg.sensor(
        name="retention",
        job=retention_job,
        minimum_interval_seconds=RETENTION_INTERVAL_SECONDS,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Requests a retention run when matches expire or removed goals have objects.",
    )
    def retention(
        context: dg.SensorEvaluationContext,
        mongo: MongoResource,
        clock: ClockResource,
        policy: PolicyResource,
    ) -> dg.RunRequest | dg.SkipReason:
        now, database = clock.clock().now(), mongo.database
        keep = deadlines(policy.as_settings()).retention
        if not is_retention_due(RetentionStore(database), ClipDocuments(database), now, keep):
            return dg.SkipReason("nothing to delete")
        if has_active_run(context.instance, retention_job.name):
            return dg.SkipReason("a retention run is active")
        return dg.RunRequest(
            run_key=f"{now:%Y-%m-%dT%H:%M:%S}", tags={LABEL_TAG: retention_label(now)}
        )

    return retention
