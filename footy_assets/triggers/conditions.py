"""T5, T6: do a trigger's conditions hold in one snapshot, and what was seen of each option."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from operator import ge, gt, le, lt
from typing import Any

from footy_assets.triggers.counters import Counters, Moves, crossed
from footy_assets.triggers.snapshot import Snapshot, each
from footy_assets.triggers.trigger import Condition, Option, Trigger, selects
from footy_assets.triggers.vocabulary import VOCABULARY

ORDERED: Mapping[str, Callable[[Any, Any], bool]] = {"gt": gt, "ge": ge, "lt": lt, "le": le}
Explanation = dict[str, Any]


@dataclass(slots=True)
class View:
    """A snapshot with what it moved; answers are kept, as many triggers ask the same."""

    snapshot: Snapshot
    counters: Counters
    moves: Moves
    answers: dict["Test", bool] = field(default_factory=dict)
    explanations: dict["Test", Explanation] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Test:
    """One option made ready: triggers that ask the same share one, and one answer a snapshot.

    Known by itself, not by its fields: answers are looked up hundreds of times a snapshot.
    """

    event: str
    compare: str
    targets: tuple[Any, ...]
    # For aggregates: whose counts are summed; None sums all.
    names: tuple[str, ...] | None = None

    @property
    def aggregate(self) -> bool:
        return VOCABULARY[self.event].aggregate

    def holds(self, view: View) -> bool:
        known = view.answers.get(self)
        if known is None:
            known = view.answers[self] = self.asked(view)
        return known

    def asked(self, view: View) -> bool:
        """T5: what the snapshot does not say is false."""
        if self.aggregate:
            passed = view.counters.passed(view.moves, self.event, self.names)
            return passed is not None and crossed(self.compare, self.targets, *passed)
        value = view.snapshot.options.get(self.event)
        return value is not None and compared(self.compare, self.targets, value)

    def explained(self, view: View) -> Explanation:
        """T13: the value seen, the target, the result."""
        known = view.explanations.get(self)
        if known is None:
            known = view.explanations[self] = self._explanation(view)
        return known

    def _explanation(self, view: View) -> Explanation:
        seen: Explanation = {"value": view.snapshot.options.get(self.event)}
        if self.aggregate:
            passed = view.counters.passed(view.moves, self.event, self.names)
            before, after = passed or (None, None)
            seen = {"value": after, "before": before, "of": list(self.names or ())}
        return {
            "event": self.event,
            "compare": self.compare,
            "targets": list(self.targets),
            **seen,
            "result": self.holds(view),
        }


shared_test = lru_cache(maxsize=65_536)(Test)


def compared(compare: str, targets: tuple[Any, ...], value: Any) -> bool:
    """T6: a list of values compares as any of them does; `ne`, as none is equal."""
    values = each(value)
    if compare in ("in", "eq"):
        return any(one in targets for one in values)
    if compare == "ne":
        return not any(one in targets for one in values)
    ordered = ORDERED[compare]
    return any(ordered(one, targets[0]) for one in values)


def tests_of(condition: Condition) -> tuple[Test, ...]:
    """Options that choose who is counted go into their aggregate; all others stand alone."""
    options = condition.all_options
    events: set[str | None] = {option.event for option in options}
    chosen: dict[str, Option] = {}
    for option in options:
        for aggregate in events:
            if aggregate and selects(option, {aggregate}):
                chosen[aggregate] = option
    choosing = set(chosen.values())
    return tuple(
        shared_test(
            option.event,
            option.compare,
            option.targets,
            tuple(chosen[option.event].targets) if option.event in chosen else None,
        )
        for option in options
        if option not in choosing
    )


@dataclass(frozen=True, slots=True)
class Conditions:
    """A trigger's conditions, ready to be asked."""

    tests: tuple[tuple[Test, ...], ...]
    needed: int

    @classmethod
    def of(cls, trigger: Trigger) -> "Conditions":
        return cls(tuple(tests_of(condition) for condition in trigger.conditions), trigger.needed)

    def hold(self, view: View) -> bool:
        missing = len(self.tests) - self.needed
        for tests in self.tests:
            for test in tests:
                if not test.holds(view):
                    missing -= 1
                    if missing < 0:
                        return False
                    break
        return True

    def held_without_counts(self, view: View) -> bool:
        """Did they hold in a snapshot that was counted before, leaving counters aside?"""
        held = [
            all(not test.aggregate and test.holds(view) for test in tests) for tests in self.tests
        ]
        return held.count(True) >= self.needed

    def explained(self, view: View) -> Explanation:
        conditions = []
        for tests in self.tests:
            options = [test.explained(view) for test in tests]
            result = all(option["result"] for option in options)
            conditions.append({"event": tests[0].event, "result": result, "options": options})
        held = sum(bool(condition["result"]) for condition in conditions)
        return {
            "snapshot_id": view.snapshot.id,
            "satisfied": held >= self.needed,
            "held": held,
            "needed": self.needed,
            "conditions": conditions,
        }
