"""T8–T10: how often a trigger, or all triggers of an entity, may still fire."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from footy_assets.triggers.rules.snapshot import Snapshot, as_tuple

SCOPE, MINUTE = "scope", "minute"
DEFAULT_LIMITS = {SCOPE: 1}
WINDOW = timedelta(seconds=60)
# Twice the window, for snapshots that arrive late.
KEPT_FOR = 2 * WINDOW
NO_VALUE = "-"


@dataclass(frozen=True, slots=True)
class FireCount:
    """How often it fired: the counters of T10, and the timestamps of the last minute."""

    counts: Mapping[str, int] = field(default_factory=dict)
    recent: tuple[datetime, ...] = ()


def effective_limits(limits: Mapping[str, int], used: bool = True) -> dict[str, int]:
    """T9: the default is once per scope; 0 switches a limit off."""
    if not used:
        return {}
    return {name: limit for name, limit in (limits or DEFAULT_LIMITS).items() if limit}


def exceeded_limit(limits: Mapping[str, int], tally: FireCount, snapshot: Snapshot) -> str | None:
    """The limit that forbids firing on this snapshot; None if it may fire."""
    for name, limit in limits.items():
        if name == MINUTE:
            if _count_within_minute(tally.recent, snapshot.timestamp) >= limit:
                return name
        elif any(tally.counts.get(key, 0) >= limit for key in _keys(name, snapshot)):
            return name
    return None


def count_activation(limits: Mapping[str, int], tally: FireCount, snapshot: Snapshot) -> FireCount:
    """T8: the tally after it fired on this snapshot."""
    counts = dict(tally.counts)
    for name in dict.fromkeys((SCOPE, *limits)):
        if name != MINUTE:
            for key in _keys(name, snapshot):
                counts[key] = counts.get(key, 0) + 1
    recent = tally.recent
    if MINUTE in limits:
        snapshots = sorted((*recent, snapshot.timestamp))
        recent = tuple(timestamp for timestamp in snapshots if timestamp > snapshots[-1] - KEPT_FOR)
    return FireCount(counts, recent)


def recount(limits: Mapping[str, int], snapshots: Iterable[Snapshot]) -> FireCount:
    """The tally if these limits had held from the start."""
    tally = FireCount()
    for snapshot in snapshots:
        tally = count_activation(limits, tally, snapshot)
    return tally


def is_exhausted(limits: Mapping[str, int], tally: FireCount) -> bool:
    """T8: only the `scope` limit ends a trigger; every other limit passes."""
    return SCOPE in limits and tally.counts.get(SCOPE, 0) >= limits[SCOPE]


def shown_counts(tally: FireCount, now: datetime) -> dict[str, int]:
    """T22: the counters as people see them: `scope` and `minute` are always there.

    Activations of the last minute are counted where a limit is set on them.
    """
    return {SCOPE: 0, MINUTE: _count_within_minute(tally.recent, now), **tally.counts}


def _count_within_minute(recent: Iterable[datetime], timestamp: datetime) -> int:
    return sum(timestamp - WINDOW < one < timestamp + WINDOW for one in recent)


def _keys(name: str, snapshot: Snapshot) -> list[str]:
    if name == SCOPE:
        return [SCOPE]
    values: tuple[Any, ...] = as_tuple(snapshot.options.get(name, NO_VALUE))
    return [f"{name}/{_text(value)}" for value in values]


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
