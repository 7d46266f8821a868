"""The stages of triggers, whenever something waits. Subscribers are told by a sensor of its own:
one that hangs holds no evaluation up (T12)."""

from datetime import date

import dagster as dg

from footy_assets.assets.triggers import (
    STILL_LIVE,
    live_metadata,
    match_snapshots,
    snapshots_metadata,
    trigger_activations,
)
from footy_assets.operations.triggers import (
    NOTIFICATION_POLICY,
    Evaluator,
    Notifier,
    Warm,
)
from footy_assets.settings import Settings
from footy_assets.store.trigger_outbox import Outbox
from footy_assets.store.trigger_snapshots import SnapshotStore
from resources.clock import ClockResource
from resources.mongo import MongoResource
from resources.trigger_subscribers import Subscribers

LOOK_EVERY_SECONDS = 5
# With one more delivery that hangs, a tick stays far below 60 s.
NOTIFY_WITHIN = 15.0


def trigger_stages_sensor(settings: Settings) -> dg.SensorDefinition:
    warm: dict[str, Warm] = {}

    @dg.sensor(
        name="trigger_stages",
        target=[match_snapshots, trigger_activations],
        minimum_interval_seconds=LOOK_EVERY_SECONDS if settings.speed == 1 else 1,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Stores what polls saw and evaluates it (T15); reports what changed as "
            "materializations."
        ),
    )
    def trigger_stages(
        context: dg.SensorEvaluationContext, mongo: MongoResource, clock: ClockResource
    ) -> dg.SensorResult:
        database, time = mongo.database, clock.clock()
        snapshots = SnapshotStore(database)
        stored = snapshots.take_over(since=(time.now() - STILL_LIVE).date().isoformat())
        done = Evaluator(database, time, warm).run()
        for failure in done.failures:
            context.log.warning(failure)
        events: list[dg.AssetMaterialization] = []
        for day in sorted(day for day, new in stored.items() if new):
            metadata = {**snapshots_metadata(database, date.fromisoformat(day)), "new": stored[day]}
            events.append(dg.AssetMaterialization(match_snapshots.key, None, metadata, day))
        if done.activations or done.retractions:
            for day in snapshots.matchdays_of(done.scopes):
                metadata = live_metadata(database, date.fromisoformat(day))
                events.append(dg.AssetMaterialization(trigger_activations.key, None, metadata, day))
        return dg.SensorResult(
            skip_reason=(
                f"{sum(stored.values())} stored, {done.snapshots} evaluated, "
                f"{done.activations} fired"
            ),
            asset_events=events,
        )

    return trigger_stages


def trigger_notifications_sensor(settings: Settings) -> dg.SensorDefinition:
    @dg.sensor(
        name="trigger_notifications",
        target=[trigger_activations],
        minimum_interval_seconds=LOOK_EVERY_SECONDS if settings.speed == 1 else 1,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Tells subscribers what fired, with retries, each in order (T12).",
    )
    def trigger_notifications(
        context: dg.SensorEvaluationContext, mongo: MongoResource, clock: ClockResource
    ) -> dg.SkipReason:
        database = mongo.database
        outbox = Outbox(database, NOTIFICATION_POLICY)
        told = Notifier(outbox, Subscribers(database), clock.clock()).run(NOTIFY_WITHIN)
        if told.failed:
            context.log.warning(f"{told.failed} deliveries failed, {told.dead} given up")
        return dg.SkipReason(f"{told.delivered} told, {told.failed} failed")

    return trigger_notifications
