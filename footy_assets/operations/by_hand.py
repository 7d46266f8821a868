"""P5: what people do by hand, from the command line, Dagster's Launchpad or an API alike.

Each of them is recorded with who and why, also when it fails.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date

from footy_assets.clock import Clock
from footy_assets.errors import Busy, NotFound
from footy_assets.logs import Tell
from footy_assets.matchday.fixture import Fixture
from footy_assets.matchday.goal import GoalEvent
from footy_assets.matchday.lifecycle import CLOSED_BY_HAND
from footy_assets.matchday.plan import FixturePlan
from footy_assets.matchday.statuses import FixtureState
from footy_assets.operations.ingest import Ingest, IngestReport
from footy_assets.operations.searching import Begun, Searched, Searcher
from footy_assets.store.audit import AuditLog
from footy_assets.store.matchdays import MatchdayStore
from footy_assets.store.searches import SearchStore

CLOSE_TRIES = 5


@dataclass(slots=True)
class Entry:
    """What is being recorded. `outcome` is what became of it."""

    outcome: str = "done"


@dataclass(frozen=True, slots=True)
class ByHand:
    """Who asks, and why."""

    audit: AuditLog
    clock: Clock
    who: str
    why: str

    @contextmanager
    def recorded(self, operation: str, target: str) -> Iterator[Entry]:
        entry = Entry()
        entry_id = self.audit.begin(self.clock.now(), self.who, self.why, operation, target)
        try:
            yield entry
        except BaseException as error:
            entry.outcome = f"failed: {str(error) or type(error).__name__}"
            raise
        finally:
            self.audit.end(entry_id, entry.outcome)

    def told(self) -> str:
        return f"{self.who}: {self.why}"


# -- fixtures ---------------------------------------------------------------------------------


def ingest_day(ingest: Ingest, by: ByHand, day: date) -> IngestReport:
    with by.recorded("ingest", day.isoformat()) as entry:
        today = day == ingest.clock.now().date()
        return _told(entry, ingest.daily(day) if today else ingest.day(day))


def ingest_ids(ingest: Ingest, by: ByHand, ids: Sequence[int]) -> IngestReport:
    with by.recorded("ingest", ",".join(map(str, ids))) as entry:
        return _told(entry, ingest.ids(ids))


def _told(entry: Entry, report: IngestReport) -> IngestReport:
    entry.outcome = (
        f"{report.added} new, {report.updated} updated, {len(report.failures)} parts failed"
    )
    return report


def close_fixture(
    store: MatchdayStore, searches: SearchStore, by: ByHand, fixture_id: int
) -> Fixture:
    """A match is over for us, whatever the provider says; so are the searches for its goals."""
    with by.recorded("close", str(fixture_id)) as entry:
        closed = _closed(store, by, fixture_id)
        ended = searches.close_fixture(fixture_id, by.clock.now(), "the match was closed by hand")
        entry.outcome = f"closed, {len(ended)} searches ended"
        return closed


def _closed(store: MatchdayStore, by: ByHand, fixture_id: int) -> Fixture:
    for _ in range(CLOSE_TRIES):
        fixture = store.known([fixture_id]).get(fixture_id)
        if fixture is None:
            raise NotFound(f"fixture {fixture_id} is not known", "`footy fixtures` lists them")
        if fixture.state is FixtureState.COMPLETED:
            return fixture
        closed = replace(
            fixture,
            state=FixtureState.COMPLETED,
            completed_at=by.clock.now(),
            closed_because=f"{CLOSED_BY_HAND} by {by.told()}",
        )
        if store.apply([FixturePlan(fixture, closed)]).written:
            return closed
    raise Busy(f"fixture {fixture_id} keeps being written by others")


# -- searching --------------------------------------------------------------------------------


def begin_search(searches: SearchStore, searcher: Searcher, by: ByHand, goal: GoalEvent) -> Begun:
    """The goal's next attempt now, whatever is due."""
    _make_due(searches, by, goal)
    begun = searcher.begin(goal.key)
    if begun is None:
        raise _not_searched(goal)
    return begun


def search_soon(searches: SearchStore, by: ByHand, goal: GoalEvent) -> None:
    """The same by the next sweep of searches, for those who cannot wait for it."""
    with by.recorded("search", goal.event_id) as entry:
        _make_due(searches, by, goal)
        entry.outcome = "due for the next sweep"


def _make_due(searches: SearchStore, by: ByHand, goal: GoalEvent) -> None:
    searches.open_searches()
    if not searches.make_due(goal.key, by.clock.now()):
        raise _not_searched(goal)


def _not_searched(goal: GoalEvent) -> Busy:
    return Busy(f"{goal.event_id} is being searched for, was removed, or is not stable yet")


def search_now(
    searches: SearchStore, searcher: Searcher, by: ByHand, goal: GoalEvent, tell: Tell
) -> Searched:
    with by.recorded("search", goal.event_id) as entry:
        begun = begin_search(searches, searcher, by, goal)
        found = searcher.finish(begun, searcher.look(begun, tell))
        entry.outcome = f"attempt {found.attempt.number}: {len(found.chosen)} videos chosen"
        return found
