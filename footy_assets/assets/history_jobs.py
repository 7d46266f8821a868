"""Y5–Y7, Y11 from the Launchpad: start a season, retry, advance it, backfill its goals."""

import dagster as dg

from footy_assets.assets.asking import asked
from footy_assets.assets.history import ASSET_OF
from footy_assets.assets.labels import label_run
from footy_assets.history.key import LeagueSeason
from footy_assets.operations import history_seasons
from footy_assets.operations.by_hand import ByHand
from footy_assets.operations.history_start import start
from footy_assets.store.history import HistoryStore
from resources.clock import ClockResource
from resources.mongo import MongoResource


class OneSeason(dg.Config):
    """`league` 39 and `season` 2023. `refresh` looks at everything again."""

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
    description="Source a past season: what is due of all its tiers.",
)


@dg.op(description="Y7: begin to source a season; the `history_due` sensor goes on with it.")
def begin_season(
    context: dg.OpExecutionContext, config: OneSeason, mongo: MongoResource, clock: ClockResource
) -> None:
    key = LeagueSeason(config.league, config.season)
    label_run(context, f"history-start-{key}")
    store = HistoryStore(mongo.database)
    record = start(store, clock.clock(), key, f"run {context.run.run_id}", config.refresh)
    context.instance.add_dynamic_partitions("league_seasons", [str(key)])
    context.add_output_metadata({"state": str(record.saga.state)})


def asked_about(
    context: dg.OpExecutionContext,
    config: OneSeasonAndWhy,
    mongo: MongoResource,
    clock: ClockResource,
    doing: str,
) -> tuple[HistoryStore, ByHand, LeagueSeason]:
    key = LeagueSeason(config.league, config.season)
    label_run(context, f"history-{doing}-{key}")
    by = asked(context, mongo.database, clock.clock(), config.why)
    return HistoryStore(mongo.database), by, key


@dg.op(description="Y6: whatever failed of a season is due now.")
def retry_season(
    context: dg.OpExecutionContext,
    config: OneSeasonAndWhy,
    mongo: MongoResource,
    clock: ClockResource,
) -> None:
    store, by, key = asked_about(context, config, mongo, clock, "retry")
    due = history_seasons.retry(store, by, key)
    context.add_output_metadata({"documents_due": due})


@dg.op(description="Y5: start a season's next tier by hand.")
def advance_season(
    context: dg.OpExecutionContext,
    config: OneSeasonAndWhy,
    mongo: MongoResource,
    clock: ClockResource,
) -> None:
    store, by, key = asked_about(context, config, mongo, clock, "advance")
    saga = history_seasons.advance(store, by, key)
    context.add_output_metadata({"state": str(saga.state)})


@dg.op(description="Y11: ask for every matchday of a season; a backfill is launched for them.")
def backfill_season(
    context: dg.OpExecutionContext,
    config: OneSeasonAndWhy,
    mongo: MongoResource,
    clock: ClockResource,
) -> None:
    store, by, key = asked_about(context, config, mongo, clock, "backfill")
    days = history_seasons.backfill(store, by, key)
    context.add_output_metadata({"matchdays": len(days)})


@dg.job(name="start_history", description="Source a past season: league 39, season 2023.")
def start_history_job() -> None:
    begin_season()


@dg.job(name="retry_history", description="Try again what failed of a past season.")
def retry_history_job() -> None:
    retry_season()


@dg.job(name="advance_history", description="Start the next tier of a past season by hand.")
def advance_history_job() -> None:
    advance_season()


@dg.job(name="backfill_season_goals", description="Backfill the goals of a past season.")
def backfill_season_job() -> None:
    backfill_season()


# What people start; `source_history` is the sensor's.
history_jobs = [
    start_history_job,
    retry_history_job,
    advance_history_job,
    backfill_season_job,
]
