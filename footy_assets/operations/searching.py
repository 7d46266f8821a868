"""One attempt: who scored, who posted about it, which videos to take (S1–S7).

A sweep serves every attempt that is due with one set of open sources, and stays while more are due
soon: a browser and a run started for each attempt would cost more than the search.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from pymongo.errors import PyMongoError

from footy_assets.clock import Clock
from footy_assets.discovery.attempts import PAST_AFTER, SearchPlan
from footy_assets.discovery.player_terms import player_terms
from footy_assets.discovery.posts import (
    CHOSEN_PER_ATTEMPT,
    Post,
    Window,
    attempt_window,
    choose,
    unfit,
)
from footy_assets.discovery.query import GoalQuery
from footy_assets.logs import Stage, StageLog, Tell
from footy_assets.matchday.fixture import Fixture
from footy_assets.matchday.goal import GoalEvent
from footy_assets.matchday.sighting import Side
from footy_assets.operations.search_sources import (
    SearchOutcome,
    SourceFailure,
    Sweep,
    search_all,
)
from footy_assets.store.searches import Attempt, SearchStore
from footy_assets.store.source_health import SourceHealth

MATCH_WINDOW = (timedelta(minutes=-5), timedelta(hours=4))
FIRST_HALF, HALF_TIME = 45, timedelta(minutes=18)
# A goal that is seen later than this is sought as if it had been scored then.
LATEST = timedelta(minutes=40)
LOOK_AGAIN = timedelta(seconds=1)

AliasesOf = Callable[[Side], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class SearchRules:
    plan: SearchPlan = field(default_factory=SearchPlan)
    chosen_per_attempt: int = CHOSEN_PER_ATTEMPT
    # Of the wall clock: a sweep stays so long for the next attempt, and ends after so long in all.
    linger: timedelta = timedelta(seconds=75)
    at_most: timedelta = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Begun:
    """A claimed attempt and what it will look for."""

    attempt: Attempt
    query: GoalQuery

    def window(self, source: str) -> Window:
        return window_of(self.attempt, source)


@dataclass(frozen=True, slots=True)
class Searched:
    """What one attempt came to."""

    attempt: Attempt
    outcome: SearchOutcome
    chosen: tuple[Post, ...]
    refused: Counter[str]
    lag_seconds: float
    counted: bool


def is_past(fixture: Fixture, goal: GoalEvent) -> bool:
    return goal.stable_at is not None and goal.stable_at - fixture.kickoff > PAST_AFTER


def window_of(attempt: Attempt, source: str) -> Window:
    """S6: the minutes since the source last answered; of a past match, its whole length."""
    goal, fixture = attempt.goal, attempt.fixture
    if is_past(fixture, goal):
        before, after = MATCH_WINDOW
        return Window(fixture.kickoff + before, fixture.kickoff + after)
    scored = scored_about(goal, fixture) or attempt.due_at
    return attempt_window(scored, attempt.answered.get(source))


def scored_about(goal: GoalEvent, fixture: Fixture) -> datetime | None:
    """When the goal was scored, as nearly as the match clock tells: a feed that was late, or a poll
    that failed, shows a goal minutes afterwards, and fans have posted by then."""
    seen = goal.first_seen_at
    if seen is None or fixture.elapsed is None or fixture.elapsed_at is None:
        return seen
    played = fixture.elapsed - (fixture.elapsed_at - seen).total_seconds() // 60
    late = timedelta(minutes=played - goal.minute.elapsed)
    if goal.minute.elapsed <= FIRST_HALF < played:
        late += HALF_TIME
    return seen - min(max(late, timedelta(0)), LATEST)


def query_of(goal: GoalEvent, fixture: Fixture, aliases_of: AliasesOf) -> GoalQuery:
    """S4: the scorer, and the side that the goal counts for."""
    side = fixture.side_of(goal.team_id)
    return GoalQuery(player_terms(goal.player.name or ""), aliases_of(side))


class Searcher:
    """Runs attempts. The sources are open for as long as it is used."""

    def __init__(
        self,
        searches: SearchStore,
        sources: Sweep,
        aliases_of: AliasesOf,
        clock: Clock,
        rules: SearchRules,
        health: SourceHealth,
    ) -> None:
        self._searches = searches
        self._health = health
        self._sources = sources
        self._aliases_of = aliases_of
        self._clock = clock
        self._rules = rules

    def sweep(self, tell: Tell) -> Iterator[Searched]:
        """S1: every attempt that is due, as it becomes due, until none is for a while."""
        speed = self._clock.speed
        ends = self._clock.now() + self._rules.at_most * speed
        while (now := self._clock.now()) < ends:
            self._searches.open_searches()
            due = self._searches.due(now)
            for goal_key in due:
                if searched := self.attempt(goal_key, tell):
                    yield searched
            if due:
                continue
            upcoming = self._searches.next_due_at()
            if upcoming is None or upcoming - now > self._rules.linger * speed:
                return
            self._clock.sleep((LOOK_AGAIN * speed).total_seconds())

    def attempt(self, goal_key: str, tell: Tell) -> Searched | None:
        """One attempt of one goal, if it is due and nobody is at it."""
        attempt = self._searches.claim(goal_key, self._clock.now())
        if attempt is None:
            return None
        try:
            begun = self._prepared(attempt)
            return self.finish(begun, self.look(begun, tell))
        except PyMongoError:
            # Nothing can be written down now: the attempt comes again under its number.
            raise
        except Exception as error:
            return self._given_up(attempt, error, tell)

    def begin(self, goal_key: str) -> Begun | None:
        attempt = self._searches.claim(goal_key, self._clock.now())
        return self._prepared(attempt) if attempt else None

    def _prepared(self, attempt: Attempt) -> Begun:
        query = query_of(attempt.goal, attempt.fixture, self._aliases_of)
        return Begun(attempt, query)

    def look(self, begun: Begun, tell: Tell) -> SearchOutcome:
        """S7: what a person must do is told once an outage, however many sweeps it lasts."""
        log = attempt_log(begun.attempt, tell)

        def progress(told: str) -> None:
            log.info("progress", said=told)
            self._searches.renew(begun.attempt)

        with log.bound():
            outcome = search_all(self._sources, begun.query, begun.window, progress)
        now, alerts = self._clock.now(), []
        for source in outcome.found:
            self._health.worked(source, now)
        for failure in outcome.failures:
            log.warning("source_failed", source=failure.source, reason=failure.reason)
            if self._health.failed(
                failure.source, failure.kind, failure.reason, bool(failure.needs), now
            ):
                log.error("a_person_is_needed", source=failure.source, fix=failure.needs)
                alerts.append(failure.needs)
        return replace(outcome, alerts=tuple(alerts))

    def _given_up(self, attempt: Attempt, error: Exception, tell: Tell) -> Searched:
        """S2: one goal's trouble counts, with its reason, and holds up no other."""
        told = f"{type(error).__name__}: {error}"
        attempt_log(attempt, tell).error("attempt_failed", reason=told)
        self._searches.given_up(attempt, self._clock.now(), self._rules.plan.apart, told)
        failure = SourceFailure("attempt", type(error).__name__, told)
        return Searched(
            attempt, SearchOutcome(failures=(failure,)), (), Counter(), _lag(attempt), True
        )

    def finish(self, begun: Begun, outcome: SearchOutcome) -> Searched:
        """S6: choose, and write it all down."""
        attempt, query = begun.attempt, begun.query
        asked = (*outcome.found, *(failure.source for failure in outcome.failures))
        windows = {source: begun.window(source) for source in asked}
        known = self._searches.known_videos(attempt.goal.key)
        refused: Counter[str] = Counter()
        fit: list[Post] = []
        for post in outcome.posts:
            reason = unfit(post, windows[post.source], known)
            if reason is None:
                fit.append(post)
            else:
                refused[str(reason)] += 1
        chosen = choose(fit, self._rules.chosen_per_attempt)
        ended, apart = self._clock.now(), self._rules.plan.apart
        if outcome.failed:
            reason_told = "; ".join(f"{f.source}: {f.reason}" for f in outcome.failures)
            self._searches.given_up(attempt, ended, apart, reason_told)
        else:
            self._searches.searched(
                attempt,
                ended,
                apart,
                query=query,
                window=min(windows.values(), key=lambda window: window.since),
                chosen=chosen,
                seen=fit,
                told={
                    "looked_at": outcome.looked_at,
                    "fit": len(fit),
                    "refused": dict(refused),
                    "failures": {f.source: f.reason for f in outcome.failures},
                },
                answered=outcome.found,
            )
        return Searched(attempt, outcome, chosen, refused, _lag(attempt), not chosen)


def attempt_log(attempt: Attempt, tell: Tell) -> StageLog:
    """P2: every line of a search names the goal and the attempt."""
    ids = {
        "fixture_id": attempt.goal.fixture_id,
        "event_id": attempt.goal.event_id,
        "attempt": attempt.number,
    }
    return StageLog(Stage.SEARCH, tell, ids)


def _lag(attempt: Attempt) -> float:
    return (attempt.started_at - attempt.due_at).total_seconds()
