"""The live tick: one monitor cycle over everything that is being played, every 30 s."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import date, datetime, timedelta

import dagster as dg

from footy_assets.assets.checks import evaluations
from footy_assets.assets.labels import monitor_label
from footy_assets.assets.live_events import live_events
from footy_assets.assets.metadata import live_events_metadata, provider_metadata
from footy_assets.clock import Clock
from footy_assets.matchday.pace import Quota, poll_interval
from footy_assets.operations.monitor import CycleReport, run_cycle
from footy_assets.operations.rules import rules
from footy_assets.settings import Settings, load_settings
from footy_assets.store.matchdays import MatchdayStore
from resources.clock import ClockResource
from resources.football import FootballResource
from resources.football_sources import merged_feed
from resources.mongo import MongoResource

# When time runs faster than the wall, one tick makes as many polls as fit into this.
ACCELERATED_TICK_SECONDS = 14.5

# How early a poll may come: after a late tick the pace catches up by this much a tick.
EARLY_SECONDS = 1.0


def live_poll_sensor(settings: Settings) -> dg.SensorDefinition:
    @dg.sensor(
        name="live_poll",
        target=live_events,
        minimum_interval_seconds=tick_seconds(settings),
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Polls all active fixtures in batches, staging ones once a quarter hour, and reports "
            "a materialization of `live_events` only where something changed (F5–F8, F10)."
        ),
    )
    def live_poll(
        context: dg.SensorEvaluationContext,
        mongo: MongoResource,
        football: FootballResource,
        clock: ClockResource,
    ) -> dg.SensorResult:
        time, store = clock.clock(), MatchdayStore(mongo.database)
        feed = merged_feed(settings, football.feed, store, time)
        pace = Pace.read(context.cursor)
        reports = []
        for _ in polls_in_this_tick(time, pace, settings.poll_seconds):
            report = run_cycle(store, feed, time, rules(load_settings()))
            feed.tell()
            pace.polled(report)
            reports.append(report)
            tell(context, report)
        if not reports:
            reason = f"quota: next poll in {pace.wait(time.now(), settings.poll_seconds):.0f} s"
            return dg.SensorResult(skip_reason=reason, cursor=pace.write())
        today = time.now().date()
        changed = {day for report in reports for day in report.changed_matchdays if day <= today}
        last = reports[-1]
        if not changed:
            reason = f"{last.active} active, {last.looked_at} looked at, nothing changed"
            if last.failures and not last.sighted:
                reason = f"the provider gave nothing: {last.failures[0].reason}"
            return dg.SensorResult(skip_reason=reason, cursor=pace.write())
        calls = sum(report.calls for report in reports)
        return dg.SensorResult(
            skip_reason=f"{last.active} active, changed: {', '.join(map(str, sorted(changed)))}",
            cursor=pace.write(),
            asset_events=[
                *(materialization(store, day, last, calls) for day in sorted(changed)),
                *evaluations(store, live_events.key, sorted(changed)),
            ],
        )

    return live_poll


def tick_seconds(settings: Settings) -> int:
    """Dagster looks at sensors every 5 s: 29 keeps polls of 30 s 29.6 to 30.1 s apart."""
    return max(1, int(settings.poll_seconds) - 1) if settings.speed == 1 else 1


class Pace:
    """When the last poll was, and what the provider's quota allows next; lives in the cursor."""

    def __init__(self, last: datetime | None, quota: Quota | None, calls: int) -> None:
        self.last, self.quota, self.calls = last, quota, calls

    @classmethod
    def read(cls, cursor: str | None) -> "Pace":
        kept = json.loads(cursor) if cursor else {}
        return cls(
            datetime.fromisoformat(kept["last"]) if kept.get("last") else None,
            Quota(**kept["quota"]) if kept.get("quota") else None,
            kept.get("calls", 0),
        )

    def write(self) -> str:
        return json.dumps(
            {
                "last": self.last.isoformat() if self.last else None,
                "quota": asdict(self.quota) if self.quota else None,
                "calls": self.calls,
            }
        )

    def polled(self, report: CycleReport) -> None:
        self.last = report.poll.at
        self.quota = report.quota or self.quota
        self.calls = report.calls

    def wait(self, now: datetime, base: float) -> float:
        """Seconds until the next poll may start."""
        if self.last is None or self.last > now:
            return 0.0
        interval = poll_interval(base, self.quota, self.calls, now)
        return max(0.0, interval - (now - self.last).total_seconds())


def polls_in_this_tick(clock: Clock, pace: Pace, base: float) -> Iterator[None]:
    """One poll in real time, unless the quota says to wait; a row of them when time flies."""
    if clock.speed == 1:
        # A tick that began late costs the next one a short wait, not its poll.
        if (wait := pace.wait(clock.now(), base)) <= base / 2:
            clock.sleep(max(0.0, wait - EARLY_SECONDS))
            yield
        return
    ends = clock.now() + timedelta(seconds=ACCELERATED_TICK_SECONDS * clock.speed)
    while clock.now() + timedelta(seconds=(wait := pace.wait(clock.now(), base))) < ends:
        clock.sleep(wait)
        yield


def tell(context: dg.SensorEvaluationContext, report: CycleReport) -> None:
    for failure in report.failures:
        context.log.warning(f"{failure.subject}: {failure.reason}")
    for fixture_id, status in report.unknown_statuses.items():
        context.log.warning(f"fixture {fixture_id}: unknown status {status!r}, state kept")
    for piece in report.unreadable:
        context.log.warning(f"{piece.subject} could not be read: {piece.reason}")


def materialization(
    store: MatchdayStore, day: date, report: CycleReport, calls: int
) -> dg.AssetMaterialization:
    return dg.AssetMaterialization(
        asset_key=live_events.key,
        partition=day.isoformat(),
        metadata={
            **live_events_metadata(store, day),
            "label": monitor_label(report.poll.at),
            "poll_id": report.poll.id,
            "active_fixtures": report.active,
            **provider_metadata(calls, report.quota),
        },
    )
