"""T7: counters over the snapshots of a scope, and how one snapshot changes them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from footy_assets.triggers.rules.snapshot import Snapshot, as_tuple
from footy_assets.triggers.rules.sports import AGGREGATES, VOCABULARY
from footy_assets.triggers.rules.term import Term
from footy_assets.triggers.rules.vocabulary import (
    GOAL_CANCELLED,
    GOAL_PLAYER,
    GOAL_TEAM,
    PLAYER,
    TEAM,
    VAR_OUTCOME,
)

# The counters that each event increments, for the team or player it names.
ADDS_TO: Mapping[str, Sequence[Term]] = {
    event: [term for term in VOCABULARY.values() if term.counted and term.counted.counts == event]
    for event in {term.counted.counts for term in VOCABULARY.values() if term.counted}
    if event
}

Counter = tuple[str, str]


@dataclass(slots=True)
class CounterChanges:
    """How far a snapshot changed each counter, and the snapshot that it cancelled."""

    by_aggregate: dict[str, dict[str, float]] = field(default_factory=dict)
    cancelled_id: str | None = None


class Counters:
    """The counters of one scope, after some of its snapshots in order."""

    def __init__(self) -> None:
        self._counts: defaultdict[str, defaultdict[str, float]] = defaultdict(
            lambda: defaultdict(int)
        )
        self._added: dict[str, list[Counter]] = {}
        self._goals: list[Snapshot] = []

    def copy(self) -> "Counters":
        twin = Counters()
        for aggregate, counts in self._counts.items():
            twin._counts[aggregate].update(counts)
        twin._added, twin._goals = dict(self._added), list(self._goals)
        return twin

    def apply(self, snapshot: Snapshot) -> CounterChanges:
        """Counts a snapshot, and subtracts what the snapshot that it cancels had added."""
        changes = CounterChanges(cancelled_id=self._cancelled_by(snapshot))
        if changes.cancelled_id is not None:
            for aggregate, name in self._added.pop(changes.cancelled_id, ()):
                self._add(changes, aggregate, name, -1)
            self._goals = [goal for goal in self._goals if goal.id != changes.cancelled_id]
        reported = dict(_reported_counts(snapshot))
        for (aggregate, name), count in reported.items():
            self._add(changes, aggregate, name, count - self._counts[aggregate][name])
        own_counts = {aggregate for aggregate, _ in reported}
        added = [counter for counter in _incremented(snapshot) if counter[0] not in own_counts]
        for aggregate, name in added:
            self._add(changes, aggregate, name, 1)
        if added:
            self._added[snapshot.id] = added
        if _is_goal(snapshot):
            self._goals.append(snapshot)
        return changes

    def change_of(
        self, changes: CounterChanges, aggregate: str, names: Sequence[str] | None
    ) -> tuple[float, float] | None:
        """T7: the sum over these names before and after; None if it did not change."""
        changed, counts = changes.by_aggregate.get(aggregate), self._counts[aggregate]
        if not changed:
            return None
        if names is None:
            delta, after = sum(changed.values()), sum(counts.values())
        else:
            if not any(name in changed for name in names):
                return None
            delta = sum(changed.get(name, 0) for name in names)
            after = sum(counts[name] for name in names if name in counts)
        return after - delta, after

    def _add(self, changes: CounterChanges, aggregate: str, name: str, delta: float) -> None:
        if delta:
            self._counts[aggregate][name] += delta
            changed = changes.by_aggregate.setdefault(aggregate, {})
            changed[name] = changed.get(name, 0) + delta

    def _cancelled_by(self, snapshot: Snapshot) -> str | None:
        if snapshot.cancels or snapshot.replaces:
            return snapshot.cancels or snapshot.replaces
        if snapshot.options.get(VAR_OUTCOME) != GOAL_CANCELLED:
            return None
        # If it does not say which goal, it is the last one of that side and scorer.
        for goal in reversed(self._goals):
            if _same(goal, GOAL_TEAM, snapshot, TEAM) and _same(
                goal, GOAL_PLAYER, snapshot, PLAYER
            ):
                return goal.id
        return None


def _same(goal: Snapshot, of_goal: str, decision: Snapshot, of_decision: str) -> bool:
    one, other = goal.options.get(of_goal), decision.options.get(of_decision)
    return one is None or other is None or one == other


def _is_goal(snapshot: Snapshot) -> bool:
    return GOAL_TEAM in snapshot.options or GOAL_PLAYER in snapshot.options


def _incremented(snapshot: Snapshot) -> Iterable[Counter]:
    options = snapshot.options
    for event in ADDS_TO.keys() & options.keys():
        for term in ADDS_TO[event]:
            counted, names = term.counted, options[event]
            assert counted is not None
            if any(options.get(other) == value for other, value in counted.unless.items()):
                continue
            if event in AGGREGATES:
                if not isinstance(names, str):
                    continue
                names = options.get(counted.of, names)
            for name in as_tuple(names):
                yield term.event, name


def _reported_counts(snapshot: Snapshot) -> Iterable[tuple[Counter, float]]:
    """Counts that the snapshot itself reports: `5` for the named one, or `{"home": 5}`."""
    for event in AGGREGATES & snapshot.options.keys():
        value = snapshot.options[event]
        if isinstance(value, str):
            continue
        names: dict[str, Any] = value if isinstance(value, dict) else {}
        if not names:
            selected = snapshot.options.get(VOCABULARY[event].selector or "", ())
            names = dict.fromkeys(as_tuple(selected), value)
        for name, count in names.items():
            yield (event, name), count


def crossed(compare: str, targets: Sequence[Any], before: float, after: float) -> bool:
    """T7: does any of the whole numbers that the counter passed compare so with a target?

    From 3 to 5 it passes 4 and 5. A counter that falls passes nothing: a correction is no event.
    """
    if after <= before:
        return False
    first, target = before + 1, targets[0]
    if compare in ("in", "eq"):
        return any(before < one <= after for one in targets)
    if compare == "ne":
        return bool(after != target or first != target)
    if compare in ("gt", "ge"):
        return bool(after > target if compare == "gt" else after >= target)
    return bool(first < target if compare == "lt" else first <= target)
