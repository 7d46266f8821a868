"""S5, S7: asking all sources for a goal, each failing alone."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from footy_assets.discovery.posts import Post, Window
from footy_assets.discovery.query import GoalQuery
from footy_assets.discovery.sources import Found, Progress, VideoSource
from footy_assets.errors import (
    BadInput,
    BinaryMissing,
    FootyError,
    LoginLost,
    SourceRateLimited,
)
from footy_assets.retries import RETRIES, RetryPolicy

# What only a person can mend: a login, a browser that is not installed, a wrong setting.
FOR_A_PERSON = (LoginLost, BinaryMissing, BadInput)
# It is asked again after this: the person may have come.
SHUT_SECONDS = 120.0

WindowOf = Callable[[str], Window]


@dataclass(frozen=True, slots=True)
class SourceFailure:
    """Why a source gave nothing. `kind` is the failure's class, for counting; `needs` says what a
    person must do about it, where nothing else helps."""

    source: str
    kind: str
    reason: str
    needs: str = ""


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """`alerts` tells what a person must do, once; `failures` is the record of each search."""

    posts: tuple[Post, ...] = ()
    found: dict[str, Found] = field(default_factory=dict)
    failures: tuple[SourceFailure, ...] = ()
    alerts: tuple[str, ...] = ()

    @property
    def looked_at(self) -> int:
        return sum(found.looked_at for found in self.found.values())

    @property
    def failed(self) -> bool:
        """Nothing was searched: that is not the same as nothing found."""
        return bool(self.failures) and not self.found


@dataclass
class Sweep:
    """What one round of searches has learned about its sources."""

    sources: Sequence[VideoSource]
    sleep: Callable[[float], None]
    retry: RetryPolicy = RETRIES["search"]
    monotonic: Callable[[], float] = time.monotonic
    shut: dict[str, tuple[SourceFailure, float]] = field(default_factory=dict)
    # A source that failed for good is asked once a goal from then on, not three times.
    failing: set[str] = field(default_factory=set)


def search_all(
    sweep: Sweep, query: GoalQuery, window_of: WindowOf, on_progress: Progress
) -> SearchOutcome:
    """S5: the posts of all sources, each asked for its own window. S7: one that needs a person, as
    for a lost login, is told about once in a sweep, and not asked again for a while."""
    found: dict[str, Found] = {}
    failures: list[SourceFailure] = []
    alerts: list[str] = []
    for source in sweep.sources:
        shut, until = sweep.shut.get(source.name, (None, 0.0))
        if shut and sweep.monotonic() < until:
            failures.append(shut)
            continue
        try:
            window = window_of(source.name)
            found[source.name] = _search(sweep, source, query, window, on_progress)
            sweep.failing.discard(source.name)
            sweep.shut.pop(source.name, None)
        except FootyError as error:
            needs = error.sentence() if isinstance(error, FOR_A_PERSON) else ""
            failure = SourceFailure(source.name, type(error).__name__, str(error), needs)
            failures.append(failure)
            if needs:
                sweep.shut[source.name] = failure, sweep.monotonic() + SHUT_SECONDS
                if shut is None:
                    alerts.append(needs)
            else:
                sweep.failing.add(source.name)
    posts = {post.video_id: post for one in found.values() for post in one.posts}
    return SearchOutcome(tuple(posts.values()), found, tuple(failures), tuple(alerts))


def _search(
    sweep: Sweep, source: VideoSource, query: GoalQuery, window: Window, on_progress: Progress
) -> Found:
    """P4: three times, if the failure can heal. A rate limit does not heal in seconds."""
    waits = [] if source.name in sweep.failing else sweep.retry.waits()
    for wait in waits:
        try:
            return source.search(query, window, on_progress)
        except FootyError as error:
            if not error.retryable or isinstance(error, SourceRateLimited):
                raise
            on_progress(f"{source.name}: {error}; again in {wait:g} s")
        sweep.sleep(wait)
    return source.search(query, window, on_progress)
