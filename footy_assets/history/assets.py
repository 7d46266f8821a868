"""Assets of past seasons, partitioned by league and season (`39:2023`): `season`, `venues`,
`team_seasons` and `player_seasons`."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from footy_assets.errors import FootyError
from footy_assets.history.progress import require_season, tier_progress, waiting_time
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.tiers import TIERS, Tier
from footy_assets.history.season_run import run_season
from footy_assets.history.sourcing import HistoryWork
from footy_assets.history.store.documents import SeasonRecord
from footy_assets.history.store.quota import SharedQuota
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.logs import Stage, StageLog
from footy_assets.matchday.metadata import provider_metadata
from footy_assets.policies import history_rules
from footy_assets.run_labels import label_run
from footy_assets.store.leases import Leases
from footy_assets.store.rate_limit import SharedRateLimit
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource
from resources.policy import PolicyResource
from resources.provider.resource import ProviderResource

league_seasons = dg.DynamicPartitionsDefinition(name="league_seasons")

ASSET_OF = {
    Tier.SEASON: dg.AssetKey("season"),
    Tier.VENUE: dg.AssetKey("venues"),
    Tier.TEAM_SEASON: dg.AssetKey("team_seasons"),
    Tier.PLAYER_SEASON: dg.AssetKey("player_seasons"),
}
DESCRIPTIONS = {
    Tier.SEASON: "A league's season: its name, days and matches (/leagues, /fixtures).",
    Tier.VENUE: "The grounds of the season's clubs (/venues).",
    Tier.TEAM_SEASON: "Each club's figures of the season (/teams/statistics).",
    Tier.PLAYER_SEASON: (
        "Each club's players of the season, bound to team and season of the request (/players), "
        "with evidence of an appearance or of a mere listing."
    ),
}
OBSERVE_EVERY_SECONDS = 10.0
SEASON_TAG = "footy/season"


def specs() -> list[dg.AssetSpec]:
    return [
        dg.AssetSpec(
            key,
            deps=[ASSET_OF[TIERS[place - 1]]] if place else [],
            description=DESCRIPTIONS[tier] + " Loaded tier by tier (Y1–Y12); safe to repeat.",
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
    provider: ProviderResource,
    clock: ClockResource,
    policy: PolicyResource,
) -> Iterator[dg.MaterializeResult[Any]]:
    """All tiers in one step: a tier starts at the signal of the one before, not after its run."""
    settings, time = policy.as_settings(), clock.clock()
    key = LeagueSeason.parse(context.partition_key)
    label_run(context, f"history-{key}")
    work = HistoryWork(
        HistoryStore(mongo.database),
        provider.api_football,
        time,
        history_rules(settings),
        Leases(mongo.database),
        SharedRateLimit(mongo.database),
        SharedQuota(mongo.database),
        StageLog(Stage.HISTORY, context.log.info),
    )
    tiers = [tier for tier, asset in ASSET_OF.items() if asset in context.selected_asset_keys]
    observer = ProgressObserver(context, key, tiers, clock)
    try:
        run = run_season(work, key, tiers, settings.tables, f"run {context.run.run_id}", observer)
    except FootyError as error:
        raise dg.Failure(f"{key}: {error.sentence()}") from error
    report = run.report
    context.log.info(f"{key}: {report.ended}, {report.calls} requests, {report.failed} failures")
    for tier in tiers:
        yield dg.MaterializeResult(
            asset_key=ASSET_OF[tier],
            metadata={
                **progress_metadata(run.record, tier, clock),
                "table": dg.MetadataValue.path(str(run.tables[TABLE_OF[tier]])),
                "ended": str(report.ended),
                "documents_processed": report.processed,
                "documents_failed": report.failed,
                **provider_metadata(report.calls, provider.api_football.quota),
            },
        )


TABLE_OF = {
    Tier.SEASON: "seasons",
    Tier.VENUE: "venues",
    Tier.TEAM_SEASON: "team_seasons",
    Tier.PLAYER_SEASON: "player_seasons",
}


class ProgressObserver:
    """Y11: reports progress as asset observations, whose numbers Dagster plots."""

    def __init__(
        self,
        context: dg.AssetExecutionContext,
        key: LeagueSeason,
        tiers: list[Tier],
        clock: ClockResource,
    ) -> None:
        self._context, self._key, self._tiers, self._clock = context, key, tiers, clock
        self._reported: dict[Tier, tuple[int, bool]] = {}
        self._next = 0.0

    def __call__(self, record: SeasonRecord) -> None:
        now = self._clock.clock().now().timestamp()
        for tier in self._tiers:
            tally = record.tallies.get(tier)
            if tally is None:
                continue
            seen = (tally.processed, tally.complete)
            known = self._reported.get(tier)
            ended = known is not None and seen[1] and not known[1]
            if seen != known and (known is None or ended or now >= self._next):
                self._reported[tier] = seen
                self._next = now + OBSERVE_EVERY_SECONDS
                self._context.log_event(
                    dg.AssetObservation(
                        asset_key=ASSET_OF[tier],
                        partition=str(self._key),
                        metadata=progress_metadata(record, tier, self._clock),
                    )
                )


def progress_metadata(record: SeasonRecord, tier: Tier, clock: ClockResource) -> dict[str, Any]:
    """Y6, Y11: numbers that Dagster plots over time."""
    progress = tier_progress(record, tier)
    total = progress["total"]
    return {
        "processed": progress["processed"],
        "failed": progress["failed"],
        "total": total,
        "percent": 100.0 * progress["processed"] / total if total else 100.0 * progress["complete"],
        "complete": progress["complete"],
        "state": str(record.saga.state),
        "waiting_minutes": waiting_time(record.saga, clock.clock().now()).total_seconds() / 60,
    }


def seasons_to_check(
    context: dg.AssetCheckExecutionContext, store: HistoryStore
) -> list[SeasonRecord]:
    """The season of the run's partition; without a partition, every started season."""
    run = context.op_execution_context
    if run.has_partition_key:
        return [require_season(store, LeagueSeason.parse(run.partition_key))]
    return store.seasons()
