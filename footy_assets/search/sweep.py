"""SE5, SE7: searches all sites for a goal, each failing alone."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tenacity import RetryCallState

from footy_assets.errors import (
    BadInput,
    BinaryMissing,
    ChannelNotReadable,
    FootyError,
    LoginLost,
    SiteRateLimited,
    is_retryable,
)
from footy_assets.retries import RETRIES, RetryPolicy
from footy_assets.search.rules.posts import Post, Window
from footy_assets.search.rules.query import GoalQuery
from footy_assets.search.rules.site import Progress, SiteResult, VideoSite

# Errors that only an operator can fix: a login, a missing browser, a wrong setting.
NEEDS_OPERATOR = (LoginLost, BinaryMissing, ChannelNotReadable, BadInput)
# After this a paused site is searched again: an operator may have fixed it.
PAUSE_SECONDS = 120.0

WindowOf = Callable[[str], Window]


@dataclass(frozen=True, slots=True)
class SiteFailure:
    """Why the search of a site failed. `kind` is the class of the error; `operator_fix` says what
    an operator must do, if nothing else helps."""

    site: str
    kind: str
    reason: str
    operator_fix: str = ""


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """`failures` holds every failed site; `alerts` says what an operator must do, once in an
    outage, which the searcher knows."""

    posts: tuple[Post, ...] = ()
    found: dict[str, SiteResult] = field(default_factory=dict)
    failures: tuple[SiteFailure, ...] = ()
    alerts: tuple[str, ...] = ()

    @property
    def looked_at(self) -> int:
        return sum(found.looked_at for found in self.found.values())

    @property
    def failure_kinds(self) -> dict[str, str]:
        return {failure.site: failure.kind for failure in self.failures}

    @property
    def failed(self) -> bool:
        """No site was searched, which differs from nothing found."""
        return bool(self.failures) and not self.found


@dataclass
class Sweep:
    """The sites of one sweep, and which of them fail."""

    sites: Sequence[VideoSite]
    sleep: Callable[[float], None]
    retry: RetryPolicy = RETRIES["search"]
    monotonic: Callable[[], float] = time.monotonic
    paused: dict[str, tuple[SiteFailure, float]] = field(default_factory=dict)
    # A failing site gets one try for each goal instead of three.
    failing: set[str] = field(default_factory=set)


def search_all(
    sweep: Sweep, query: GoalQuery, window_of: WindowOf, on_progress: Progress
) -> SearchOutcome:
    """SE5: the posts of all sites, each within its own window. SE7: a site that needs an operator,
    for example after a lost login, is paused."""
    found: dict[str, SiteResult] = {}
    failures: list[SiteFailure] = []
    for site in sweep.sites:
        paused, until = sweep.paused.get(site.name, (None, 0.0))
        if paused and sweep.monotonic() < until:
            failures.append(paused)
            continue
        try:
            window = window_of(site.name)
            found[site.name] = _search(sweep, site, query, window, on_progress)
            sweep.failing.discard(site.name)
            sweep.paused.pop(site.name, None)
        except FootyError as error:
            fix = error.sentence() if isinstance(error, NEEDS_OPERATOR) else ""
            failure = SiteFailure(site.name, type(error).__name__, str(error), fix)
            failures.append(failure)
            if fix:
                sweep.paused[site.name] = failure, sweep.monotonic() + PAUSE_SECONDS
            else:
                sweep.failing.add(site.name)
    posts = {post.video_id: post for one in found.values() for post in one.posts}
    return SearchOutcome(tuple(posts.values()), found, tuple(failures))


def _search(
    sweep: Sweep, site: VideoSite, query: GoalQuery, window: Window, on_progress: Progress
) -> SiteResult:
    """P4: three tries. A rate limit is not retried: it does not end in seconds."""

    def report(state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        on_progress(f"{site.name}: {error}; again in {state.upcoming_sleep:g} s")

    policy = replace(sweep.retry, attempts=1) if site.name in sweep.failing else sweep.retry
    retrying = policy.retrying(sweep.sleep, _may_end_in_seconds, before_sleep=report)
    return retrying(site.search, query, window, on_progress)


def _may_end_in_seconds(error: BaseException) -> bool:
    return is_retryable(error) and not isinstance(error, SiteRateLimited)
