"""Runs search attempts: builds the query, searches the sites, chooses videos (SE1–SE7).

A sweep runs every attempt that is due with one set of open sites, and waits while more are due
soon: a browser and a run for each attempt would cost more than the search.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Protocol

from pymongo.errors import PyMongoError

from footy_assets.clip_limits import ClipRules
from footy_assets.clock import Clock
from footy_assets.logs import LogSink, Stage, StageLog
from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.sighting import Side
from footy_assets.search.rules.attempts import PAST_AFTER, SearchPlan
from footy_assets.search.rules.likelihood import rank_by_likelihood
from footy_assets.search.rules.player_terms import player_terms
from footy_assets.search.rules.posts import (
    CHOSEN_PER_ATTEMPT,
    Post,
    Window,
    attempt_window,
    post_refusal,
)
from footy_assets.search.rules.query import GoalQuery
from footy_assets.search.rules.site import VideoSite
from footy_assets.search.site_health import record_outcome
from footy_assets.search.store.searches import Attempt, SearchStore
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.search.sweep import (
    SearchOutcome,
    SiteFailure,
    Sweep,
    search_all,
)
from footy_assets.tracing import span, traceparent

MATCH_WINDOW = (timedelta(minutes=-5), timedelta(hours=4))
FIRST_HALF, HALF_TIME = 45, timedelta(minutes=18)
# A goal is searched for as if the feed showed it at most this long after it was scored.
MAX_FEED_DELAY = timedelta(minutes=40)
CHECK_AGAIN = timedelta(seconds=1)

AliasesOf = Callable[[Side], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class SearchRules:
    plan: SearchPlan = field(default_factory=SearchPlan)
    chosen_per_attempt: int = CHOSEN_PER_ATTEMPT
    clip_rules: ClipRules = field(default_factory=ClipRules)
    # In real time: how long a sweep waits for the next attempt, and how long it lasts at most.
    wait_for_next: timedelta = timedelta(seconds=75)
    max_duration: timedelta = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class StartedAttempt:
    """A claimed attempt and its query."""

    attempt: Attempt
    query: GoalQuery

    def window(self, site: str) -> Window:
        return search_window(self.attempt, site)


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """The outcome of an attempt."""

    attempt: Attempt
    outcome: SearchOutcome
    chosen: tuple[Post, ...]
    refused: Counter[str]
    lag_seconds: float


class AheadSearches(Protocol):
    """SE8: the searches for goals that are not stable yet, `ahead_search.py`."""

    def open(self, now: datetime) -> None: ...
    def due_goal(self, now: datetime) -> str | None: ...
    def next_due_at(self) -> datetime | None: ...
    def search(self, goal_key: str, sink: LogSink) -> AttemptResult | None: ...


def is_past_match(fixture: Fixture, goal: GoalEvent) -> bool:
    return goal.stable_at is not None and goal.stable_at - fixture.kickoff > PAST_AFTER


def search_window(attempt: Attempt, site: str) -> Window:
    """SE6: the time since the site last answered; for a past match, its whole length."""
    goal, fixture = attempt.goal, attempt.fixture
    if is_past_match(fixture, goal):
        before, after = MATCH_WINDOW
        return Window(fixture.kickoff + before, fixture.kickoff + after)
    return attempt_window(likely_scored_at(attempt), attempt.answered.get(site))


def likely_scored_at(attempt: Attempt) -> datetime:
    """Never later than the attempt, though a clock was ahead when the goal was seen. For a past
    match, from its kickoff: the feed showed the goal days later."""
    goal, fixture = attempt.goal, attempt.fixture
    if not is_past_match(fixture, goal):
        scored = estimate_scored_at(goal, fixture) or attempt.due_at
        return min(scored, attempt.started_at)
    minutes = goal.minute.elapsed + (goal.minute.extra or 0)
    pause = HALF_TIME if goal.minute.elapsed > FIRST_HALF else timedelta(0)
    return fixture.kickoff + timedelta(minutes=minutes) + pause


def estimate_scored_at(goal: GoalEvent, fixture: Fixture) -> datetime | None:
    """When the goal was scored, estimated from the match clock: after a late feed or a failed poll
    a goal is first seen minutes later, when fans have already posted."""
    seen = goal.first_seen_at
    if seen is None or fixture.elapsed is None or fixture.elapsed_at is None:
        return seen
    played = fixture.elapsed - (fixture.elapsed_at - seen).total_seconds() // 60
    late = timedelta(minutes=played - goal.minute.elapsed)
    if goal.minute.elapsed <= FIRST_HALF < played:
        late += HALF_TIME
    return seen - min(max(late, timedelta(0)), MAX_FEED_DELAY)


def build_query(goal: GoalEvent, fixture: Fixture, aliases_of: AliasesOf) -> GoalQuery:
    """SE4: the scorer, and the team that the goal counts for."""
    side = fixture.side_of(goal.team_id)
    players = player_terms(goal.player.name or "")
    return GoalQuery(players, aliases_of(side), goal, fixture)


class Searcher:
    """Runs attempts. Its sites must stay open while it is used."""

    def __init__(
        self,
        searches: SearchStore,
        sites: Sweep,
        aliases_of: AliasesOf,
        clock: Clock,
        rules: SearchRules,
        health: SiteHealth,
        ahead: AheadSearches | None = None,
    ) -> None:
        self._searches = searches
        self._health = health
        self._sites = sites
        self._aliases_of = aliases_of
        self._clock = clock
        self._rules = rules
        self._ahead = ahead

    @property
    def has_sites(self) -> bool:
        return bool(self._sites.sites)

    @property
    def sites(self) -> Sequence[VideoSite]:
        return self._sites.sites

    @property
    def has_due(self) -> bool:
        return bool(self._searches.due_goals(self._clock.now(), limit=1))

    def sweep(self, sink: LogSink) -> Iterator[AttemptResult]:
        """SE1: run every attempt when it becomes due, until no more are due soon; SE8: and between
        them the searches ahead of stable.

        SE9: looks after each attempt which goal is next, so that one that somebody waits for does
        not wait for all others that were due before it.
        """
        speed = self._clock.speed
        ends = self._clock.now() + self._rules.max_duration * speed
        while (now := self._clock.now()) < ends:
            self._searches.open_searches()
            self._searches.correct_times_ahead(now, self._rules.plan.apart)
            if due := self._searches.due_goals(now, limit=1):
                if searched := self.attempt(due[0], sink):
                    yield searched
                continue
            if self._ahead is not None:
                self._ahead.open(now)
                if ahead := self._ahead.due_goal(now):
                    if searched := self._ahead.search(ahead, sink):
                        yield searched
                    continue
            upcoming = self._next_due_at()
            if upcoming is None or upcoming - now > self._rules.wait_for_next * speed:
                return
            self._clock.sleep((CHECK_AGAIN * speed).total_seconds())

    def _next_due_at(self) -> datetime | None:
        ahead = self._ahead.next_due_at() if self._ahead is not None else None
        return min((d for d in (self._searches.next_due_at(), ahead) if d), default=None)

    def attempt(self, goal_key: str, sink: LogSink) -> AttemptResult | None:
        """Run the goal's next attempt, if it is due and not claimed."""
        attempt = self._searches.claim(goal_key, self._clock.now())
        if attempt is None:
            return None
        try:
            with span(
                "search",
                attempt.goal.traceparent,
                event_id=attempt.goal.event_id,
                attempt=attempt.number,
            ):
                started = self._start(attempt)
                return self.finish(started, self.search_sites(started, sink))
        except PyMongoError:
            # Nothing can be stored now: the attempt is due again under the same number.
            raise
        except Exception as error:
            return self._fail(attempt, error, sink)

    def begin(self, goal_key: str) -> StartedAttempt | None:
        attempt = self._searches.claim(goal_key, self._clock.now())
        return self._start(attempt) if attempt else None

    def _start(self, attempt: Attempt) -> StartedAttempt:
        query = build_query(attempt.goal, attempt.fixture, self._aliases_of)
        return StartedAttempt(attempt, query)

    def search_sites(self, started: StartedAttempt, sink: LogSink) -> SearchOutcome:
        """SE7: alerts an operator once in an outage, however many sweeps it lasts."""
        log = attempt_log(started.attempt, sink)

        def progress(message: str) -> None:
            log.info("progress", message=message)
            self._searches.renew(started.attempt)

        with log.bound_to_context():
            outcome = search_all(self._sites, started.query, started.window, progress)
        alerts = record_outcome(self._health, outcome, self._clock.now(), log)
        return replace(outcome, alerts=alerts)

    @contextmanager
    def recording_failure(self, started: StartedAttempt, sink: LogSink) -> Iterator[None]:
        """SE9: an attempt that breaks is stored with its reason, so that the next one may begin."""
        try:
            yield
        except PyMongoError:
            raise
        except Exception as error:
            self._fail(started.attempt, error, sink)
            raise

    def _fail(self, attempt: Attempt, error: Exception, sink: LogSink) -> AttemptResult:
        """SE9: a failed attempt is stored with its reason, and other goals continue."""
        reason = f"{type(error).__name__}: {error}"
        attempt_log(attempt, sink).error("attempt_failed", reason=reason)
        self._searches.record_failure(attempt, self._clock.now(), self._rules.plan.apart, reason)
        failure = SiteFailure("attempt", type(error).__name__, reason)
        return AttemptResult(
            attempt, SearchOutcome(failures=(failure,)), (), Counter(), lag_seconds(attempt)
        )

    def finish(self, started: StartedAttempt, outcome: SearchOutcome) -> AttemptResult:
        """SE6: choose videos, and store the attempt."""
        attempt, query = started.attempt, started.query
        searched = (*outcome.found, *(failure.site for failure in outcome.failures))
        windows = [started.window(site) for site in searched]
        known = self._searches.videos.known_ids(attempt.goal.key)
        ranked, refused = rank_posts(attempt, query, outcome, known, self._rules)
        chosen = ranked[: self._rules.chosen_per_attempt]
        ended, apart = self._clock.now(), self._rules.plan.apart
        if outcome.failed:
            reason = "; ".join(f"{f.site}: {f.reason}" for f in outcome.failures)
            self._searches.record_failure(attempt, ended, apart, reason, outcome.failure_kinds)
        else:
            self._searches.record_result(
                attempt,
                ended,
                apart,
                query=query,
                window=min(windows, key=lambda window: window.since),
                chosen=chosen,
                seen=ranked,
                details={
                    "looked_at": outcome.looked_at,
                    "fit": len(ranked),
                    "refused": dict(refused),
                    "failures": {f.site: f.reason for f in outcome.failures},
                    "failure_kinds": outcome.failure_kinds,
                    **trace_details(),
                },
                answered=outcome.found,
            )
        return AttemptResult(attempt, outcome, chosen, refused, lag_seconds(attempt))


