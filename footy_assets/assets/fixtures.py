"""The fixtures of a matchday."""

import dagster as dg

from footy_assets.assets.asking import asked, is_by_hand
from footy_assets.assets.labels import ingest_label, label_run
from footy_assets.assets.metadata import fixtures_metadata, provider_metadata
from footy_assets.assets.partitions import matchday_of, matchdays
from footy_assets.errors import ProviderUnavailable
from footy_assets.operations.by_hand import ingest_day
from footy_assets.operations.ingest import Ingest
from footy_assets.operations.rules import following
from footy_assets.settings import load_settings
from footy_assets.store.matchdays import MatchdayStore
from resources.clock import ClockResource
from resources.football import FootballResource
from resources.mongo import MongoResource


@dg.asset(
    partitions_def=matchdays,
    backfill_policy=dg.BackfillPolicy.multi_run(max_partitions_per_run=7),
    group_name="matchday",
    kinds={"python", "mongodb"},
    owners=["team:footy"],
    description=(
        "Fixtures of one matchday that a followed team plays in (F2–F4). Today's partition also "
        "brings in tomorrow and the day after, and looks up to 30 days ahead over an empty one. "
        "What is known already keeps its state, events and clips."
    ),
)
def fixtures(
    context: dg.AssetExecutionContext,
    mongo: MongoResource,
    football: FootballResource,
    clock: ClockResource,
) -> None:
    time = clock.clock()
    store = MatchdayStore(mongo.database)
    ingest = Ingest(store, football.feed, time, following(load_settings()))
    days = [matchday_of(key) for key in context.partition_keys]
    label_run(context, ingest_label(days))
    for day in days:
        if is_by_hand(context):
            report = ingest_day(ingest, asked(context, mongo.database, time), day)
        else:
            report = ingest.daily(day) if day == time.now().date() else ingest.day(day)
        for warning in report.warnings:
            context.log.warning(warning)
        context.add_asset_metadata(
            {
                **fixtures_metadata(store, day),
                "seen": report.seen,
                "added": report.added,
                "updated": report.updated,
                "unreadable": len(report.unreadable),
                "days": {key.isoformat(): kept for key, kept in report.days.items()},
                **provider_metadata(report.calls, report.quota),
            },
            partition_key=day.isoformat(),
        )
        if report.failures:
            raise ProviderUnavailable(
                "; ".join(f"{failure.subject}: {failure.reason}" for failure in report.failures)
            )
