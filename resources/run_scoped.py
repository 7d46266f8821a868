"""Dagster resources that open something when a run starts and close it when the run ends."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Generic, Self, TypeVar

from dagster import InitResourceContext

T = TypeVar("T")


class RunScoped(Generic[T], ABC):
    """Mixin for a `ConfigurableResource`: `value` is what `open` yields, while Dagster executes.

    It comes before `ConfigurableResource` in the list of bases, so that Dagster calls its
    `yield_for_execution`. Dagster copies a resource before that, with its nested resources open:
    `open` can use them, and the original never has a value.
    """

    # Not a pydantic field: the name begins with an underscore.
    _value: T | None = None
    # The run that uses it; None in sensors and checks.
    _run_id: str | None = None

    @abstractmethod
    def open(self) -> AbstractContextManager[T]:
        """Opens what the resource provides for one run, sensor tick or check."""

    @contextmanager
    def yield_for_execution(self, context: InitResourceContext) -> Iterator[Self]:
        self._run_id = context.run.run_id if context.run else None
        with self.open() as value:
            self._value = value
            try:
                yield self
            finally:
                self._value = None

    @property
    def run_id(self) -> str | None:
        return self._run_id

    @property
    def value(self) -> T:
        if self._value is None:
            raise RuntimeError(f"{type(self).__name__} is open only while Dagster executes with it")
        return self._value
