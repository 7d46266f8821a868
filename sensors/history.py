"""Sensors of past seasons: runs for due documents, alerts for stalled seasons, backfills."""

from functools import partial

import dagster as dg

from footy_assets.dagster_internals import backfill_request, find_backfill
from footy_assets.history.alerts import compare_stalled
from footy_assets.history.assets import ASSET_OF, SEASON_TAG, league_seasons
from footy_assets.history.backfills import backfills_to_launch
from footy_assets.history.checks import not_stalled, result_fields, stalled_problems
from footy_assets.history.due import seasons_due
from footy_assets.history.jobs import source_history_job
from footy_assets.history.progress import log_stalled, stalled_seasons
from footy_assets.history.rules.tiers import Tier
from footy_assets.history.store.documents import SeasonRecord
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.matchday.assets import fixtures, live_events
from footy_assets.policies import history_rules
from footy_assets.run_labels import LABEL_TAG, PRIORITY_TAG
from footy_assets.runs import has_active_run
from footy_assets.settings import Settings
from footy_assets.store.leases import Leases
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource
from resources.policy import PolicyResource

INTERVAL_SECONDS = 5
BACKFILL_INTERVAL_SECONDS = 15
# Concurrent seasons: the rest of the run queue is for the live pipeline.
MAX_SEASONS = 1
BACKFILL_TAG = "footy/season_backfill"
BELOW_LIVE_PRIORITY = "-10"


def history_due_sensor(settings: Settings) -> dg.SensorDefinition:
    @dg.sensor(
        name="history_due",
        job=source_history_job,
        minimum_interval_seconds=settings.sensor_interval(INTERVAL_SECONDS),
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Requests a run for a past season with documents due, one season at a time, and "
            "alerts when a season is stalled (Y4, Y5)."
        ),
    )
    def history_due(
        context: dg.SensorEvaluationContext,
        mongo: MongoResource,
        clock: ClockResource,
        policy: PolicyResource,
    ) -> dg.SensorResult:
        time, store = clock.clock(), HistoryStore(mongo.database)
        rules = history_rules(policy.as_settings())
        known = set(context.instance.get_dynamic_partitions("league_seasons"))
        missing = [str(one.key) for one in store.seasons() if str(one.key) not in known]
        partitions = [league_seasons.build_add_request(missing)] if missing else []
        stalled = stalled_seasons(store, time.now(), rules)
        alerts = compare_stalled(stalled, context.cursor)
        for one in alerts.new:
            log_stalled(one, time.now())
        due = seasons_due(store, Leases(mongo.database), time.now())
        busy = bool(due) and has_active_run(context.instance, source_history_job.name)
        requests = [] if busy else [_request(one) for one in due[:MAX_SEASONS]]
        return dg.SensorResult(
            run_requests=requests,
            skip_reason=None if requests else f"{len(due)} seasons have documents due",
            cursor=alerts.cursor,
            dynamic_partitions_requests=partitions,
            asset_events=[
                dg.AssetCheckEvaluation(
                    asset_key=ASSET_OF[Tier.SEASON],
                    check_name=next(iter(not_stalled.check_keys)).name,
                    **result_fields(stalled_problems(stalled, time.now(), rules)),
                )
            ]
            if alerts.changed
            else [],
        )

    return history_due


def _request(record: SeasonRecord) -> dg.RunRequest:
    key = str(record.key)
    return dg.RunRequest(
        partition_key=key,
        tags={SEASON_TAG: key, LABEL_TAG: f"history-{key}", PRIORITY_TAG: BELOW_LIVE_PRIORITY},
    )


def season_backfill_sensor(settings: Settings) -> dg.SensorDefinition:
    @dg.sensor(
        name="season_backfill",
        asset_selection=dg.AssetSelection.assets(fixtures, live_events),
        minimum_interval_seconds=settings.sensor_interval(BACKFILL_INTERVAL_SECONDS),
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Launches one backfill for all matchdays of a requested season (Y11).",
    )
    def season_backfill(
        context: dg.SensorEvaluationContext, mongo: MongoResource
    ) -> dg.SensorResult:
        requests = []
        for wanted in backfills_to_launch(
            HistoryStore(mongo.database), partial(find_backfill, context.instance, BACKFILL_TAG)
        ):
            tags = {
                BACKFILL_TAG: wanted.id,
                SEASON_TAG: str(wanted.key),
                PRIORITY_TAG: BELOW_LIVE_PRIORITY,
            }
            requests.append(backfill_request(context, (fixtures, live_events), wanted.days, tags))
        skip = None if requests else "no backfill is requested"
        return dg.SensorResult(run_requests=requests, skip_reason=skip)

    return season_backfill
