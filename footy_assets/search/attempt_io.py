"""An attempt between the ops of `discovered_videos`, also in a re-execution from failure."""

from typing import Any

import dagster as dg
from pydantic import PrivateAttr

from footy_assets.matchday.store.goals import GoalStore
from footy_assets.operator_runs import reexecution_action
from footy_assets.search.resource import SearcherResource
from footy_assets.search.searcher import StartedAttempt
from footy_assets.search.sweep import SearchOutcome

STARTS_OVER = (
    "The failed run's attempt has ended, so this run starts the next one and continues with %s."
)


class AttemptIOManager(dg.ConfigurableIOManager):
    """The posts of an attempt live in one process. A re-execution from failure starts the next
    attempt instead."""

    searching: SearcherResource

    _values: dict[str, Any] = PrivateAttr(default_factory=dict)

    def handle_output(self, context: dg.OutputContext, obj: Any) -> None:
        self._values[context.op_def.name] = obj

    def load_input(self, context: dg.InputContext) -> Any:
        upstream = context.upstream_output
        assert upstream is not None
        name = upstream.op_def.name
        if name not in self._values:
            if "write_query" not in self._values:
                context.log.warning(STARTS_OVER, context.op_def.name)
                self._values["write_query"] = self._begin(context)
            if name == "search_sites":
                self._values[name] = self._search(self._values["write_query"], context)
        return self._values[name]

    def _begin(self, context: dg.InputContext) -> StartedAttempt:
        database, clock = self.searching.mongo.database, self.searching.clock.clock()
        goal = GoalStore(database).require(context.partition_key)
        by = reexecution_action(context, database, clock)
        with by.recorded("search", goal.event_id) as entry:
            started = self.searching.begin_now(by, goal)
            entry.outcome = f"attempt {started.attempt.number} began"
            return started

    def _search(self, started: StartedAttempt, context: dg.InputContext) -> SearchOutcome:
        """SE9: an error is stored with the attempt, as it is in the op that searches."""
        searcher = self.searching.searcher
        with searcher.recording_failure(started, context.log.info):
            outcome = searcher.search_sites(started, context.log.info)
        for alert in outcome.alerts:
            context.log.error(alert)
        return outcome
