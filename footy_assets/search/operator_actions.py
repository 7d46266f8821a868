"""P5: operators search for a goal before its next attempt is due."""

from footy_assets.errors import BadInput, Busy
from footy_assets.logs import LogSink
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.operator_actions import OperatorAction
from footy_assets.search.searcher import AttemptResult, Searcher, StartedAttempt
from footy_assets.search.store.searches import SearchStore


def begin_search(
    searches: SearchStore, searcher: Searcher, by: OperatorAction, goal: GoalEvent
) -> StartedAttempt:
    """Start the goal's next attempt now, due or not."""
    if not searcher.has_sites:
        raise BadInput("no site is switched on", "Name the sites to search in FOOTY_SITES")
    _make_due(searches, by, goal)
    started = searcher.begin(goal.key)
    if started is None:
        raise _not_searched(goal)
    return started


def search_soon(searches: SearchStore, by: OperatorAction, goal: GoalEvent) -> None:
    """Make the goal's next attempt due, so that the next sweep runs it."""
    with by.recorded("search", goal.event_id) as entry:
        _make_due(searches, by, goal)
        entry.outcome = "due for the next sweep"


def _make_due(searches: SearchStore, by: OperatorAction, goal: GoalEvent) -> None:
    searches.open_searches()
    if not searches.make_due(goal.key, by.clock.now()):
        raise _not_searched(goal)


def _not_searched(goal: GoalEvent) -> Busy:
    return Busy(f"{goal.event_id} is being searched for, was removed, or is not stable yet")


def search_now(
    searches: SearchStore,
    searcher: Searcher,
    by: OperatorAction,
    goal: GoalEvent,
    sink: LogSink,
) -> AttemptResult:
    with by.recorded("search", goal.event_id) as entry:
        started = begin_search(searches, searcher, by, goal)
        result = searcher.finish(started, searcher.search_sites(started, sink))
        entry.outcome = f"attempt {result.attempt.number}: {len(result.chosen)} videos chosen"
        return result
