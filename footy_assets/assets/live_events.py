"""The goals of a matchday."""

import dagster as dg

from footy_assets.assets.fixtures import fixtures
from footy_assets.assets.labels import label_run, monitor_label
from footy_assets.assets.metadata import live_events_metadata, provider_metadata
from footy_assets.assets.partitions import matchday_of, matchdays
from footy_assets.errors import ProviderUnavailable
from footy_assets.operations.monitor import settle, watch_once
from footy_assets.operations.rules import rules
from footy_assets.settings import load_settings
from footy_assets.store.matchdays import MatchdayStore
from resources.clock import ClockResource
from resources.football import FootballResource
from resources.mongo import MongoResource


@dg.asset(
    partitions_def=matchdays,
    deps=[fixtures],
    backfill_policy=dg.BackfillPolicy.multi_run(max_partitions_per_run=7),
    group_name="matchday",
    kinds={"python", "mongodb"},
    owners=["team:footy"],
    description=(
        "Goals of one matchday, with identities that stay with their goals (E1–E9). While matches "
        "are on, the `live_poll` sensor reports a materialization whenever something changed; a "
        "run of a past day polls its matches until nothing more can change."
    ),
)
def live_events(
    context: dg.AssetExecutionContext,
    mongo: MongoResource,
    football: FootballResource,
    clock: ClockResource,
) -> None:
    time = clock.clock()
    store = MatchdayStore(mongo.database)
    days = [matchday_of(key) for key in context.partition_keys]
    label_run(context, monitor_label(time.now()))
    today = time.now().date()
    ids = {fixture.id for day in days for fixture in store.fixtures_of(day) if day < today}
    current = {fixture.id for day in days for fixture in store.fixtures_of(day) if day >= today}
    reports = settle(store, football.feed, time, rules(load_settings()), ids)
    reports += watch_once(store, football.feed, time, rules(load_settings()), current)
    for report in reports:
        for failure in report.failures:
            context.log.warning(f"{failure.subject}: {failure.reason}")
    if reports and reports[-1].failures:
        raise ProviderUnavailable(
            "; ".join(f"{failure.subject}: {failure.reason}" for failure in reports[-1].failures)
        )
    calls = sum(report.calls for report in reports)
    quota = reports[-1].quota if reports else None
    for day in days:
        context.add_asset_metadata(
            {
                **live_events_metadata(store, day),
                "polls": len(reports),
                **provider_metadata(calls, quota),
            },
            partition_key=day.isoformat(),
        )
