"""SE8: searches for goals that are seen but not stable yet, within a sweep."""

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime

from pymongo.errors import PyMongoError

from footy_assets.clock import Clock
from footy_assets.logs import LogSink
from footy_assets.search.rules.ahead import AheadPlan, left_to_choose, sites_with_room
from footy_assets.search.rules.attempts import PAST_AFTER
from footy_assets.search.searcher import (
    AliasesOf,
    AttemptResult,
    SearchRules,
    attempt_log,
    build_query,
    lag_seconds,
    rank_posts,
    search_window,
)
from footy_assets.search.site_health import record_outcome
from footy_assets.search.store.ahead import AheadStore
from footy_assets.search.store.searches import Attempt, SearchStore
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.search.sweep import SearchOutcome, Sweep, search_all
from footy_assets.tracing import span


@dataclass(frozen=True, slots=True)
class AheadSearcher:
    """Chooses videos as an attempt does, but is no attempt: nothing counts, nothing fails."""

    store: AheadStore
    searches: SearchStore
    sites: Sweep
    aliases_of: AliasesOf
    clock: Clock
    rules: SearchRules
    health: SiteHealth
    plan: AheadPlan = field(default_factory=AheadPlan)

    def open(self, now: datetime) -> None:
        self.store.open(now)

    def due_goal(self, now: datetime) -> str | None:
        return next(iter(self.store.due_goals(now, limit=1)), None)

    def next_due_at(self) -> datetime | None:
        return self.store.next_due_at()

    def search(self, goal_key: str, sink: LogSink) -> AttemptResult | None:
        """None if another process searches, or the goal is stable, removed or of a past match."""
        now = self.clock.now()
        claimed = self.store.claim(goal_key, now)
        if claimed is None:
            return None
        attempt, chosen_before = claimed
        if now - attempt.fixture.kickoff > PAST_AFTER:
            self.store.end(attempt)
            return None
        goal = attempt.goal
        try:
            with span("search", goal.traceparent, event_id=goal.event_id, ahead=True):
                return self._search(attempt, chosen_before, sink)
        except PyMongoError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            attempt_log(attempt, sink).warning("search_ahead_failed", reason=reason)
            details = {"failures": {"search": reason}}
            self.store.record(
                attempt, self.clock.now(), self.plan, chosen=(), seen=(), details=details
            )
            return None

    def _search(self, attempt: Attempt, chosen_before: int, sink: LogSink) -> AttemptResult:
        query = build_query(attempt.goal, attempt.fixture, self.aliases_of)
        log = attempt_log(attempt, sink)

        def progress(message: str) -> None:
            log.info("progress", message=message)
            self.store.renew(attempt)

        with log.bound_to_context():
            sites = replace(self.sites, sites=sites_with_room(self.sites.sites))
            outcome = search_all(sites, query, lambda site: search_window(attempt, site), progress)
        alerts = record_outcome(self.health, outcome, self.clock.now(), log)
        outcome = replace(outcome, alerts=alerts)
        ranked, refused = rank_posts(attempt, query, outcome, self._known(attempt), self.rules)
        left = left_to_choose(chosen_before, self.rules.chosen_per_attempt)
        chosen = ranked[:left]
        self.store.record(
            attempt,
            self.clock.now(),
            self.plan,
            chosen=chosen,
            seen=ranked,
            details=_details(outcome, refused),
            answered=outcome.found,
        )
        return AttemptResult(attempt, outcome, chosen, refused, lag_seconds(attempt))

    def _known(self, attempt: Attempt) -> set[str]:
        return self.searches.videos.known_ids(attempt.goal.key)


def _details(outcome: SearchOutcome, refused: Counter[str]) -> dict[str, object]:
    return {
        "looked_at": outcome.looked_at,
        "refused": dict(refused),
        "failures": {failure.site: failure.reason for failure in outcome.failures},
    }
