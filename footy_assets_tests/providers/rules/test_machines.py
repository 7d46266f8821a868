"""Random walks of the four state machines reach every transition of the spec and no other."""

from collections.abc import Callable, Mapping, Set
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from footy_assets.providers.rules.health import (
    Freshness,
    Grade,
    ProviderHealth,
    evaluate,
    freshness,
    start_recovery,
)
from footy_assets.providers.rules.lifecycle import (
    COOLDOWN,
    DEFAULT_LIFECYCLE,
    Life,
    MatchLife,
    after_failure,
    after_success,
    as_time_passes,
)
from footy_assets.providers.rules.recovery import RecoveryOutcome, outcome_of
from footy_assets.providers.rules.task import MAX_ATTEMPTS, Task, TaskState
from footy_assets_tests.providers.reports import NOON

pytestmark = pytest.mark.slow

MANY = settings(
    max_examples=200,
    stateful_step_count=40,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


# The transitions of the spec; the code has its own table for tasks.
LIVES = {
    Life.DISCOVERED: {Life.ACTIVE, Life.PAUSED, Life.COMPLETED},
    Life.ACTIVE: {Life.PAUSED, Life.COMPLETED},
    Life.PAUSED: {Life.ACTIVE, Life.COMPLETED},
    Life.COMPLETED: {Life.ARCHIVED},
}
TASKS = {
    TaskState.PENDING: {TaskState.EXECUTING},
    TaskState.EXECUTING: {TaskState.SUCCESS, TaskState.FAILED},
    TaskState.FAILED: {TaskState.PENDING, TaskState.ABANDONED},
}
# RECOVERING for 120 s without a success is more than 90 s without a success: FAILING.
GRADES = {
    Grade.HEALTHY: {Grade.DEGRADED},
    Grade.DEGRADED: {Grade.FAILING, Grade.HEALTHY},
    Grade.FAILING: {Grade.RECOVERING, Grade.DEGRADED},
    Grade.RECOVERING: {Grade.HEALTHY, Grade.FAILING},
}


def random_transitions(make: Callable[[set[object]], type[RuleBasedStateMachine]]) -> set[object]:
    """All transitions that random histories made."""
    seen: set[object] = set()
    run_state_machine_as_test(seed(20250510)(make(seen)), settings=MANY)
    return seen


def transitions(table: Mapping[Any, Set[Any]]) -> set[object]:
    return {(one, other) for one, others in table.items() for other in others}


def lifecycle_machine(seen: set[object]) -> type[RuleBasedStateMachine]:
    class Lives(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.life, self.now, self.in_a_row = MatchLife(), NOON, 0

        def become(self, after: MatchLife) -> None:
            before, self.life = self.life, after
            if before.state is not after.state:
                assert after.state in LIVES[before.state]
                seen.add((before.state, after.state))

        @rule(seconds=st.sampled_from([1, 30, 299, 300, 3600, 86_400]))
        def time_passes(self, seconds: int) -> None:
            self.now += timedelta(seconds=seconds)
            before = self.life
            self.become(as_time_passes(self.life, self.now))
            if self.life.state is Life.ARCHIVED and before.state is not Life.ARCHIVED:
                assert before.completed_at is not None
                assert self.now - before.completed_at >= DEFAULT_LIFECYCLE.archived_after

        @rule(over=st.sampled_from([False, False, False, True]))
        def success(self, over: bool) -> None:
            before = self.life
            self.become(after_success(self.life, over, self.now))
            self.in_a_row = 0
            if before.state is Life.PAUSED and self.life.state is Life.ACTIVE:
                assert before.pause_until is not None
                assert self.now >= before.pause_until
            if self.life.state is Life.ACTIVE:
                assert self.life.failures == 0

        @rule(times=st.integers(1, 6))
        def failures(self, times: int) -> None:
            for _ in range(times):
                before = self.life
                self.become(after_failure(self.life, self.now))
                self.in_a_row += 1
                if self.life.state is Life.PAUSED and before.state is not Life.PAUSED:
                    assert self.in_a_row >= DEFAULT_LIFECYCLE.paused_after
                    assert self.life.pause_until == self.now + COOLDOWN
                elif before.state in (Life.ACTIVE, Life.DISCOVERED):
                    assert self.in_a_row < DEFAULT_LIFECYCLE.paused_after

    return Lives


def test_lifecycle_every_transition_of_the_spec_and_no_other() -> None:
    assert random_transitions(lifecycle_machine) == transitions(LIVES)


def task_machine(seen: set[object]) -> type[RuleBasedStateMachine]:
    class Tasks(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.task = Task()

        @rule(what=st.sampled_from(["started", "succeeded", "failed", "retry_or_abandon"]))
        def anything(self, what: str) -> None:
            before = self.task
            try:
                self.task = getattr(before, what)()
            except ValueError:
                return
            assert self.task.state in TASKS[before.state]
            seen.add((before.state, self.task.state))
            assert self.task.attempts <= MAX_ATTEMPTS
            if self.task.state is TaskState.ABANDONED:
                assert self.task.attempts == MAX_ATTEMPTS
            if before.state is TaskState.FAILED and before.attempts < MAX_ATTEMPTS:
                assert self.task.state is TaskState.PENDING

    return Tasks


def test_retry_every_transition_of_the_spec_and_no_other() -> None:
    assert random_transitions(task_machine) == transitions(TASKS)


AGES = st.lists(st.sampled_from([0, 5, 30, 59, 60, 75, 119, 120, 200]), min_size=1, max_size=6)


def health_machine(seen: set[object]) -> type[RuleBasedStateMachine]:
    class Healths(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.health, self.now = ProviderHealth(), NOON
            self.last_success = NOON

        def walk(self, after: ProviderHealth) -> None:
            before = self.health.grade
            for step in after.steps:
                assert step in GRADES[before], f"{before} to {step}"
                seen.add((before, step))
                before = step
            assert before is after.grade
            self.health = after

        @rule(ages=AGES, works=st.booleans(), times=st.integers(1, 10))
        def looked_at(self, ages: list[int], works: bool, times: int) -> None:
            for _ in range(times):
                self.now += timedelta(seconds=15)
                if works:
                    self.last_success = self.now
                fresh = freshness(ages)
                before = self.health
                self.walk(evaluate(self.health, fresh, self.last_success, self.now))
                silent = (self.now - self.last_success).total_seconds() >= 90
                failing = fresh.max >= 120 or silent
                if before.grade is Grade.HEALTHY and (fresh.stale or fresh.very_stale):
                    expected = Grade.FAILING if failing else Grade.DEGRADED
                    assert self.health.grade is expected
                if self.health.grade is Grade.HEALTHY and before.grade is Grade.HEALTHY:
                    assert not fresh.stale

        @rule()
        def recovery(self) -> None:
            before = self.health.grade
            after = start_recovery(self.health, self.now)
            assert (after.grade is Grade.RECOVERING) == (
                before in (Grade.FAILING, Grade.RECOVERING)
            )
            self.walk(after if before is Grade.FAILING else ProviderHealth(before))

        @rule()
        def nothing_is_played(self) -> None:
            self.health = evaluate(self.health, Freshness(), self.last_success, self.now)
            assert self.health == ProviderHealth(Grade.HEALTHY)

    return Healths


def test_health_every_transition_of_the_spec_and_no_other() -> None:
    assert random_transitions(health_machine) == transitions(GRADES)


def recovery_machine(seen: set[object]) -> type[RuleBasedStateMachine]:
    class Recoveries(RuleBasedStateMachine):
        """An audit entry: in progress until the grade or two minutes decide its outcome."""

        def __init__(self) -> None:
            super().__init__()
            self.outcome, self.took = RecoveryOutcome.UNDER_WAY, timedelta(0)

        @rule(grade=st.sampled_from(list(Grade)), seconds=st.sampled_from([1, 15, 60, 120]))
        def looked_at(self, grade: Grade, seconds: int) -> None:
            if self.outcome is not RecoveryOutcome.UNDER_WAY:
                return
            self.took += timedelta(seconds=seconds)
            outcome = outcome_of(grade, self.took)
            if outcome is None:
                assert self.took < timedelta(seconds=120)
                assert grade is not Grade.HEALTHY
                return
            if outcome is RecoveryOutcome.SUCCESS:
                assert grade is Grade.HEALTHY
                assert self.took <= timedelta(seconds=120)
            if outcome is RecoveryOutcome.FAILED:
                assert grade in (Grade.FAILING, Grade.RECOVERING)
            seen.add((self.outcome, outcome))
            self.outcome = outcome

    return Recoveries


def test_recovery_ends_as_success_partial_or_failed() -> None:
    ends = {RecoveryOutcome.SUCCESS, RecoveryOutcome.PARTIAL, RecoveryOutcome.FAILED}
    assert random_transitions(recovery_machine) == {
        (RecoveryOutcome.UNDER_WAY, end) for end in ends
    }


@pytest.mark.parametrize("period", ["HT", "BT", "INT", "SUSP", "PST"])
def test_lifecycle_half_time_does_not_complete_a_match(period: str) -> None:
    from footy_assets.providers.rules.match import OVER, phase_of

    assert phase_of(period) not in OVER
