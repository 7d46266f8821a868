"""Injects faults into the provider's responses; thread-safe."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from threading import Lock
from typing import Any, Literal, get_args

Kind = Literal[
    "fail", "slow", "errors", "truncate", "html", "malform", "omit", "empty", "garble", "today"
]

WHOLE_RESPONSE = frozenset({"fail", "errors", "truncate", "html", "empty", "garble"})
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
            raise ValueError(f"there is no fault {self.kind!r}: use one of {get_args(Kind)}")
        if self.kind in ONE_FIXTURE and self.fixture_id is None:
            raise ValueError(f"{self.kind!r} needs a fixture_id")

    def applies_to(
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
    """Pending faults. Of those that replace a whole response, one applies per request, in order."""

    def __init__(self) -> None:
        self._pending: list[Fault] = []
        self._lock = Lock()

    def add(self, fault: Fault) -> None:
        with self._lock:
            self._pending.append(fault)

    def fail(self, status: int = 500, times: int | None = 1, **only: Any) -> None:
        self.add(Fault("fail", times, status=status, **only))

    def slow(self, seconds: float, times: int | None = 1, **only: Any) -> None:
        """Respond after `seconds` of the wall clock."""
        self.add(Fault("slow", times, seconds=seconds, **only))

    def errors(self, errors: dict[str, str], times: int | None = 1, **only: Any) -> None:
        """Respond with 200, an `errors` object and nothing else."""
        self.add(Fault("errors", times, errors=errors, **only))

    def truncate(self, times: int | None = 1, **only: Any) -> None:
        self.add(Fault("truncate", times, **only))

    def html(self, times: int | None = 1, **only: Any) -> None:
        self.add(Fault("html", times, **only))

    def empty(self, times: int | None = 1, **only: Any) -> None:
        """Respond with 200 and an empty list."""
        self.add(Fault("empty", times, **only))

    def garble(self, times: int | None = 1, **only: Any) -> None:
        """Respond with 200 and invalid entries."""
        self.add(Fault("garble", times, **only))

    def today(self, times: int | None = 1, **only: Any) -> None:
        """Ignore the requested season: return today's under the label of the other."""
        self.add(Fault("today", times, **only))

    def malform(self, fixture_id: int, times: int | None = 1, path: str | None = None) -> None:
        """Make this fixture of a response invalid, and no other."""
        self.add(Fault("malform", times, path, fixture_id))

    def omit(self, fixture_id: int, times: int | None = 1, path: str | None = None) -> None:
        """Leave this fixture out of a response."""
        self.add(Fault("omit", times, path, fixture_id))

    def clear(self) -> None:
        with self._lock:
            self._pending.clear()

    @property
    def waiting(self) -> tuple[Fault, ...]:
        with self._lock:
            return tuple(self._pending)

    def take(
        self, path: str, fixture_ids: Collection[int], params: Mapping[str, str] | None = None
    ) -> list[Fault]:
        """The faults of this request; each is counted down."""
        applied: list[Fault] = []
        remaining: list[Fault] = []
        with self._lock:
            replaced = False
            for fault in self._pending:
                replaces = fault.kind in WHOLE_RESPONSE
                if not fault.applies_to(path, fixture_ids, params) or (replaces and replaced):
                    remaining.append(fault)
                    continue
                replaced = replaced or replaces
                applied.append(fault)
                if fault.times is None:
                    remaining.append(fault)
                elif fault.times > 1:
                    remaining.append(replace(fault, times=fault.times - 1))
            self._pending = remaining
        return applied
