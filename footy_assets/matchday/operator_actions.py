"""P5: operators ingest and close fixtures."""

from collections.abc import Callable, Sequence, Sized
from dataclasses import replace
from datetime import date, datetime

from footy_assets.errors import Busy, NotFound
from footy_assets.matchday.ingest import Ingest, IngestReport
from footy_assets.matchday.rules.fixture import ClosedBy, Fixture
from footy_assets.matchday.rules.plan import FixturePlan
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.operator_actions import AuditEntry, OperatorAction

CLOSE_ATTEMPTS = 5

# Ends the searches for a fixture's goals at a moment; returns those that it ended.
EndSearches = Callable[[int, datetime], Sized]


def ingest_day(ingest: Ingest, by: OperatorAction, day: date) -> IngestReport:
    with by.recorded("ingest", day.isoformat()) as entry:
        today = day == ingest.clock.now().date()
        return _with_outcome(entry, ingest.daily(day) if today else ingest.day(day))


def ingest_ids(ingest: Ingest, by: OperatorAction, ids: Sequence[int]) -> IngestReport:
    with by.recorded("ingest", ",".join(map(str, ids))) as entry:
        return _with_outcome(entry, ingest.ids(ids))


def _with_outcome(entry: AuditEntry, report: IngestReport) -> IngestReport:
    entry.outcome = (
        f"{report.added} new, {report.updated} updated, {len(report.failures)} parts failed"
    )
    return report


def close_fixture(
    store: MatchdayStore, end_searches: EndSearches, by: OperatorAction, fixture_id: int
) -> Fixture:
    """Complete a match, whatever the provider reports, and end the searches for its goals."""
    with by.recorded("close", str(fixture_id)) as entry:
        closed = _complete(store, by, fixture_id)
        ended = end_searches(fixture_id, by.clock.now())
        entry.outcome = f"closed, {len(ended)} searches ended"
        return closed


def _complete(store: MatchdayStore, by: OperatorAction, fixture_id: int) -> Fixture:
    for _ in range(CLOSE_ATTEMPTS):
        fixture = store.fixtures_by_id([fixture_id]).get(fixture_id)
        if fixture is None:
            raise NotFound(f"fixture {fixture_id} is not known", "`footy fixtures` lists them")
        if fixture.state is FixtureState.COMPLETED:
            return fixture
        closed = replace(
            fixture,
            state=FixtureState.COMPLETED,
            completed_at=by.clock.now(),
            closed_because=f"closed by {by.signature()}",
            closed_by=ClosedBy.OPERATOR,
        )
        if store.apply([FixturePlan(fixture, closed)]).written:
            return closed
    raise Busy(f"fixture {fixture_id} keeps being written by other processes")
