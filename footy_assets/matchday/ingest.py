"""Ingest of fixtures: by day, some days ahead, by id (F2–F4)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta

from footy_assets.clock import Clock
from footy_assets.errors import ProviderError, ProviderPlanLimited, ProviderSwitchedOff
from footy_assets.matchday.rules.feed import Answer, Failure, Feed, Unreadable
from footy_assets.matchday.rules.fixture import AddedBy, Fixture, new_fixture
from footy_assets.matchday.rules.lifecycle import first_state, is_rescheduled
from footy_assets.matchday.rules.pace import Quota
from footy_assets.matchday.rules.plan import FixturePlan
from footy_assets.matchday.rules.sighting import FixtureSighting
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.store.team_lists import TeamListStore
from footy_assets.matchday.tracking import TrackedTeams, TrackingPolicy, tracked_teams

LOOK_AHEAD_DAYS = 30


# The nightly ingest (F2), and how late it may be before it counts as missed.
DAILY_AT = time(0, 5)
GRACE = timedelta(minutes=10)
# An ingest that failed is started again after so many minutes: until then no match is known.
AGAIN_MINUTES = 5


@dataclass(slots=True)
class IngestReport:
    days: dict[date, int] = field(default_factory=dict)
    seen: int = 0
    kept_ids: list[int] = field(default_factory=list)
    added: int = 0
    updated: int = 0
    calls: int = 0
    quota: Quota | None = None
    unreadable: list[Unreadable] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


class Ingest:
    def __init__(self, store: MatchdayStore, feed: Feed, clock: Clock, tracking: TrackingPolicy):
        self.store = store
        self.feed = feed
        self.clock = clock
        self.tracking = tracking

    def daily(self, today: date) -> IngestReport:
        """F2: today and the next two days; if tomorrow is empty, ahead to the next match."""
        report = IngestReport()
        tracked = self._resolve_tracked(today, report)
        for ahead in range(3):
            self._day(today + timedelta(days=ahead), tracked, report, look_ahead=ahead == 2)
        tomorrow, last = today + timedelta(days=1), today + timedelta(days=2)
        if report.days.get(tomorrow) != 0 or report.days.get(last) != 0:
            # A day whose request failed is missing here: it is not known to be empty.
            return report
        for day in self._days_ahead(last, today + timedelta(days=LOOK_AHEAD_DAYS), report):
            self._day(day, tracked, report, look_ahead=True)
            if report.days.get(day) != 0:
                break
        return report

    def _days_ahead(self, after: date, last: date, report: IngestReport) -> list[date]:
        """The days after one that may have matches."""
        days = [after + timedelta(days=n) for n in range(1, (last - after).days + 1)]
        try:
            known = self.feed.days_with_matches(days[0], last)
        except ProviderSwitchedOff:
            raise
        except ProviderError as error:
            report.failures.append(Failure(f"days up to {last}", error.sentence()))
            return []
        return days if known is None else [day for day in days if day in known]

    def day(self, day: date) -> IngestReport:
        """One day, past or future."""
        report = IngestReport()
        self._day(day, self._resolve_tracked(day, report), report)
        return report

    def ids(self, ids: Sequence[int]) -> IngestReport:
        """F2: by id, tracked or not."""
        report = IngestReport()
        answer = self.feed.by_ids(list(dict.fromkeys(ids)))
        self._store_kept(answer, answer.sightings.values(), report, AddedBy.BY_ID)
        for sighting in answer.sightings.values():
            day = sighting.kickoff.date()
            report.days[day] = report.days.get(day, 0) + 1
        return report

    def _resolve_tracked(self, day: date, report: IngestReport) -> TrackedTeams:
        if self.feed.lists_only_tracked:
            return TrackedTeams(everything=True)
        tracked = tracked_teams(
            TeamListStore(self.store.database),
            self.feed,
            self.clock.now(),
            day,
            self.tracking.leagues,
            self.tracking.teams,
        )
        report.warnings += tracked.warnings
        report.failures += tracked.failures
        report.calls += tracked.calls
        return tracked

    def _day(
        self, day: date, tracked: TrackedTeams, report: IngestReport, look_ahead: bool = False
    ) -> None:
        """A plan that ends before a day of the look-ahead is no failure: the day comes nearer."""
        try:
            answer = self.feed.by_date(day)
        except ProviderSwitchedOff:
            # It would be the same sentence for every day.
            raise
        except ProviderError as error:
            if look_ahead and isinstance(error, ProviderPlanLimited):
                report.warnings.append(
                    f"fixtures of {day} come when it is nearer: {error.sentence()}"
                )
                return
            report.failures.append(Failure(f"fixtures of {day}", error.sentence()))
            return
        kept = [s for s in answer.sightings.values() if tracked.keeps(s)]
        self._store_kept(answer, kept, report, AddedBy.TRACKED)
        report.days[day] = len(kept)
        if not report.failures:
            counts = {"seen": len(answer.sightings), "kept_ids": [s.fixture_id for s in kept]}
            self.store.journal.record_ingest(day, self.clock.now(), counts)

    def _store_kept(
        self,
        answer: Answer,
        kept: Iterable[FixtureSighting],
        report: IngestReport,
        added_by: AddedBy,
    ) -> None:
        now = self.clock.now()
        kept = list(kept)
        known = self.store.fixtures_by_id([s.fixture_id for s in kept])
        new = [
            new_fixture(s, first_state(s, now), now, added_by)
            for s in kept
            if s.fixture_id not in known
        ]
        plans = [
            FixturePlan(known[s.fixture_id], after_ingest(known[s.fixture_id], s, now))
            for s in kept
            if s.fixture_id in known
        ]
        report.added += self.store.add(new)
        changed = [plan for plan in plans if plan.changed]
        applied = self.store.apply(changed)
        report.updated += len(applied.written)
        report.failures += applied.failures
        self.store.journal.record_unreadable(answer.unreadable, now)
        report.seen += len(answer.sightings)
        report.kept_ids += [s.fixture_id for s in kept]
        report.calls += answer.calls
        report.quota = answer.quota or report.quota
        report.unreadable += answer.unreadable
        report.failures += answer.failures
        report.warnings += answer.warnings


def after_ingest(fixture: Fixture, sighting: FixtureSighting, now: datetime) -> Fixture:
    """F4: a known fixture after ingest, which never changes its state, events or clips.

    The one exception: a match that was closed as unfinished and is rescheduled returns to staging.
    """
    if is_rescheduled(fixture, sighting, now):
        reopened = fixture.updated_from(sighting, now)
        return replace(
            reopened,
            state=FixtureState.STAGING,
            completed_polls=(),
            completed_at=None,
            closed_because=None,
            closed_by=None,
            last_polled=None,
        )
    if fixture.state is not FixtureState.STAGING:
        return fixture
    return fixture.updated_from(sighting, now)


def ingest_missed(now: datetime, ingested_at: datetime | None) -> bool:
    """F2: the nightly ingest is overdue."""
    due = datetime.combine(now.date(), DAILY_AT, now.tzinfo) + GRACE
    return now >= due and (ingested_at is None or ingested_at.date() < now.date())


def run_key_of_missed(now: datetime) -> str:
    """F2: the same for all requests of five minutes. Dagster starts one run for each key."""
    begun = now - timedelta(minutes=now.minute % AGAIN_MINUTES)
    return f"missed-{begun:%Y-%m-%dT%H:%M}"
