"""Jobs for past seasons: start, retry, advance, backfill their goals (Y5–Y7, Y11)."""

import dagster as dg

from footy_assets.history import operator_actions
from footy_assets.history.assets import ASSET_OF
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.start import start
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.operator_actions import OperatorAction
from footy_assets.operator_runs import operator_action
from footy_assets.run_labels import label_run
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource


class OneSeason(dg.Config):
    """`league` 39 and `season` 2023. `refresh` fetches everything again."""

    league: int
    season: int
    refresh: bool = False


class OneSeasonAndWhy(dg.Config):
    league: int
    season: int
    why: str


source_history_job = dg.define_asset_job(
    "source_history",
    selection=dg.AssetSelection.assets(*ASSET_OF.values()),
    description="Fetch the due documents of all tiers of a past season.",
)


@dg.op(description="Y7: start a season; the `history_due` sensor continues it.")
def begin_season(
    context: dg.OpExecutionContext, config: OneSeason, mongo: MongoResource, clock: ClockResource
) -> None:
    key = LeagueSeason(config.league, config.season)
    label_run(context, f"history-start-{key}")
    store = HistoryStore(mongo.database)
    record = start(store, clock.clock(), key, f"run {context.run.run_id}", config.refresh)
    context.instance.add_dynamic_partitions("league_seasons", [str(key)])
    context.add_output_metadata({"state": str(record.saga.state)})


def season_action(
    context: dg.OpExecutionContext,
    config: OneSeasonAndWhy,
    mongo: MongoResource,
    clock: ClockResource,
    doing: str,
) -> tuple[HistoryStore, OperatorAction, LeagueSeason]:
    key = LeagueSeason(config.league, config.season)
    label_run(context, f"history-{doing}-{key}")
    by = operator_action(context, mongo.database, clock.clock(), config.why)
    return HistoryStore(mongo.database), by, key


@dg.op(description="Y6: make the failed documents of a season due now.")
def retry_season(
    context: dg.OpExecutionContext,
    config: OneSeasonAndWhy,
    mongo: MongoResource,
    clock: ClockResource,
) -> None:
    store, by, key = season_action(context, config, mongo, clock, "retry")
    due = operator_actions.retry(store, by, key)
    context.add_output_metadata({"documents_due": due})


@dg.op(description="Y5: start a season's next tier by hand.")
def advance_season(
    context: dg.OpExecutionContext,
    config: OneSeasonAndWhy,
    mongo: MongoResource,
    clock: ClockResource,
) -> None:
    store, by, key = season_action(context, config, mongo, clock, "advance")
    saga = operator_actions.advance(store, by, key)
    context.add_output_metadata({"state": str(saga.state)})


@dg.op(description="Y11: request a backfill of all matchdays of a season.")
def backfill_season(
    context: dg.OpExecutionContext,
    config: OneSeasonAndWhy,
    mongo: MongoResource,
    clock: ClockResource,
) -> None:
    store, by, key = season_action(context, config, mongo, clock, "backfill")
    days = operator_actions.backfill(store, by, key)
    context.add_output_metadata({"matchdays": len(days)})


@dg.job(name="start_history", description="Load a past season, for example league 39, season 2023.")
def start_history_job() -> None:
    begin_season()


@dg.job(name="retry_history", description="Retry the failed documents of a past season.")
def retry_history_job() -> None:
    retry_season()


@dg.job(name="advance_history", description="Start the next tier of a past season by hand.")
def advance_history_job() -> None:
    advance_season()


@dg.job(name="backfill_season_goals", description="Backfill the goals of a past season.")
def backfill_season_job() -> None:
    backfill_season()


# For operators; the `history_due` sensor starts `source_history`.
history_jobs = [
    start_history_job,
    retry_history_job,
    advance_history_job,
    backfill_season_job,
]
