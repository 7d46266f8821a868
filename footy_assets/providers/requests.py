"""A3: requests to providers, in the background: within their limits, and retried.

Not by a policy of `retries.py`, whose pauses follow from the attempt's number alone: here the
limiter grants each retry its time, and a retry that does not fit into the task's 45 s is not made.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Event, Lock
from time import perf_counter

import structlog

from footy_assets.clock import Clock
from footy_assets.errors import FootyError, ProviderAnswerInvalid, ProviderRateLimited
from footy_assets.providers.rules.adapter import Adapter, FetchResult
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets.providers.rules.limits import Limiter, RateLimits
from footy_assets.providers.rules.schedule import RequestBatch, RequestPlan, plan
from footy_assets.providers.rules.task import (
    REQUEST_SECONDS,
    TASK_SECONDS,
    Task,
    TaskState,
    wait_before,
)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The outcome of one batch after its last attempt. `answer` is None if all attempts failed."""

    batch: RequestBatch
    task: Task
    answer: FetchResult | None
    seconds: float
    reason: str | None = None
    limited: bool = False


@dataclass(frozen=True, slots=True)
class _InFlight:
    batch: RequestBatch
    future: Future[BatchResult]
    started_at: float


class ProviderRequests:
    """Runs each batch in a thread of its own, so that a slow provider delays no other."""

    def __init__(
        self,
        adapters: Mapping[str, Adapter],
        clock: Clock,
        jitter: Callable[[], float],
        wait_seconds: float,
    ) -> None:
        self._adapters, self._clock = adapters, clock
        self._jitter, self._wait_seconds = jitter, wait_seconds
        self._in_flight: list[_InFlight] = []
        self._abandoned: list[_InFlight] = []
        self._limiters: dict[str, Limiter] = {}
        self._limiters_lock = Lock()
        self._stopped = Event()

    def stop(self) -> None:
        """Starts no further retry. Call it before closing the adapters."""
        self._stopped.set()

    def in_flight(self) -> set[tuple[str, int]]:
        """Domain and match of every request that is under way."""
        return {
            (one.domain, one.match_id) for flight in self._in_flight for one in flight.batch.wanted
        }

    def running(self) -> dict[str, dict[str, int]]:
        """Requests under way by provider, with the matches in them; also those that were given
        up and have not ended yet."""
        counted: dict[str, dict[str, int]] = {}
        for flight in (*self._in_flight, *self._abandoned):
            one = counted.setdefault(flight.batch.domain, {"requests": 0, "matches": 0})
            one["requests"] += 1
            one["matches"] += len(flight.batch.wanted)
        return counted

    def plan(
        self,
        batches: Iterable[RequestBatch],
        limits: Mapping[str, RateLimits],
        live_domains: frozenset[str],
        now: datetime,
    ) -> RequestPlan:
        """Which batches may start now. Start each of them: the plan counts them as running."""
        with self._limiters_lock:
            limiters = {domain: self._limiter(domain, own) for domain, own in limits.items()}
            made = plan(batches, limiters, now, live_domains)
            self._limiters |= made.limiters
        return made

    def start(self, batch: RequestBatch, wanted: Sequence[ListedMatch]) -> None:
        pool = ThreadPoolExecutor(1, thread_name_prefix="provider")
        future = pool.submit(self._run, batch, wanted)
        pool.shutdown(wait=False)
        self._in_flight.append(_InFlight(batch, future, perf_counter()))

    def collect_finished(self) -> list[BatchResult]:
        """The results of requests that have ended or timed out since the last call."""
        wait([flight.future for flight in self._in_flight], timeout=self._wait_seconds)
        results, still_running = [], []
        ended = [one for one in self._abandoned if one.future.done()]
        self._abandoned = [one for one in self._abandoned if not one.future.done()]
        for flight in self._in_flight:
            if flight.future.done():
                ended.append(flight)
                results.append(flight.future.result())
            elif perf_counter() - flight.started_at >= TASK_SECONDS:
                reason = f"no answer within {TASK_SECONDS:g} s"
                abandoned = Task(TaskState.ABANDONED, 1)
                self._abandoned.append(flight)
                results.append(BatchResult(flight.batch, abandoned, None, TASK_SECONDS, reason))
            else:
                still_running.append(flight)
        self._in_flight = still_running
        for flight in ended:
            # A3: an abandoned request still runs, and counts against the limit until it ends.
            domain = flight.batch.domain
            with self._limiters_lock:
                self._limiters[domain] = self._limiters[domain].ended()
        return results

    def pause(self, domain: str, until: datetime) -> None:
        with self._limiters_lock:
            self._limiters[domain] = self._limiters[domain].paused_until(until)

    def _limiter(self, domain: str, limits: RateLimits) -> Limiter:
        limiter = self._limiters.get(domain)
        if limiter is None or limiter.limits != limits:
            limiter = Limiter(limits)
        return limiter

    def _run(self, batch: RequestBatch, wanted: Sequence[ListedMatch]) -> BatchResult:
        """Up to three attempts, 45 s in all."""
        task, started_at = Task(), perf_counter()
        reason, limited, answer = None, False, None
        while not task.over:
            remaining = TASK_SECONDS - (perf_counter() - started_at)
            pause = self._pause_before(batch.domain, task.attempts, remaining * self._clock.speed)
            if pause is None:
                break
            self._clock.sleep(pause)
            if self._stopped.is_set():
                break
            task = task.started()
            try:
                fetched = self._adapters[batch.domain].fetch(wanted, REQUEST_SECONDS)
                answer = _require_readable(fetched)
                task = task.succeeded()
            except FootyError as error:
                reason, limited = str(error), isinstance(error, ProviderRateLimited)
                task = task.failed()
                if limited or not error.retryable:
                    break
                task = task.retry_or_abandon()
            except Exception as error:
                # An unexpected error of one provider stops no other.
                log.exception("provider_raised", domain=batch.domain)
                reason, task = f"{type(error).__name__}: {error}", task.failed()
                break
        return BatchResult(batch, task, answer, perf_counter() - started_at, reason, limited)

    def _pause_before(self, domain: str, attempts: int, remaining: float) -> float | None:
        """Seconds to wait before the next attempt; None if too little time remains for it.

        A3: the plan has counted the first attempt; each retry counts as one more request.
        """
        pause = wait_before(attempts + 1, self._jitter())
        if attempts == 0:
            return pause if pause <= remaining else None
        with self._limiters_lock:
            now = self._clock.now()
            at, limiter = self._limiters[domain].retry(now + timedelta(seconds=pause))
            pause = (at - now).total_seconds()
            if pause > remaining:
                return None
            self._limiters[domain] = limiter
        return pause


def _require_readable(answer: FetchResult) -> FetchResult:
    """An answer without one readable match is a failure: its format has changed."""
    if answer.matches or not answer.unreadable:
        return answer
    first, rows = answer.unreadable[0], len(answer.unreadable)
    raise ProviderAnswerInvalid(f"{rows} rows, none readable; {first.subject}: {first.reason}")
