"""R1, R2, A3 and the waits of a task."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footy_assets.providers.rules.limits import Limiter, RateLimits
from footy_assets.providers.rules.match import MatchPhase
from footy_assets.providers.rules.not_found import NotFoundCache
from footy_assets.providers.rules.priority import Priority, is_due, priority_of
from footy_assets.providers.rules.records import ProviderRecord
from footy_assets.providers.rules.schedule import RequestBatch, Wanted, batches, plan
from footy_assets.providers.rules.task import Task, TaskState, wait_before
from footy_assets_tests.providers.reports import NOON, after

LIVE, IMMINENT, COMPLETED = Priority


def wanted_match(
    match_id: int, priority: Priority = LIVE, age: float | None = None, domain: str = "a"
) -> Wanted:
    return Wanted(match_id, domain, priority, None if age is None else after(-age))


def test_R1_freshness_is_computed_and_counts_from_creation_at_first() -> None:
    record = ProviderRecord(1, "a", NOON)
    assert record.age(after(40)) == 40
    answered = record.succeeded(over=False, now=after(50))
    assert answered.age(after(60)) == 10
    assert (answered.successes, answered.failed(after(70)).failures) == (1, 1)


@pytest.mark.parametrize(
    ("phase", "minutes", "priority"),
    [
        (MatchPhase.LIVE, -30, LIVE),
        (MatchPhase.UPCOMING, 60, IMMINENT),
        (MatchPhase.UPCOMING, 61, None),
        (MatchPhase.COMPLETED, -200, COMPLETED),
        (MatchPhase.ABANDONED, -200, COMPLETED),
    ],
)
def test_R2_priorities(phase: MatchPhase, minutes: int, priority: Priority | None) -> None:
    assert priority_of(phase, NOON + timedelta(minutes=minutes), NOON) is priority


def test_R2_a_completed_match_is_polled_every_5_minutes() -> None:
    assert not is_due(COMPLETED, NOON, after(299))
    assert is_due(COMPLETED, NOON, after(300))


def test_R2_lower_first_then_stalest_first() -> None:
    given_order = [
        wanted_match(1, COMPLETED, 900),
        wanted_match(2, LIVE, 10),
        wanted_match(3, LIVE, 50),
        wanted_match(4, IMMINENT, 5),
        wanted_match(5, LIVE),
    ]
    assert [b.wanted[0].match_id for b in batches(given_order, {"a": 1})] == [5, 3, 2, 4, 1]


def test_R2_a_request_is_filled_with_the_urgent_first() -> None:
    made = batches([wanted_match(n, COMPLETED, n) for n in range(5)] + [wanted_match(9)], {"a": 4})
    assert [[w.match_id for w in b.wanted] for b in made] == [[9, 4, 3, 2], [1, 0]]
    assert [b.priority for b in made] == [LIVE, COMPLETED]


def limiter(concurrent: int = 1, interval: float = 0.0, burst: int = 1) -> Limiter:
    return Limiter(RateLimits(concurrent, interval, burst))


def test_A3_a_rate_limit_defers_and_never_drops() -> None:
    every = [RequestBatch("a", (wanted_match(n),)) for n in range(5)]
    first = plan(every, {"a": limiter(10, interval=10, burst=2)}, NOON)
    assert len(first.start) == 2
    assert {d.until for d in first.deferred} == {after(10)}
    left, limiters, now = [d.batch for d in first.deferred], first.limiters, NOON
    started = list(first.start)
    while left:
        now = now + timedelta(seconds=10)
        then = plan(left, limiters, now)
        assert len(then.start) == 1
        started += then.start
        left, limiters = [d.batch for d in then.deferred], then.limiters
    assert sorted(b.wanted[0].match_id for b in started) == [0, 1, 2, 3, 4]
    assert now == after(30)


def test_A3_no_more_run_at_once_than_allowed() -> None:
    many = [RequestBatch("a", (wanted_match(n),)) for n in range(5)]
    found = plan(many, {"a": limiter(2)}, NOON)
    assert len(found.start) == 2
    assert [d.until for d in found.deferred] == [None] * 3
    assert found.limiters["a"].ended().next_start(NOON) == NOON


def test_A3_LIVE_never_waits_behind_COMPLETED() -> None:
    done = [RequestBatch("a", (wanted_match(n, COMPLETED),)) for n in range(5)]
    first = plan(done, {"a": limiter(3)}, NOON, live_domains=frozenset({"a"}))
    assert len(first.start) == 2
    live = plan([RequestBatch("a", (wanted_match(9),))], first.limiters, after(1), frozenset({"a"}))
    assert [b.priority for b in live.start] == [LIVE]
    only_lead = plan(done, {"a": limiter(3)}, NOON)
    assert len(only_lead.start) == 3


@given(
    st.lists(st.tuples(st.sampled_from(list(Priority)), st.integers(0, 900)), max_size=30),
    st.integers(1, 5),
    st.integers(1, 5),
    st.integers(0, 20),
)
def test_A3_with_any_limits_no_request_is_lost_and_LIVE_is_first(
    ones: list[tuple[Priority, int]], concurrent: int, burst: int, interval: int
) -> None:
    made = [RequestBatch("a", (wanted_match(n, p, age),)) for n, (p, age) in enumerate(ones)]
    found = plan(made, {"a": limiter(concurrent, interval, burst)}, NOON, frozenset({"a"}))
    both = [*found.start, *(d.batch for d in found.deferred)]
    assert sorted(b.wanted[0].match_id for b in both) == list(range(len(ones)))
    if any(d.batch.priority is LIVE for d in found.deferred):
        assert all(b.priority is LIVE for b in found.start)


@given(st.integers(1, 6), st.integers(1, 10), st.lists(st.integers(0, 30), max_size=60))
def test_A3_a_provider_never_gets_more_requests_than_it_allows(
    burst: int, interval: int, pauses: list[int]
) -> None:
    gate, now, starts = limiter(99, interval, burst), NOON, []
    for pause in pauses:
        now += timedelta(seconds=pause)
        free = gate.next_start(now)
        if free is not None and free <= now:
            gate = gate.started(now)
            starts.append(now)
    for n, start in enumerate(starts[burst:]):
        assert (start - starts[n]).total_seconds() >= interval


def test_A3_a_rate_limited_provider_is_paused() -> None:
    closed = limiter(4, 2, burst=3).paused_until(after(60))
    assert closed.next_start(NOON) == after(60)


def test_A3_not_found_is_remembered_60_s() -> None:
    cache = NotFoundCache()
    cache.add("a", 7, NOON)
    assert cache.contains("a", 7, after(59))
    assert not cache.contains("a", 7, after(60))
    assert not cache.contains("b", 7, NOON)


def test_retry_waits_0_then_2_to_4_then_4_to_8_s() -> None:
    assert [(wait_before(n, 0), wait_before(n, 1)) for n in (1, 2, 3)] == [(0, 0), (2, 4), (4, 8)]


def test_retry_abandons_after_three_attempts() -> None:
    task = Task()
    for _ in range(3):
        assert task.state is TaskState.PENDING
        task = task.started().failed().retry_or_abandon()
    assert task.state is TaskState.ABANDONED
