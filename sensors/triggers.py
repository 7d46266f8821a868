"""Sensors of triggers: one stores and evaluates snapshots, another notifies subscribers, so that a
subscriber that hangs does not delay the evaluation (T12)."""

from datetime import date

import dagster as dg

from footy_assets.settings import Settings
from footy_assets.triggers.assets import (
    STILL_LIVE,
    live_metadata,
    match_snapshots,
    snapshots_metadata,
    trigger_activations,
)
from footy_assets.triggers.evaluate import Evaluator, WarmEngine
from footy_assets.triggers.notify import Notifier
from footy_assets.triggers.store.outbox import Outbox
from footy_assets.triggers.store.snapshots import SnapshotStore
from footy_assets.triggers.subscribers import Subscribers
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource

INTERVAL_SECONDS = 5
# Plus the timeout of one delivery, a tick stays far below 60 s.
NOTIFY_WITHIN = 15.0


def trigger_stages_sensor(settings: Settings) -> dg.SensorDefinition:
    warm: dict[str, WarmEngine] = {}

    @dg.sensor(
        name="trigger_stages",
        target=[match_snapshots, trigger_activations],
        minimum_interval_seconds=settings.sensor_interval(INTERVAL_SECONDS),
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Stores the snapshots that polls produced, evaluates triggers on them (T15), and "
            "reports changes as materializations."
        ),
    )
    def trigger_stages(
        context: dg.SensorEvaluationContext, mongo: MongoResource, clock: ClockResource
    ) -> dg.SensorResult:
        database, time = mongo.database, clock.clock()
        snapshots = SnapshotStore(database)
        stored = snapshots.store_from_fixtures(since=(time.now() - STILL_LIVE).date().isoformat())
        result = Evaluator(database, time, warm).run()
        for failure in result.failures:
            context.log.warning(failure)
        events: list[dg.AssetMaterialization] = []
        for day in sorted(day for day, new in stored.items() if new):
            metadata = {**snapshots_metadata(database, date.fromisoformat(day)), "new": stored[day]}
            events.append(dg.AssetMaterialization(match_snapshots.key, None, metadata, day))
        if result.activations or result.retractions:
            for day in snapshots.matchdays_of(result.scopes):
                metadata = live_metadata(database, date.fromisoformat(day))
                events.append(dg.AssetMaterialization(trigger_activations.key, None, metadata, day))
        return dg.SensorResult(
            skip_reason=(
                f"{sum(stored.values())} stored, {result.snapshots} evaluated, "
                f"{result.activations} fired"
            ),
            asset_events=events,
        )

    return trigger_stages


def trigger_notifications_sensor(settings: Settings) -> dg.SensorDefinition:
    @dg.sensor(
        name="trigger_notifications",
        target=[trigger_activations],
        minimum_interval_seconds=settings.sensor_interval(INTERVAL_SECONDS),
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Notifies subscribers of triggers that fired, in order and with retries (T12).",
    )
    def trigger_notifications(
        context: dg.SensorEvaluationContext, mongo: MongoResource, clock: ClockResource
    ) -> dg.SkipReason:
        database = mongo.database
        subscribers = Subscribers(database, private_addresses=settings.notify_private_addresses)
        counts = Notifier(Outbox(database), subscribers, clock.clock()).run(NOTIFY_WITHIN)
        if counts.failed:
            context.log.warning(f"{counts.failed} deliveries failed, {counts.dead} given up")
        return dg.SkipReason(f"{counts.delivered} delivered, {counts.failed} failed")

    return trigger_notifications
