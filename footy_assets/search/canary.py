"""SE5: runs the canaries that are due, each site by itself, and keeps their results."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pymongo.errors import PyMongoError

from footy_assets.clock import Clock
from footy_assets.errors import SiteRateLimited
from footy_assets.logs import LogSink, Stage, StageLog
from footy_assets.search.rules.canary import CanaryRules, canary_problem, canary_window
from footy_assets.search.rules.posts import Window
from footy_assets.search.rules.query import GoalQuery
from footy_assets.search.rules.site import HeardSite, Progress, SiteResult, VideoSite
from footy_assets.search.searcher import Searcher
from footy_assets.search.site_health import record_outcome
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.search.sweep import SearchOutcome, SiteFailure, Sweep, search_all


@dataclass(frozen=True, slots=True)
class CanaryResult:
    """`problem` is why the site seems broken; `alert` says what an operator must do, once. A site
    that is at its rate limit is `skipped`, and keeps its last result."""

    site: str
    posts: int = 0
    problem: str | None = None
    alert: str = ""
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class _Heard:
    """The canary of a site that is heard, as a search."""

    site: HeardSite
    name: str

    def search(self, query: GoalQuery, window: Window, on_progress: Progress) -> SiteResult:
        return self.site.canary(window, on_progress)


class Canaries:
    def __init__(
        self, sites: Sequence[VideoSite], health: SiteHealth, clock: Clock, rules: CanaryRules
    ) -> None:
        self._sites, self._health, self._clock, self._rules = sites, health, clock, rules

    def run_due(self, sink: LogSink) -> CanaryResult | None:
        """Run the next one that is due; None if none is. Two processes run none twice."""
        for site in self._sites:
            if self._health.claim_canary(site.name, self._clock.now(), self._rules.every):
                return self.run(site, sink)
        return None

    def run(self, site: VideoSite, sink: LogSink) -> CanaryResult:
        """Through the same code as a search for a goal, with its retries and its rate limit."""
        log = StageLog(Stage.SEARCH, sink, {"site": site.name, "canary": True})
        window = canary_window(self._clock.now())
        searched = _Heard(site, site.name) if isinstance(site, HeardSite) else site
        sweep = Sweep([searched], self._clock.sleep)
        try:
            outcome = search_all(
                sweep,
                self._rules.query,
                lambda _: window,
                lambda message: log.info("progress", message=message),
            )
        except PyMongoError:
            raise
        except Exception as error:
            broken = SiteFailure(
                site.name, type(error).__name__, f"{type(error).__name__}: {error}"
            )
            outcome = SearchOutcome(failures=(broken,))
        now = self._clock.now()
        if failure := next(iter(outcome.failures), None):
            if failure.kind == SiteRateLimited.__name__:
                log.info("canary_skipped", reason=failure.reason)
                return CanaryResult(site.name, skipped=True)
            alerts = record_outcome(self._health, outcome, now, log)
            result = CanaryResult(site.name, 0, failure.reason, next(iter(alerts), ""))
        else:
            found = outcome.found[site.name]
            result = CanaryResult(site.name, len(found.posts), canary_problem(found))
        if result.problem is None:
            record_outcome(self._health, outcome, now, log)
        else:
            log.warning("canary_failed", reason=result.problem)
        self._health.record_canary(site.name, result.posts, result.problem, now)
        return result


def run_due_canaries(
    searcher: Searcher, canaries: Canaries, sink: LogSink
) -> Iterator[CanaryResult]:
    """Goals go first: when one is due, the canaries that are left wait for the next run."""
    while not searcher.has_due and (result := canaries.run_due(sink)):
        yield result
