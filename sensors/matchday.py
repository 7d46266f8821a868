"""Fixtures and goals: the daily ingest, and the live poll every 30 s."""

from datetime import date
from time import monotonic

import dagster as dg

from footy_assets.clips.assets import batch_metadata, clips
from footy_assets.clips.batch import ClipBatch
from footy_assets.clips.checks import coverage_evaluation
from footy_assets.clips.coverage import day_figures
from footy_assets.clips.resource import HeldClipsResource
from footy_assets.clips.store.coverage import CoverageStore
from footy_assets.matchday.assets import live_events
from footy_assets.matchday.checks import check_evaluations
from footy_assets.matchday.confirm import (
    confirmation_polls,
    policy_with_confirmation,
    run_extra_cycle,
)
from footy_assets.matchday.ingest import DAILY_AT, ingest_missed, run_key_of_missed
from footy_assets.matchday.metadata import live_events_metadata, provider_metadata
from footy_assets.matchday.monitor import CycleReport, run_cycle
from footy_assets.matchday.poll_pace import PollPace, polls_in_this_tick, tick_seconds
from footy_assets.matchday.rules.pace import has_requests_to_spare
from footy_assets.matchday.store.journal import Journal
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.policies import coverage_target, lifecycle_limits, monitor_policy
from footy_assets.providers.connection import ProvidersFileLoader
from footy_assets.providers.feed import MergedFeed
from footy_assets.providers.rosters import MAX_REQUESTS, refresh_rosters
from footy_assets.providers.rules.rosters import allows_squads
from footy_assets.run_labels import LABEL_TAG, ingest_label, monitor_label
from footy_assets.runs import has_active_run
from footy_assets.search.jobs import ingest_job
from footy_assets.settings import Settings
from footy_assets.triggers.rules.line_up_moments import line_up_snapshots
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource
from resources.policy import PolicyResource
from resources.provider.resource import ProviderResource

INGEST_INTERVAL_SECONDS = 60
# Dagster ends a tick after 60 s: with little left of this, line-ups wait for the next one.
TICK_SECONDS = 45.0
# After polls that confirmed goals, the next tick must not wait for line-ups.
SHARE_OF_INTERVAL = 0.9


def ingest_request(day: date, run_key: str) -> dg.RunRequest:
    return dg.RunRequest(
        run_key=run_key, partition_key=day.isoformat(), tags={LABEL_TAG: ingest_label([day])}
    )


