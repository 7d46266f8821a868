"""Past seasons as assets, cut by league and season: `season`, `venues`, `team_seasons` and
`player_seasons` of `39:2023`."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import dagster as dg

from footy_assets.assets.labels import label_run
from footy_assets.assets.metadata import provider_metadata
from footy_assets.errors import FootyError
from footy_assets.history.key import LeagueSeason
from footy_assets.history.tiers import TIERS, Tier
from footy_assets.logs import Stage, StageLog
from footy_assets.operations.history import HistoryWork
from footy_assets.operations.history_seasons import known_season, tier_progress, waiting
from footy_assets.operations.history_start import history_rules, start
from footy_assets.settings import load_settings
from footy_assets.store.history import HistoryStore
from footy_assets.store.history_documents import SeasonRecord
from footy_assets.store.leases import Leases
from footy_assets.store.turns import SharedTurns
from resources.clock import ClockResource
from resources.football import FootballResource
from resources.mongo import MongoResource

league_seasons = dg.DynamicPartitionsDefinition(name="league_seasons")

ASSET_OF = {
    Tier.SEASON: dg.AssetKey("season"),
    Tier.VENUE: dg.AssetKey("venues"),
    Tier.TEAM_SEASON: dg.AssetKey("team_seasons"),
    Tier.PLAYER_SEASON: dg.AssetKey("player_seasons"),
}
TELLS = {
    Tier.SEASON: "A league's season: its name, days and matches (/leagues, /fixtures).",
    Tier.VENUE: "The grounds of the season's clubs (/venues).",
    Tier.TEAM_SEASON: "Each club's figures of the season (/teams/statistics).",
    Tier.PLAYER_SEASON: (
        "Each club's players of the season, bound to team and season of the request (/players), "
        "with evidence of an appearance or of a mere listing."
    ),
}
# A run waits so long for a document that is to be tried again, then ends; the sensor asks anew.
PATIENCE_SECONDS = 65.0
# Far below the longest time that a run may take.
WORK_SECONDS = 1_200.0
OBSERVE_EVERY_SECONDS = 10.0
ASK_AGAIN_AFTER = timedelta(minutes=2)
MOST_TOLD = 500
SEASON_TAG = "footy/season"


def specs() -> list[dg.AssetSpec]:
    return [
        dg.AssetSpec(
            key,
            deps=[ASSET_OF[TIERS[place - 1]]] if place else [],
            description=TELLS[tier] + " Sourced tier by tier (Y1–Y12); safe to repeat.",
            group_name="history",
            kinds={"python", "mongodb", "parquet"},
            owners=["team:footy"],
            partitions_def=league_seasons,
        )
        for place, (tier, key) in enumerate(ASSET_OF.items())
    ]


@dg.multi_asset(name="past_season", specs=specs(), can_subset=True)
def past_season(
    context: dg.AssetExecutionContext,
    mongo: MongoResource,
    football: FootballResource,
    clock: ClockResource,
) -> Iterator[dg.MaterializeResult[Any]]:
    """All tiers in one step: the next begins at the signal of the one before, not after a run."""
    # pyarrow starts a thread as it is loaded, which run workers could not be forked beside.
    from footy_assets.operations.history_tables import export_whole

    settings, time = load_settings(), clock.clock()
    key = LeagueSeason.parse(context.partition_key)
    label_run(context, f"history-{key}")
    store = HistoryStore(mongo.database)
    work = HistoryWork(
        store,
        football.feed,
        time,
        history_rules(settings),
        Leases(mongo.database),
        SharedTurns(mongo.database),
        StageLog(Stage.HISTORY, context.log.info),
    )
    tiers = [tier for tier, asset in ASSET_OF.items() if asset in context.selected_asset_keys]
    start(store, time, key, f"run {context.run.run_id}")
    ends_at = time.now().timestamp() + WORK_SECONDS * time.speed
    told = Observing(context, key, tiers, clock)
    try:
        report = work.run(
            key,
            tiers=tiers,
            patience=PATIENCE_SECONDS,
            stopped=lambda: time.now().timestamp() > ends_at,
            told=told,
        )
        record = work.take_stock(key)
        written = export_whole(store, record, settings.tables)
    except Exception as error:
        # It will not heal within seconds, and other seasons wait behind this one.
        because = error.sentence() if isinstance(error, FootyError) else repr(error)
        store.wait_until(key, time.now() + ASK_AGAIN_AFTER, because[:MOST_TOLD])
        if isinstance(error, FootyError):
            raise dg.Failure(f"{key}: {because}") from error
        raise
    context.log.info(f"{key}: {report.ended}, {report.calls} requests, {report.failed} failures")
    for tier in tiers:
        yield dg.MaterializeResult(
            asset_key=ASSET_OF[tier],
            metadata={
                **progress_metadata(record, tier, clock),
                "table": dg.MetadataValue.path(str(written[TABLE_OF[tier]])),
                "ended": str(report.ended),
                "documents_processed": report.processed,
                "documents_failed": report.failed,
                **provider_metadata(report.calls, football.feed.quota),
            },
        )


TABLE_OF = {
    Tier.SEASON: "seasons",
    Tier.VENUE: "venues",
    Tier.TEAM_SEASON: "team_seasons",
    Tier.PLAYER_SEASON: "player_seasons",
}


class Observing:
    """Y11: progress while it happens, as observations whose numbers Dagster plots."""

    def __init__(
        self,
        context: dg.AssetExecutionContext,
        key: LeagueSeason,
        tiers: list[Tier],
        clock: ClockResource,
    ) -> None:
        self._context, self._key, self._tiers, self._clock = context, key, tiers, clock
        self._told: dict[Tier, tuple[int, bool]] = {}
        self._next = 0.0

    def __call__(self, record: SeasonRecord) -> None:
        now = self._clock.clock().now().timestamp()
        for tier in self._tiers:
            tally = record.tallies.get(tier)
            if tally is None:
                continue
            seen = (tally.processed, tally.complete)
            known = self._told.get(tier)
            ended = known is not None and seen[1] and not known[1]
            if seen != known and (known is None or ended or now >= self._next):
                self._told[tier] = seen
                self._next = now + OBSERVE_EVERY_SECONDS
                self._context.log_event(
                    dg.AssetObservation(
                        asset_key=ASSET_OF[tier],
                        partition=str(self._key),
                        metadata=progress_metadata(record, tier, self._clock),
                    )
                )


def progress_metadata(record: SeasonRecord, tier: Tier, clock: ClockResource) -> dict[str, Any]:
    """Y6, Y11: numbers, so that they plot over time."""
    told = tier_progress(record, tier)
    total = told["total"]
    return {
        "processed": told["processed"],
        "failed": told["failed"],
        "total": total,
        "percent": 100.0 * told["processed"] / total if total else 100.0 * told["complete"],
        "complete": told["complete"],
        "state": str(record.saga.state),
        "waiting_minutes": waiting(record.saga, clock.clock().now()).total_seconds() / 60,
    }


def seasons_in_question(
    context: dg.AssetCheckExecutionContext, store: HistoryStore
) -> list[SeasonRecord]:
    """The season of the run; asked by hand, without a partition, all that were started."""
    run = context.op_execution_context
    if run.has_partition_key:
        return [known_season(store, LeagueSeason.parse(run.partition_key))]
    return store.seasons()
