"""T5, T6: evaluates a trigger's conditions on one snapshot, and explains each option."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import ge, gt, le, lt
from typing import Any

from footy_assets.triggers.rules.counters import CounterChanges, Counters, crossed
from footy_assets.triggers.rules.option import Comparison, Condition, selected_aggregate
from footy_assets.triggers.rules.snapshot import Snapshot, as_tuple
from footy_assets.triggers.rules.sports import AGGREGATES
from footy_assets.triggers.rules.trigger import Trigger

# The option that a condition bound to an origin has beside its events.
DATASOURCE = "datasource"
ORDERED: Mapping[str, Callable[[Any, Any], bool]] = {"gt": gt, "ge": ge, "lt": lt, "le": le}
Explanation = dict[str, Any]


@dataclass(slots=True)
class View:
    """A snapshot with the counters it changed. Results are cached: many triggers share options."""

    snapshot: Snapshot
    counters: Counters
    changes: CounterChanges
    results: dict["CompiledOption", bool] = field(default_factory=dict)
    explanations: dict["CompiledOption", Explanation] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class CompiledOption:
    """An option ready to evaluate; triggers with the same option share it, and its cached result.

    Compared by identity (`eq=False`): results are looked up hundreds of times a snapshot.
    """

    event: str
    compare: str
    targets: tuple[Any, ...]
    # For aggregates: the names whose counts are summed; None sums all.
    names: tuple[str, ...] | None = None
    aggregate: bool = False

    def holds(self, view: View) -> bool:
        cached = view.results.get(self)
        if cached is None:
            cached = view.results[self] = self.evaluate(view)
        return cached

    def evaluate(self, view: View) -> bool:
        """T5: an event that the snapshot does not have is false."""
        if self.aggregate:
            change = view.counters.change_of(view.changes, self.event, self.names)
            return change is not None and crossed(self.compare, self.targets, *change)
        value = self._seen(view)
        return value is not None and compares(self.compare, self.targets, value)

    def _seen(self, view: View) -> Any:
        if self.event == DATASOURCE:
            return view.snapshot.datasource
        return view.snapshot.options.get(self.event)

    def explain(self, view: View) -> Explanation:
        """T13: the value, the target, the result."""
        cached = view.explanations.get(self)
        if cached is None:
            cached = view.explanations[self] = self._explain(view)
        return cached

    def _explain(self, view: View) -> Explanation:
        seen: Explanation = {"value": self._seen(view)}
        if self.aggregate:
            change = view.counters.change_of(view.changes, self.event, self.names)
            before, after = change or (None, None)
            seen = {"value": after, "before": before, "of": list(self.names or ())}
        return {
            "event": self.event,
            "compare": self.compare,
            "targets": list(self.targets),
            **seen,
            "result": self.holds(view),
        }


shared_option = lru_cache(maxsize=65_536)(CompiledOption)


def compares(compare: str, targets: tuple[Any, ...], value: Any) -> bool:
    """T6: true if any value of a list compares so; for `ne`, if none is equal."""
    values = as_tuple(value)
    if compare in ("in", "eq"):
        return any(one in targets for one in values)
    if compare == "ne":
        return not any(one in targets for one in values)
    ordered = ORDERED[compare]
    return any(ordered(one, targets[0]) for one in values)


def compile_condition(
    condition: Condition, datasource: str | None = None
) -> tuple[CompiledOption, ...]:
    """Merges options that select whose count is meant into their aggregate.

    T20: a condition is bound to snapshots of its own `datasource`, or else of its trigger's.
    """
    options = condition.all_options
    events: set[str | None] = {option.event for option in options}
    selectors: dict[str, Comparison] = {}
    for option in options:
        for aggregate in events:
            if aggregate and selected_aggregate(option, {aggregate}):
                selectors[aggregate] = option
    merged = set(selectors.values())
    bound = condition.datasource or datasource
    compiled = tuple(
        shared_option(
            option.event,
            option.compare,
            option.targets,
            tuple(selectors[option.event].targets) if option.event in selectors else None,
            option.event in AGGREGATES,
        )
        for option in options
        if option not in merged
    )
    return (*compiled, shared_option(DATASOURCE, "eq", (bound,))) if bound else compiled


def fewest_that_suffice(joined_by_or: Sequence[bool]) -> int:
    """How many conditions must hold at least, if they are joined from left to right."""
    fewest = 1
    for by_or in joined_by_or[1:]:
        fewest = 1 if by_or else fewest + 1
    return fewest


@dataclass(frozen=True, slots=True)
class Conditions:
    """A trigger's conditions, ready to evaluate."""

    compiled: tuple[tuple[CompiledOption, ...], ...]
    needed: int
    # T20: which conditions are joined to those before them with OR; empty if none is.
    joined_by_or: tuple[bool, ...] = ()

    @classmethod
    def of(cls, trigger: Trigger) -> "Conditions":
        datasource, joined_by_or = trigger.trigger.datasource, trigger.joined_by_or
        compiled = tuple(compile_condition(one, datasource) for one in trigger.conditions)
        needed = fewest_that_suffice(joined_by_or) if joined_by_or else trigger.needed
        return cls(compiled, needed, joined_by_or)

    def hold(self, view: View) -> bool:
        if self.joined_by_or:
            return self._suffice([self._holds(options, view) for options in self.compiled])
        missing = len(self.compiled) - self.needed
        for options in self.compiled:
            for option in options:
                if not option.holds(view):
                    missing -= 1
                    if missing < 0:
                        return False
                    break
        return True

    def hold_without_counters(self, view: View) -> bool:
        """Do they hold without the counters? For a snapshot that was counted before."""
        held = [
            all(not option.aggregate and option.holds(view) for option in options)
            for options in self.compiled
        ]
        return self._suffice(held)

    def _holds(self, options: tuple[CompiledOption, ...], view: View) -> bool:
        return all(option.holds(view) for option in options)

    def _suffice(self, held: Sequence[bool]) -> bool:
        """T5, T20: from left to right, as they are joined."""
        if not self.joined_by_or:
            return sum(held) >= self.needed
        result = held[0]
        for one, by_or in zip(held[1:], self.joined_by_or[1:], strict=True):
            result = (result or one) if by_or else (result and one)
        return result

    def explain(self, view: View) -> Explanation:
        conditions: list[Explanation] = []
        for options in self.compiled:
            explained = [option.explain(view) for option in options]
            result = all(option["result"] for option in explained)
            row = {"event": options[0].event, "result": result, "options": explained}
            if any(self.joined_by_or[len(conditions) : len(conditions) + 1]):
                row["chain_operation"] = "or"
            conditions.append(row)
        held = [bool(condition["result"]) for condition in conditions]
        return {
            "snapshot_id": view.snapshot.id,
            "satisfied": self._suffice(held),
            "held": sum(held),
            "needed": self.needed,
            "conditions": conditions,
        }
