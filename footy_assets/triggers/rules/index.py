"""Finds the triggers that may fire on a snapshot, without evaluating the others.

A condition holds only if each of its options does, so it is indexed by its rarest option. A trigger
that needs N of M conditions is indexed by M−N+1 of them: if N hold, one of these does.
"""

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from footy_assets.triggers.rules.conditions import DATASOURCE, CompiledOption, Conditions, View
from footy_assets.triggers.rules.snapshot import as_tuple
from footy_assets.triggers.rules.sports import AGGREGATES, VOCABULARY

ANY = "*"
EQUAL = ("in", "eq")
FROM = ("ge", "gt")
TO = ("le", "lt")

TriggerIds = dict[str, None]


class _Thresholds:
    """Trigger ids sorted by threshold."""

    def __init__(self) -> None:
        self._entries: list[tuple[float, str]] = []

    def add(self, threshold: float, id: str) -> None:
        insort(self._entries, (threshold, id))

    def remove(self, threshold: float, id: str) -> None:
        place = bisect_left(self._entries, (threshold, id))
        if place < len(self._entries) and self._entries[place] == (threshold, id):
            del self._entries[place]

    def up_to(self, value: float) -> Iterator[str]:
        end = bisect_right(self._entries, value, key=lambda entry: entry[0])
        return (id for _, id in self._entries[:end])

    def from_(self, value: float) -> Iterator[str]:
        start = bisect_left(self._entries, value, key=lambda entry: entry[0])
        return (id for _, id in self._entries[start:])


class Index:
    def __init__(self) -> None:
        self._equal: defaultdict[str, dict[Any, TriggerIds]] = defaultdict(dict)
        self._lows: defaultdict[str, _Thresholds] = defaultdict(_Thresholds)
        self._highs: defaultdict[str, _Thresholds] = defaultdict(_Thresholds)

    def add(self, id: str, conditions: Conditions) -> None:
        for option in _indexed_options(conditions):
            if option.aggregate or option.compare in EQUAL:
                by_value = self._equal[option.event]
                for key in _keys(option):
                    by_value.setdefault(key, {})[id] = None
            elif option.compare in FROM:
                self._lows[option.event].add(option.targets[0], id)
            elif option.compare in TO:
                self._highs[option.event].add(option.targets[0], id)
            else:
                self._equal[option.event].setdefault(ANY, {})[id] = None

    def remove(self, id: str, conditions: Conditions) -> None:
        for option in _indexed_options(conditions):
            for key in (*_keys(option), ANY):
                self._equal[option.event].get(key, {}).pop(id, None)
            if option.compare in FROM:
                self._lows[option.event].remove(option.targets[0], id)
            elif option.compare in TO:
                self._highs[option.event].remove(option.targets[0], id)

    def candidates(self, view: View) -> set[str]:
        found: set[str] = set()
        for event, value in view.snapshot.options.items():
            if event in AGGREGATES:
                continue
            if by_value := self._equal.get(event):
                for one in as_tuple(value):
                    found.update(by_value.get(one, ()))
                found.update(by_value.get(ANY, ()))
            if event in self._lows:
                found.update(self._lows[event].up_to(max(as_tuple(value))))
            if event in self._highs:
                found.update(self._highs[event].from_(min(as_tuple(value))))
        for aggregate, changed in view.changes.by_aggregate.items():
            if by_value := self._equal.get(aggregate):
                for name in (*changed, ANY):
                    found.update(by_value.get(name, ()))
        return found


def _indexed_options(conditions: Conditions) -> list[CompiledOption]:
    rarest = [min(options, key=_commonness) for options in conditions.compiled]
    if conditions.joined_by_or:
        return _cover(rarest, conditions.joined_by_or)
    rarest.sort(key=_commonness)
    return rarest[: len(rarest) - conditions.needed + 1]


def _cover(rarest: list[CompiledOption], joined_by_or: Sequence[bool]) -> list[CompiledOption]:
    """Of conditions joined from left to right: if they hold, one of these options does."""
    cover = rarest[:1]
    for option, by_or in zip(rarest[1:], joined_by_or[1:], strict=True):
        if by_or:
            cover = [*cover, option]
        elif _commonness(option) < max(map(_commonness, cover)):
            cover = [option]
    return cover


def _commonness(option: CompiledOption) -> int:
    """Events are rarer than state, which every snapshot has; equality is rarer than a range."""
    if option.event == DATASOURCE:
        return 20
    rank = 10 if VOCABULARY[option.event].state else 0
    if option.aggregate or option.compare in EQUAL:
        return rank
    return rank + (5 if option.compare in (*FROM, *TO) else 8)


def _keys(option: CompiledOption) -> tuple[Any, ...]:
    if option.aggregate:
        return (ANY,) if option.names is None else option.names
    return option.targets
