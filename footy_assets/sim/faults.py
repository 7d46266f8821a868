"""Switches that make the provider misbehave, safe to throw from any thread."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from threading import Lock
from typing import Any, Literal, get_args

Kind = Literal[
    "fail", "slow", "errors", "truncate", "html", "malform", "omit", "empty", "garble", "today"
]

WHOLE_ANSWER = frozenset({"fail", "errors", "truncate", "html", "empty", "garble"})
ONE_FIXTURE = frozenset({"malform", "omit"})


@dataclass(frozen=True)
class Fault:
    """`times` requests misbehave (None: until cleared), if they match `path`, `fixture_id` and all
    parameters in `query`."""

    kind: Kind
    times: int | None = 1
    path: str | None = None
    fixture_id: int | None = None
    status: int = 500
    seconds: float = 0.0
    errors: dict[str, str] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ValueError(f"no fault is called {self.kind!r}: use one of {get_args(Kind)}")
        if self.kind in ONE_FIXTURE and self.fixture_id is None:
            raise ValueError(f"{self.kind!r} needs a fixture_id")

    def hits(
        self, path: str, fixture_ids: Collection[int], params: Mapping[str, str] | None = None
    ) -> bool:
        return (
            self.path in (None, path)
            and (self.fixture_id is None or self.fixture_id in fixture_ids)
            and self.query.items() <= (params or {}).items()
        )

    @classmethod
    def from_json(cls, wanted: dict[str, Any]) -> "Fault":
        unknown = set(wanted) - {known.name for known in fields(cls)}
        if unknown or "kind" not in wanted:
            raise ValueError(f"not a fault: {wanted}")
        return cls(**wanted)


class Faults:
    """Faults that wait. Those that spoil a whole answer come one per request, in order."""

    def __init__(self) -> None:
        self._waiting: list[Fault] = []
        self._lock = Lock()

    def add(self, fault: Fault) -> None:
        with self._lock:
            self._waiting.append(fault)

    def fail(self, status: int = 500, times: int | None = 1, **only: Any) -> None:
        self.add(Fault("fail", times, status=status, **only))

    def slow(self, seconds: float, times: int | None = 1, **only: Any) -> None:
        """Answer after `seconds` of the wall clock."""
        self.add(Fault("slow", times, seconds=seconds, **only))

    def errors(self, errors: dict[str, str], times: int | None = 1, **only: Any) -> None:
        """Answer 200 with an `errors` object and nothing else."""
        self.add(Fault("errors", times, errors=errors, **only))

    def truncate(self, times: int | None = 1, **only: Any) -> None:
        self.add(Fault("truncate", times, **only))

    def html(self, times: int | None = 1, **only: Any) -> None:
        self.add(Fault("html", times, **only))

    def empty(self, times: int | None = 1, **only: Any) -> None:
        """Answer 200 with nothing in it."""
        self.add(Fault("empty", times, **only))

    def garble(self, times: int | None = 1, **only: Any) -> None:
        """Answer 200 with entries that are nonsense."""
        self.add(Fault("garble", times, **only))

    def today(self, times: int | None = 1, **only: Any) -> None:
        """Ignore the season that is asked for: tell of today's, under the name of the other."""
        self.add(Fault("today", times, **only))

    def malform(self, fixture_id: int, times: int | None = 1, path: str | None = None) -> None:
        """This one fixture of an answer is nonsense, the others are whole."""
        self.add(Fault("malform", times, path, fixture_id))

    def omit(self, fixture_id: int, times: int | None = 1, path: str | None = None) -> None:
        """This one fixture is missing from an answer."""
        self.add(Fault("omit", times, path, fixture_id))

    def clear(self) -> None:
        with self._lock:
            self._waiting.clear()

    @property
    def waiting(self) -> tuple[Fault, ...]:
        with self._lock:
            return tuple(self._waiting)

    def take(
        self, path: str, fixture_ids: Collection[int], params: Mapping[str, str] | None = None
    ) -> list[Fault]:
        """The faults this request meets; each is used up by one."""
        met: list[Fault] = []
        left: list[Fault] = []
        with self._lock:
            spoiled = False
            for fault in self._waiting:
                spoils = fault.kind in WHOLE_ANSWER
                if not fault.hits(path, fixture_ids, params) or (spoils and spoiled):
                    left.append(fault)
                    continue
                spoiled = spoiled or spoils
                met.append(fault)
                if fault.times is None:
                    left.append(fault)
                elif fault.times > 1:
                    left.append(replace(fault, times=fault.times - 1))
            self._waiting = left
        return met
