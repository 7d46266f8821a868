"""One request to a provider: up to three attempts."""

from dataclasses import dataclass, replace
from enum import StrEnum

MAX_ATTEMPTS = 3
REQUEST_SECONDS = 15.0
TASK_SECONDS = 45.0
# Seconds before each attempt, plus up to as much again at random.
WAITS: tuple[float, ...] = (0.0, 2.0, 4.0)


class TaskState(StrEnum):
    PENDING = "pending"
    EXECUTING = "executing"
    SUCCESS = "success"
    FAILED = "failed"
    ABANDONED = "abandoned"


MOVES: dict[TaskState, frozenset[TaskState]] = {
    TaskState.PENDING: frozenset({TaskState.EXECUTING}),
    TaskState.EXECUTING: frozenset({TaskState.SUCCESS, TaskState.FAILED}),
    TaskState.FAILED: frozenset({TaskState.PENDING, TaskState.ABANDONED}),
    TaskState.SUCCESS: frozenset(),
    TaskState.ABANDONED: frozenset(),
}
ENDS = frozenset(state for state, moves in MOVES.items() if not moves)


@dataclass(frozen=True, slots=True)
class Task:
    state: TaskState = TaskState.PENDING
    attempts: int = 0

    @property
    def over(self) -> bool:
        return self.state in ENDS

    def started(self) -> "Task":
        return replace(self._to(TaskState.EXECUTING), attempts=self.attempts + 1)

    def succeeded(self) -> "Task":
        return self._to(TaskState.SUCCESS)

    def failed(self) -> "Task":
        return self._to(TaskState.FAILED)

    def retry_or_abandon(self) -> "Task":
        retries = self.attempts < MAX_ATTEMPTS
        return self._to(TaskState.PENDING if retries else TaskState.ABANDONED)

    def _to(self, state: TaskState) -> "Task":
        if state not in MOVES[self.state]:
            raise ValueError(f"a task that is {self.state} cannot become {state}")
        return replace(self, state=state)


def wait_before(attempt: int, jitter: float) -> float:
    """Seconds before an attempt (from 1); `jitter` is 0 to 1."""
    return WAITS[attempt - 1] * (1.0 + jitter)
