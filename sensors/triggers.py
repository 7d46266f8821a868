"""Sensors of triggers: one stores and evaluates snapshots, another notifies subscribers, so that a
subscriber that hangs does not delay the evaluation (T12)."""

from collections.abc import Sequence
from datetime import date

import dagster as dg
from pymongo.database import Database

from footy_assets.clips.rules.keys import watch_path
from footy_assets.clips.store.announcements import Announcements
from footy_assets.settings import Settings
from footy_assets.store.collections import Document
from footy_assets.triggers.announce import announce_clips
from footy_assets.triggers.assets import (
    STILL_LIVE,
    live_metadata,
    match_snapshots,
    snapshots_metadata,
    trigger_activations,
)
from footy_assets.triggers.evaluate import Evaluator, WarmEngine
from footy_assets.triggers.follow import make_follow_triggers
from footy_assets.triggers.messages import Messages
from footy_assets.triggers.notify import Notifier
from footy_assets.triggers.rules.clip_moments import PublishedClip
from footy_assets.triggers.store.outbox import Outbox
from footy_assets.triggers.store.snapshots import SnapshotStore
from footy_assets.triggers.subscribers import Subscribers, open_channels
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
        # T24: before the first trigger may fire.
        Outbox(database).subscribe_searches(time.now())
        snapshots = SnapshotStore(database)
        since = (time.now() - STILL_LIVE).date()
        make_follow_triggers(database, time.now())
        stored = snapshots.store_from_fixtures(since=since.isoformat())
        announce_published(database, settings.gallery_url, since)
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


def announce_published(
    database: Database[Document], gallery_url: str, live_since: date
) -> Sequence[str]:
    """T18: the clips room marks what it publishes; here it becomes snapshots."""
    announcements = Announcements(database)
    waiting = announcements.waiting()
    published = [
        PublishedClip(
            id=clip["_id"],
            goal_key=clip["goal_key"],
            verified=clip["verified"],
            stored_at=clip["stored_at"],
            link=gallery_url + watch_path(clip["public_key"]),
        )
        for clip in waiting
    ]
    stored = announce_clips(database, published, live_since)
    announcements.mark_announced(waiting)
    return stored


def trigger_notifications_sensor(settings: Settings) -> dg.SensorDefinition:
    private = settings.notify_private_addresses
    # One for all ticks: its process is started at the first message.
    channels = open_channels(private_addresses=private)

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
        subscribers = Subscribers(database, channels, private_addresses=private)
        describe = Messages(database, settings.gallery_url).describe
        notifier = Notifier(Outbox(database), subscribers, clock.clock(), describe)
        counts = notifier.run(NOTIFY_WITHIN)
        if counts.failed:
            context.log.warning(f"{counts.failed} deliveries failed, {counts.dead} given up")
        return dg.SkipReason(f"{counts.delivered} delivered, {counts.failed} failed")

    return trigger_notifications