@dg.schedule(
    name="daily_ingest",
    job=ingest_job,
    cron_schedule=f"{DAILY_AT.minute} {DAILY_AT.hour} * * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="F2: today, tomorrow and the day after, at 00:05 UTC.",
)
def daily_ingest(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
    day = context.scheduled_execution_time.date()
    return ingest_request(day, f"daily-{day}")


def ingest_due_sensor(settings: Settings) -> dg.SensorDefinition:
    @dg.sensor(
        name="ingest_due",
        job=ingest_job,
        minimum_interval_seconds=settings.sensor_interval(INGEST_INTERVAL_SECONDS),
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Requests today's ingest if the schedule missed it or its run failed.",
    )
    def ingest_due(
        context: dg.SensorEvaluationContext, mongo: MongoResource, clock: ClockResource
    ) -> dg.RunRequest | dg.SkipReason:
        now = clock.clock().now()
        if not ingest_missed(now, Journal(mongo.database).ingested_at(now.date())):
            return dg.SkipReason(f"{now.date()} is ingested")
        if has_active_run(context.instance, ingest_job.name):
            return dg.SkipReason("an ingest run is active")
        return ingest_request(now.date(), run_key_of_missed(now))

    return ingest_due


def live_poll_sensor(settings: Settings) -> dg.SensorDefinition:
    # One for all ticks: it logs a file that it refuses once, not at every poll.
    load_file = ProvidersFileLoader(settings)

    @dg.sensor(
        name="live_poll",
        target=live_events,
        minimum_interval_seconds=tick_seconds(settings.poll_seconds, settings.speed),
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Polls all active fixtures in batches, staging ones once per quarter hour, and reports "
            "a materialization of `live_events` for each matchday that changed (F5–F8, F10). "
            "Matches with an unconfirmed goal are polled again in between (F11). Publishes what is "
            "held for goals that become stable (SE8)."
        ),
    )
    def live_poll(
        context: dg.SensorEvaluationContext,
        mongo: MongoResource,
        provider: ProviderResource,
        clock: ClockResource,
        policy: PolicyResource,
        held_clips: HeldClipsResource,
    ) -> dg.SensorResult:
        began = monotonic()
        time, store = clock.clock(), MatchdayStore(mongo.database)
        own = policy.as_settings()
        feed = MergedFeed(provider.feed, store, time, load_file, lifecycle_limits(own))
        base, confirm = settings.poll_seconds, settings.confirm_seconds
        rules = policy_with_confirmation(monitor_policy(own), confirm, base)
        quick_feed = feed.for_extra_polls()
        pace = PollPace.from_cursor(context.cursor)
        reports: list[CycleReport] = []
        extra_reports: list[CycleReport] = []
        published: list[ClipBatch] = []
        ends = began + TICK_SECONDS
        for _ in polls_in_this_tick(time, pace, base):
            polled_at = monotonic()
            report = run_cycle(store, feed, time, rules)
            feed.record_poll()
            pace.record(report)
            reports.append(report)
            log_report(context, report)
            published += held_clips.publish(report.stable) if report.stable else []
            for extra in confirmation_polls(
                lambda ids: run_extra_cycle(store, quick_feed, time, rules, ids),
                *(report, time, confirm, base, pace.quota),
            ):
                quick_feed.record_poll()
                pace.record_extra(extra)
                extra_reports.append(extra)
                published += held_clips.publish(extra.stable) if extra.stable else []
                log_report(context, extra)
                ends = min(ends, polled_at + base * SHARE_OF_INTERVAL / time.speed)
        if not reports:
            reason = f"quota: next poll in {pace.wait(time.now(), base):.0f} s"
            return dg.SensorResult(skip_reason=reason, cursor=pace.to_cursor())
        last = reports[-1]
        # A provider that has just returned nothing would not answer in time, either.
        spare = has_requests_to_spare(pace.quota) and (last.sighted or not last.failures)
        rosters = refresh_rosters(
            store,
            store.unfinished(),
            provider.rosters,
            time,
            max_requests=MAX_REQUESTS if spare else 0,
            within=max(0.0, ends - monotonic()),
            squads_ahead=allows_squads(pace.quota),
            describe=line_up_snapshots,
        )
        for failure in rosters.failures:
            context.log.warning(str(failure))
        today = time.now().date()
        all_reports = [*reports, *extra_reports]
        changed = {day for one in all_reports for day in one.changed_matchdays if day <= today}
        if not changed:
            reason = f"{last.active} active, {last.staging} staging, nothing changed"
            if last.failures and not last.sighted:
                reason = f"the provider returned nothing: {last.failures[0].reason}"
            return dg.SensorResult(skip_reason=reason, cursor=pace.to_cursor())
        gallery_url = own.gallery_url
        calls = sum(report.calls for report in all_reports)
        return dg.SensorResult(
            skip_reason=f"{last.active} active, changed: {', '.join(map(str, sorted(changed)))}",
            cursor=pace.to_cursor(),
            asset_events=[
                *(materialization(store, day, last, calls, gallery_url) for day in sorted(changed)),
                *check_evaluations(store, live_events.key, sorted(changed)),
                *(held_materialization(batch) for batch in published),
                coverage_evaluation(mongo.database, changed, coverage_target(own)),
            ],
        )

    return live_poll


def held_materialization(batch: ClipBatch) -> dg.AssetMaterialization:
    """SE8: clips that were published in this tick."""
    return dg.AssetMaterialization(
        asset_key=clips.key,
        partition=batch.goal.event_id,
        metadata={**batch_metadata(batch), "held_ahead": True},
    )


def log_report(context: dg.SensorEvaluationContext, report: CycleReport) -> None:
    for failure in report.failures:
        context.log.warning(str(failure))
    for warning in report.warnings:
        context.log.warning(warning)
    for fixture_id, status in report.unknown_statuses.items():
        context.log.warning(f"fixture {fixture_id}: unknown status {status!r}, state kept")
    for piece in report.unreadable:
        context.log.warning(f"{piece.subject} could not be parsed: {piece.reason}")


def materialization(
    store: MatchdayStore, day: date, report: CycleReport, calls: int, gallery_url: str
) -> dg.AssetMaterialization:
    return dg.AssetMaterialization(
        asset_key=live_events.key,
        partition=day.isoformat(),
        metadata={
            **live_events_metadata(store, day, gallery_url),
            **day_figures(CoverageStore(store.database), day),
            "label": monitor_label(report.poll.at),
            "poll_id": report.poll.id,
            "active_fixtures": report.active,
            **provider_metadata(calls, report.quota),
        },
    )
