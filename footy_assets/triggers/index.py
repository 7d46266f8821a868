"""Which triggers a snapshot can concern at all: it touches those, and no others.

A condition holds only if each of its options does, so it is filed under the one that holds most
rarely. A trigger that needs N of M conditions is filed under M−N+1 of them: if N hold, one of these
does.
"""

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from footy_assets.triggers.conditions import Conditions, Test, View
from footy_assets.triggers.snapshot import each
from footy_assets.triggers.vocabulary import VOCABULARY

ANY = "*"
EQUAL = ("in", "eq")
FROM = ("ge", "gt")
TO = ("le", "lt")

Shelf = dict[str, None]


class _Thresholds:
    """Ids by a number; answers with those on one side of a value."""

    def __init__(self) -> None:
        self._filed: list[tuple[float, str]] = []

    def add(self, threshold: float, id: str) -> None:
        insort(self._filed, (threshold, id))

    def remove(self, threshold: float, id: str) -> None:
        place = bisect_left(self._filed, (threshold, id))
        if place < len(self._filed) and self._filed[place] == (threshold, id):
            del self._filed[place]

    def up_to(self, value: float) -> Iterator[str]:
        end = bisect_right(self._filed, value, key=lambda filed: filed[0])
        return (id for _, id in self._filed[:end])

    def from_(self, value: float) -> Iterator[str]:
        start = bisect_left(self._filed, value, key=lambda filed: filed[0])
        return (id for _, id in self._filed[start:])


class Index:
    def __init__(self) -> None:
        self._equal: defaultdict[str, dict[Any, Shelf]] = defaultdict(dict)
        self._lows: defaultdict[str, _Thresholds] = defaultdict(_Thresholds)
        self._highs: defaultdict[str, _Thresholds] = defaultdict(_Thresholds)

    def add(self, id: str, conditions: Conditions) -> None:
        for test in _filed_under(conditions):
            if test.aggregate or test.compare in EQUAL:
                shelves = self._equal[test.event]
                for key in _keys(test):
                    shelves.setdefault(key, {})[id] = None
            elif test.compare in FROM:
                self._lows[test.event].add(test.targets[0], id)
            elif test.compare in TO:
                self._highs[test.event].add(test.targets[0], id)
            else:
                self._equal[test.event].setdefault(ANY, {})[id] = None

    def remove(self, id: str, conditions: Conditions) -> None:
        for test in _filed_under(conditions):
            for key in (*_keys(test), ANY):
                self._equal[test.event].get(key, {}).pop(id, None)
            if test.compare in FROM:
                self._lows[test.event].remove(test.targets[0], id)
            elif test.compare in TO:
                self._highs[test.event].remove(test.targets[0], id)

    def concerned(self, view: View) -> set[str]:
        found: set[str] = set()
        for event, value in view.snapshot.options.items():
            if VOCABULARY[event].aggregate:
                continue
            if shelves := self._equal.get(event):
                for one in each(value):
                    found.update(shelves.get(one, ()))
                found.update(shelves.get(ANY, ()))
            if event in self._lows:
                found.update(self._lows[event].up_to(max(each(value))))
            if event in self._highs:
                found.update(self._highs[event].from_(min(each(value))))
        for aggregate, moved in view.moves.by.items():
            if shelves := self._equal.get(aggregate):
                for name in (*moved, ANY):
                    found.update(shelves.get(name, ()))
        return found


def _filed_under(conditions: Conditions) -> list[Test]:
    rarest = [min(tests, key=_commonness) for tests in conditions.tests]
    rarest.sort(key=_commonness)
    return rarest[: len(rarest) - conditions.needed + 1]


def _commonness(test: Test) -> int:
    """Happenings are rarer than what every snapshot says; one value is rarer than a side."""
    rank = 10 if VOCABULARY[test.event].state else 0
    if test.aggregate or test.compare in EQUAL:
        return rank
    return rank + (5 if test.compare in (*FROM, *TO) else 8)


def _keys(test: Test) -> tuple[Any, ...]:
    if test.aggregate:
        return (ANY,) if test.names is None else test.names
    return test.targets
