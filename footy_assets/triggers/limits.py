"""T8–T10: how often a trigger, or all of an entity, may still be told."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from footy_assets.triggers.snapshot import Snapshot, each

SCOPE, MINUTE = "scope", "minute"
DEFAULT_LIMITS = {SCOPE: 1}
WINDOW = timedelta(seconds=60)
# A snapshot that comes late looks at its own minute, so a little more than one is kept.
KEPT = 2 * WINDOW
NO_VALUE = "-"


@dataclass(frozen=True, slots=True)
class Tally:
    """What was told so far: counters as T10 shows them, and the moments of the last minute."""

    counts: Mapping[str, int] = field(default_factory=dict)
    recent: tuple[datetime, ...] = ()


def in_force(limits: Mapping[str, int], used: bool = True) -> dict[str, int]:
    """T9: none given is once per scope; 0 switches a limit off."""
    if not used:
        return {}
    return {name: limit for name, limit in (limits or DEFAULT_LIMITS).items() if limit}


def refusal(limits: Mapping[str, int], tally: Tally, snapshot: Snapshot) -> str | None:
    """The limit that forbids telling this moment; None if it may be told."""
    for name, limit in limits.items():
        if name == MINUTE:
            if _within(tally.recent, snapshot.timestamp) >= limit:
                return name
        elif any(tally.counts.get(key, 0) >= limit for key in _keys(name, snapshot)):
            return name
    return None


def told(limits: Mapping[str, int], tally: Tally, snapshot: Snapshot) -> Tally:
    """T8: the counters after this moment was told."""
    counts = dict(tally.counts)
    for name in dict.fromkeys((SCOPE, *limits)):
        if name != MINUTE:
            for key in _keys(name, snapshot):
                counts[key] = counts.get(key, 0) + 1
    recent = tally.recent
    if MINUTE in limits:
        moments = sorted((*recent, snapshot.timestamp))
        recent = tuple(moment for moment in moments if moment > moments[-1] - KEPT)
    return Tally(counts, recent)


def recounted(limits: Mapping[str, int], moments: Iterable[Snapshot]) -> Tally:
    """The counters as they would be had these limits held from the start."""
    tally = Tally()
    for snapshot in moments:
        tally = told(limits, tally, snapshot)
    return tally


def spent(limits: Mapping[str, int], tally: Tally) -> bool:
    """T8: only the limit of the whole scope ends a trigger; every other one passes."""
    return SCOPE in limits and tally.counts.get(SCOPE, 0) >= limits[SCOPE]


def _within(recent: Iterable[datetime], moment: datetime) -> int:
    return sum(moment - WINDOW < one < moment + WINDOW for one in recent)


def _keys(name: str, snapshot: Snapshot) -> list[str]:
    if name == SCOPE:
        return [SCOPE]
    values: tuple[Any, ...] = each(snapshot.options.get(name, NO_VALUE))
    return [f"{name}/{_text(value)}" for value in values]


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