def rank_posts(
    attempt: Attempt,
    query: GoalQuery,
    outcome: SearchOutcome,
    known: Collection[str],
    rules: SearchRules,
) -> tuple[tuple[Post, ...], Counter[str]]:
    """SE6: the posts that may show the goal, the likeliest first, and why others do not."""
    refused: Counter[str] = Counter()
    eligible: list[Post] = []
    for post in outcome.posts:
        window = search_window(attempt, post.site)
        refusal = post_refusal(post, window, known, rules.clip_rules)
        if refusal is None:
            eligible.append(post)
        else:
            refused[str(refusal)] += 1
    return rank_by_likelihood(eligible, query, likely_scored_at(attempt)), refused


def attempt_log(attempt: Attempt, sink: LogSink) -> StageLog:
    """P2: every line of a search names the goal and the attempt."""
    ids = {
        "fixture_id": attempt.goal.fixture_id,
        "event_id": attempt.goal.event_id,
        "attempt": attempt.number,
    }
    return StageLog(Stage.SEARCH, sink, ids)


def trace_details() -> dict[str, object]:
    """What a stored attempt says of its trace, if it has one."""
    found = traceparent()
    return {"traceparent": found} if found else {}


def lag_seconds(attempt: Attempt) -> float:
    return (attempt.started_at - attempt.due_at).total_seconds()
