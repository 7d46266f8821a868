"""T7: what is counted over the snapshots of a scope, and what one snapshot moves."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from footy_assets.triggers.snapshot import Snapshot, each
from footy_assets.triggers.vocabulary import (
    CARD_PLAYER,
    CARD_TEAM,
    GOAL_CANCELLED,
    GOAL_PLAYER,
    GOAL_TEAM,
    GOAL_TYPE,
    OWN_GOAL,
    PLAYER,
    PLAYER_CARDS,
    PLAYER_SCORES,
    TEAM,
    TEAM_CARDS,
    TEAM_SCORES,
    VAR_OUTCOME,
    VOCABULARY,
)

# Which happening adds one to which counter, of the one it names.
ADDS_TO = {
    GOAL_TEAM: TEAM_SCORES,
    GOAL_PLAYER: PLAYER_SCORES,
    CARD_TEAM: TEAM_CARDS,
    CARD_PLAYER: PLAYER_CARDS,
}

Counter = tuple[str, str]


@dataclass(slots=True)
class Moves:
    """By aggregate and name, how far a snapshot moved a counter; and what it took back."""

    by: dict[str, dict[str, float]] = field(default_factory=dict)
    took_back: str | None = None


class Counters:
    """The counters of one scope after some of its snapshots, in their order."""

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

    def take(self, snapshot: Snapshot) -> Moves:
        """Count a snapshot; it moves what it adds, less what it takes back."""
        moves = Moves(took_back=self._takes_back(snapshot))
        if moves.took_back is not None:
            for aggregate, name in self._added.pop(moves.took_back, ()):
                self._move(moves, aggregate, name, -1)
            self._goals = [goal for goal in self._goals if goal.id != moves.took_back]
        said = dict(_said(snapshot))
        for (aggregate, name), count in said.items():
            self._move(moves, aggregate, name, count - self._counts[aggregate][name])
        told = {aggregate for aggregate, _ in said}
        added = [counter for counter in _adds(snapshot) if counter[0] not in told]
        for aggregate, name in added:
            self._move(moves, aggregate, name, 1)
        if added:
            self._added[snapshot.id] = added
        if _is_goal(snapshot):
            self._goals.append(snapshot)
        return moves

    def passed(
        self, moves: Moves, aggregate: str, names: Sequence[str] | None
    ) -> tuple[float, float] | None:
        """T7: where the sum over these names came from and got to; None if it did not move."""
        moved, counts = moves.by.get(aggregate), self._counts[aggregate]
        if not moved:
            return None
        if names is None:
            step, after = sum(moved.values()), sum(counts.values())
        else:
            if not any(name in moved for name in names):
                return None
            step = sum(moved.get(name, 0) for name in names)
            after = sum(counts[name] for name in names if name in counts)
        return after - step, after

    def _move(self, moves: Moves, aggregate: str, name: str, step: float) -> None:
        if step:
            self._counts[aggregate][name] += step
            moved = moves.by.setdefault(aggregate, {})
            moved[name] = moved.get(name, 0) + step

    def _takes_back(self, snapshot: Snapshot) -> str | None:
        if snapshot.cancels or snapshot.replaces:
            return snapshot.cancels or snapshot.replaces
        if snapshot.options.get(VAR_OUTCOME) != GOAL_CANCELLED:
            return None
        # A source that does not say which goal means the last one of that side and scorer.
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


def _adds(snapshot: Snapshot) -> list[Counter]:
    own = snapshot.options.get(GOAL_TYPE) == OWN_GOAL
    return [
        (aggregate, name)
        for event, aggregate in ADDS_TO.items()
        if event in snapshot.options and not (own and event == GOAL_PLAYER)
        for name in each(snapshot.options[event])
    ]


def _said(snapshot: Snapshot) -> Iterable[tuple[Counter, float]]:
    """Counts that the source itself tells: `5` of the one it names, or `{"home": 5}`."""
    for event, value in snapshot.options.items():
        selector = VOCABULARY[event].selector
        if selector is None:
            continue
        names: dict[str, Any] = value if isinstance(value, dict) else {}
        if not names:
            names = dict.fromkeys(each(snapshot.options.get(selector, ())), value)
        for name, count in names.items():
            yield (event, name), count


def crossed(compare: str, targets: Sequence[Any], before: float, after: float) -> bool:
    """T7: does any of the whole numbers that the counter passed compare so with a target?

    Moving from 3 to 5 passes 4 and 5. A counter that falls passes nothing: a recount is no event.
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
