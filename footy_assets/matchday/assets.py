"""The fixtures and the goals of a matchday."""

from collections.abc import Sequence
from datetime import timedelta

import dagster as dg

from footy_assets.errors import ProviderUnavailable
from footy_assets.matchday.ingest import Ingest
from footy_assets.matchday.metadata import (
    fixtures_metadata,
    live_events_metadata,
    provider_metadata,
)
from footy_assets.matchday.monitor import poll_once, poll_until_final
from footy_assets.matchday.operator_actions import ingest_day
from footy_assets.matchday.partitions import a_week_per_run, matchday_of, matchdays
from footy_assets.matchday.rules.feed import Failure
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.operator_runs import is_started_by_operator, operator_action
from footy_assets.policies import monitor_policy, tracking_policy
from footy_assets.run_labels import ingest_label, label_run, monitor_label
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource
from resources.policy import PolicyResource
from resources.provider.resource import ProviderResource

# The nightly ingest is at 00:05 UTC; a later one, started by `ingest_due`, counts too.
INGESTED_EVERY_NIGHT = dg.FreshnessPolicy.cron(
    deadline_cron="20 0 * * *", lower_bound_delta=timedelta(minutes=20), timezone="UTC"
)
# A poll reports a materialization only when it changes something, so their age says when tracked
# teams last played, not whether we poll: one team alone plays once a week, and not at all for two
# weeks of internationals. A shorter window would cry wolf between matches. A poll that is dead
# during a match is shown after a minute by the check `providers_fresh`, which another sensor
# evaluates every 15 s from the times of the last answers.
GOALS_EVERY_WEEK = dg.FreshnessPolicy.time_window(
    fail_window=timedelta(days=14), warn_window=timedelta(days=8)
)


@dg.asset(
    partitions_def=matchdays,
    backfill_policy=a_week_per_run,
    group_name="matchday",
    kinds={"python", "mongodb"},
    owners=["team:footy"],
    freshness_policy=INGESTED_EVERY_NIGHT,
    description=(
        "Fixtures of one matchday with a tracked team (F2–F4). Today's partition also ingests "
        "tomorrow and the day after, and up to 30 days ahead if tomorrow has no fixtures. Known "
        "fixtures keep their state, events and clips."
    ),
)
def fixtures(
    context: dg.AssetExecutionContext,
    mongo: MongoResource,
    provider: ProviderResource,
    clock: ClockResource,
    policy: PolicyResource,
) -> None:
    time = clock.clock()
    store = MatchdayStore(mongo.database)
    ingest = Ingest(store, provider.feed, time, tracking_policy(policy.as_settings()))
    days = [matchday_of(key) for key in context.partition_keys]
    label_run(context, ingest_label(days))
    for day in days:
        if is_started_by_operator(context):
            report = ingest_day(ingest, operator_action(context, mongo.database, time), day)
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
        raise_failures(report.failures)


@dg.asset(
    partitions_def=matchdays,
    deps=[fixtures],
    backfill_policy=a_week_per_run,
    group_name="matchday",
    kinds={"python", "mongodb"},
    owners=["team:footy"],
    freshness_policy=GOALS_EVERY_WEEK,
    description=(
        "Goals of one matchday, each with a stable identity (E1–E9). During matches, the "
        "`live_poll` sensor reports a materialization on every change; a run for a past day polls "
        "its matches until nothing more can change."
    ),
)
def live_events(
    context: dg.AssetExecutionContext,
    mongo: MongoResource,
    provider: ProviderResource,
    clock: ClockResource,
    policy: PolicyResource,
) -> None:
    time = clock.clock()
    store = MatchdayStore(mongo.database)
    days = [matchday_of(key) for key in context.partition_keys]
    label_run(context, monitor_label(time.now()))
    today = time.now().date()
    ids = {fixture.id for day in days for fixture in store.fixtures_of(day) if day < today}
    current = {fixture.id for day in days for fixture in store.fixtures_of(day) if day >= today}
    monitor = monitor_policy(policy.as_settings())
    reports = poll_until_final(store, provider.feed, time, monitor, ids)
    reports += poll_once(store, provider.feed, time, monitor, current)
    for report in reports:
        for failure in report.failures:
            context.log.warning(str(failure))
    if reports:
        raise_failures(reports[-1].failures)
    calls = sum(report.calls for report in reports)
    quota = reports[-1].quota if reports else None
    for day in days:
        context.add_asset_metadata(
            {
                **live_events_metadata(store, day, policy.as_settings().gallery_url),
                "polls": len(reports),
                **provider_metadata(calls, quota),
            },
            partition_key=day.isoformat(),
        )


def raise_failures(failures: Sequence[Failure]) -> None:
    if failures:
        raise ProviderUnavailable("; ".join(map(str, failures)))
