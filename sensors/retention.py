"""When something is due to be forgotten."""

import dagster as dg

from footy_assets.assets.jobs import retention_job
from footy_assets.assets.labels import LABEL_TAG, retention_label
from footy_assets.assets.runs import under_way
from footy_assets.operations.rules import rules
from footy_assets.settings import Settings
from footy_assets.store.clips import ClipDocuments
from footy_assets.store.retention import RetentionStore
from resources.clock import ClockResource
from resources.mongo import MongoResource

LOOK_EVERY_SECONDS = 60


def retention_sensor(settings: Settings) -> dg.SensorDefinition:
    @dg.sensor(
        name="retention",
        job=retention_job,
        minimum_interval_seconds=LOOK_EVERY_SECONDS,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Asks for a retention run when matches expired or removed goals left objects.",
    )
    def retention(
        context: dg.SensorEvaluationContext, mongo: MongoResource, clock: ClockResource
    ) -> dg.RunRequest | dg.SkipReason:
        now, store = clock.clock().now(), RetentionStore(mongo.database)
        due = (
            store.expired(now, rules(settings).deadlines.retention)
            or store.removed_with_objects()
            or ClipDocuments(mongo.database).under_a_former_name()
        )
        if not due:
            return dg.SkipReason("nothing to forget")
        if under_way(context.instance, retention_job.name):
            return dg.SkipReason("a retention run is under way")
        return dg.RunRequest(
            run_key=f"{now:%Y-%m-%dT%H:%M:%S}", tags={LABEL_TAG: retention_label(now)}
        )

    return retention
