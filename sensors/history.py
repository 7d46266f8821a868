"""When a past season has documents to fetch, stands still, or has its goals asked for."""

from datetime import datetime

import dagster as dg

# Dagster's public API has no backfill of chosen partitions; its own automation launches them so.
from dagster._core.definitions.assets.graph.asset_graph_subset import AssetGraphSubset
from dagster._core.definitions.events import AssetKeyPartitionKey
from dagster._core.execution.backfill import BulkActionsFilter

from footy_assets.assets.fixtures import fixtures
from footy_assets.assets.history import ASSET_OF, SEASON_TAG, league_seasons
from footy_assets.assets.history_checks import answer, not_stalled, standing_still
from footy_assets.assets.history_jobs import source_history_job
from footy_assets.assets.labels import LABEL_TAG, PRIORITY_TAG
from footy_assets.assets.live_events import live_events
from footy_assets.assets.runs import under_way
from footy_assets.history.documents import writes
from footy_assets.history.tiers import Tier, started
from footy_assets.operations.history_seasons import alert, stalled_seasons
from footy_assets.operations.history_start import history_rules, lease_name
from footy_assets.settings import Settings
from footy_assets.store.history import HistoryStore
from footy_assets.store.history_documents import SeasonRecord
from footy_assets.store.leases import Leases
from resources.clock import ClockResource
from resources.mongo import MongoResource

LOOK_EVERY_SECONDS = 5
BACKFILL_EVERY_SECONDS = 15
# Seasons at once: the rest of the run queue is the live pipeline's.
SEASONS_AT_ONCE = 1
BACKFILL_TAG = "footy/season_backfill"
AFTER_LIVE = "-10"


def history_due_sensor(settings: Settings) -> dg.SensorDefinition:
    @dg.sensor(
        name="history_due",
        job=source_history_job,
        minimum_interval_seconds=LOOK_EVERY_SECONDS if settings.speed == 1 else 1,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Asks for a run for a past season with documents to fetch, one season at a time, and "
            "alerts when one stands still (Y4, Y5)."
        ),
    )
    def history_due(
        context: dg.SensorEvaluationContext, mongo: MongoResource, clock: ClockResource
    ) -> dg.SensorResult:
        time, store = clock.clock(), HistoryStore(mongo.database)
        known = set(context.instance.get_dynamic_partitions("league_seasons"))
        missing = [str(one.key) for one in store.seasons() if str(one.key) not in known]
        partitions = [league_seasons.build_add_request(missing)] if missing else []
        alerts = stalled_seasons(store, time.now(), history_rules(settings))
        known_alerts = (context.cursor or "").split()
        for one in alerts:
            if str(one.key) not in known_alerts:
                alert(one, time.now())
        stalled = " ".join(sorted(str(one.key) for one in alerts))
        leases = Leases(mongo.database)
        due = [
            one
            for one in store.unsettled()
            if _due(store, one, time.now()) and not leases.held(lease_name(one.key))
        ]
        busy = bool(due) and under_way(context.instance, source_history_job.name)
        requests = [] if busy else [_request(one) for one in due[:SEASONS_AT_ONCE]]
        return dg.SensorResult(
            run_requests=requests,
            skip_reason=None if requests else f"{len(due)} seasons have something due",
            cursor=stalled,
            dynamic_partitions_requests=partitions,
            asset_events=[
                dg.AssetCheckEvaluation(
                    asset_key=ASSET_OF[Tier.SEASON],
                    check_name=next(iter(not_stalled.check_keys)).name,
                    **answer(standing_still(alerts, time.now())),
                )
            ]
            if stalled.split() != known_alerts
            else [],
        )

    return history_due


def _due(store: HistoryStore, record: SeasonRecord, now: datetime) -> bool:
    """Y7: something is to be fetched, or what was fetched is not accounted for."""
    if record.resume_at is not None and record.resume_at > now:
        return False
    if any(tier not in record.tallies for tier in started(record.saga.state)):
        # A tier began, at the start or by hand, and nobody has planned it yet.
        return True
    next_due = store.next_due(record.key)
    if next_due is not None and next_due <= now:
        return True
    # Killed after the last document, before anybody took stock of it or wrote the tables.
    known = writes(store.documents(record.key))
    return record.reckoned != known or record.exported != known


def _request(record: SeasonRecord) -> dg.RunRequest:
    key = str(record.key)
    return dg.RunRequest(
        partition_key=key,
        tags={SEASON_TAG: key, LABEL_TAG: f"history-{key}", PRIORITY_TAG: AFTER_LIVE},
    )


def season_backfill_sensor(settings: Settings) -> dg.SensorDefinition:
    @dg.sensor(
        name="season_backfill",
        asset_selection=dg.AssetSelection.assets(fixtures, live_events),
        minimum_interval_seconds=BACKFILL_EVERY_SECONDS if settings.speed == 1 else 1,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Launches one backfill for all matchdays of a season that was asked for (Y11).",
    )
    def season_backfill(
        context: dg.SensorEvaluationContext, mongo: MongoResource
    ) -> dg.SensorResult:
        store, requests = HistoryStore(mongo.database), []
        for record in store.backfills_asked():
            assert record.backfill is not None
            asked_id = record.backfill["id"]
            launched = context.instance.get_backfills(
                filters=BulkActionsFilter(tags={BACKFILL_TAG: asked_id})
            )
            if launched:
                store.backfill_launched(record.key, asked_id, launched[0].backfill_id)
            else:
                requests.append(backfill_request(context, record))
        skip = None if requests else "no season's goals are asked for"
        return dg.SensorResult(run_requests=requests, skip_reason=skip)

    return season_backfill


def backfill_request(context: dg.SensorEvaluationContext, record: SeasonRecord) -> dg.RunRequest:
    """One Dagster backfill: its page shows how far the season's goals are."""
    assert record.backfill is not None
    assert context.repository_def is not None
    wanted = {
        AssetKeyPartitionKey(asset.key, day)
        for asset in (fixtures, live_events)
        for day in record.backfill["days"]
    }
    subset = AssetGraphSubset.from_asset_partition_set(wanted, context.repository_def.asset_graph)
    return dg.RunRequest.for_asset_graph_subset(
        asset_graph_subset=subset,
        tags={
            BACKFILL_TAG: record.backfill["id"],
            SEASON_TAG: str(record.key),
            PRIORITY_TAG: AFTER_LIVE,
        },
    )
