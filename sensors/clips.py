"""Sensors of clips: one requests runs for goals with new videos, another requests retention."""

import dagster as dg

from footy_assets.clips.jobs import clips_job, retention_job
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.matchday.store.goals import GoalStore
from footy_assets.matchday.store.retention import RetentionStore
from footy_assets.policies import deadlines
from footy_assets.run_labels import EVENT_TAG, LABEL_TAG, WORK_TAG, clips_label, retention_label
from footy_assets.runs import has_active_run
from footy_assets.search.store.videos import VideoStore
from footy_assets.settings import Settings
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource

INTERVAL_SECONDS = 5
RETENTION_INTERVAL_SECONDS = 60
MAX_REQUESTS = 8


def clips_due_sensor(settings: Settings) -> dg.SensorDefinition:
    @dg.sensor(
        name="clips_due",
        job=clips_job,
        minimum_interval_seconds=settings.sensor_interval(INTERVAL_SECONDS),
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Requests a run for every goal with new videos, one at a time for each goal.",
    )
    def clips_due(context: dg.SensorEvaluationContext, mongo: MongoResource) -> dg.SensorResult:
        goals, videos = GoalStore(mongo.database), VideoStore(mongo.database)
        known = set(context.instance.get_dynamic_partitions("goals"))
        requests = []
        for goal_key in videos.goals_with_waiting():
            goal = goals.get(goal_key)
            if goal is None or not goal.live or goal.event_id not in known:
                continue
            if has_active_run(context.instance, clips_job.name, {EVENT_TAG: goal_key}):
                continue
            label = clips_label(goals.fixture_of(goal), goal, videos.count_waiting(goal_key))
            requests.append(
                dg.RunRequest(
                    partition_key=goal.event_id,
                    tags={EVENT_TAG: goal_key, WORK_TAG: "clips", LABEL_TAG: label},
                )
            )
            if len(requests) == MAX_REQUESTS:
                break
        skip = None if requests else "no new videos"
        return dg.SensorResult(run_requests=requests, skip_reason=skip)

    return clips_due


def retention_sensor(settings: Settings) -> dg.SensorDefinition:
    keep = deadlines(settings).retention

    @dg.sensor(
        name="retention",
        job=retention_job,
        minimum_interval_seconds=RETENTION_INTERVAL_SECONDS,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Requests a retention run when matches expire or removed goals have objects.",
    )
    def retention(
        context: dg.SensorEvaluationContext, mongo: MongoResource, clock: ClockResource
    ) -> dg.RunRequest | dg.SkipReason:
        now, store = clock.clock().now(), RetentionStore(mongo.database)
        due = (
            store.expired(now, keep)
            or store.removed_goals_with_objects()
            or ClipDocuments(mongo.database).clips_of_renamed_goals()
        )
        if not due:
            return dg.SkipReason("nothing to delete")
        if has_active_run(context.instance, retention_job.name):
            return dg.SkipReason("a retention run is active")
        return dg.RunRequest(
            run_key=f"{now:%Y-%m-%dT%H:%M:%S}", tags={LABEL_TAG: retention_label(now)}
        )

    return retention
