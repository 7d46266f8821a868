"""Bringing fixtures in: every night, and when the night's ingest was missed."""

from datetime import date, datetime, time, timedelta

import dagster as dg

from footy_assets.assets.jobs import ingest_job
from footy_assets.assets.labels import LABEL_TAG, ingest_label
from footy_assets.assets.runs import under_way
from footy_assets.settings import Settings
from footy_assets.store.journal import Journal
from resources.clock import ClockResource
from resources.mongo import MongoResource

DAILY_AT = time(0, 5)
GRACE = timedelta(minutes=10)
LOOK_EVERY_SECONDS = 60


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
        minimum_interval_seconds=LOOK_EVERY_SECONDS if settings.speed == 1 else 1,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Asks for today's ingest when the schedule could not: asleep, down, or failed.",
    )
    def ingest_due(
        context: dg.SensorEvaluationContext, mongo: MongoResource, clock: ClockResource
    ) -> dg.RunRequest | dg.SkipReason:
        now = clock.clock().now()
        if not ingest_missed(now, Journal(mongo.database).ingested_at(now.date())):
            return dg.SkipReason(f"{now.date()} is in")
        if under_way(context.instance, ingest_job.name):
            return dg.SkipReason("an ingest is under way")
        # The hour is the generation: a failed run is asked for again.
        return ingest_request(now.date(), f"missed-{now:%Y-%m-%dT%H}")

    return ingest_due


def ingest_missed(now: datetime, ingested_at: datetime | None) -> bool:
    due = datetime.combine(now.date(), DAILY_AT, now.tzinfo) + GRACE
    return now >= due and (ingested_at is None or ingested_at.date() < now.date())
