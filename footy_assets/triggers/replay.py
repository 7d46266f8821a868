"""The same snapshots through the same triggers again: the same answer, and nothing is sent."""

from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

from footy_assets.triggers.engine import Engine, Entity, EntityKey, Listener, Step
from footy_assets.triggers.limits import in_force, recounted
from footy_assets.triggers.snapshot import Snapshot
from footy_assets.triggers.trigger import Trigger


@dataclass(frozen=True, slots=True)
class TriggerChange:
    """From the snapshot after number `since` on a trigger is so; None: it was deleted."""

    since: int
    id: str
    order: str
    trigger: Trigger | None


@dataclass(frozen=True, slots=True)
class EntityChange:
    since: int
    entity: EntityKey
    limits: dict[str, int]


Change = TriggerChange | EntityChange


class Replay:
    """Numbered snapshots in their order, each met by the triggers of its time."""

    def __init__(self, changes: Iterable[Change]) -> None:
        self.engine = Engine()
        # Those between two snapshots stay in the order in which they were made.
        self._to_come = deque(sorted(changes, key=lambda change: change.since))
        self._told: defaultdict[str, list[Snapshot]] = defaultdict(list)
        self._told_of: defaultdict[EntityKey, list[Snapshot]] = defaultdict(list)

    def step(self, number: int, snapshot: Snapshot) -> Step:
        self.catch_up(number)
        step = self.engine.step(snapshot, number)
        for activation in step.activations:
            self._told[activation.trigger_id].append(snapshot)
            if activation.by_entity_limits:
                self._told_of[self.engine.listeners[activation.trigger_id].entity].append(snapshot)
        return step

    def catch_up(self, number: int) -> None:
        """Make triggers and limits what they were when this snapshot was evaluated."""
        while self._to_come and self._to_come[0].since < number:
            self._apply(self._to_come.popleft())

    def _apply(self, change: Change) -> None:
        if isinstance(change, EntityChange):
            tally = recounted(in_force(change.limits), self._told_of[change.entity])
            self.engine.entities[change.entity] = Entity(change.limits, tally)
        elif change.trigger is None:
            self.engine.drop(change.id)
        else:
            listener = Listener(change.id, change.trigger, change.order, change.since)
            tally = recounted(listener.limits, self._told[change.id])
            self.engine.put(replace(listener, tally=tally))


def replay(
    snapshots: Iterable[tuple[int, Snapshot]], changes: Iterable[Change]
) -> list[tuple[Snapshot, Step]]:
    again = Replay(changes)
    return [(snapshot, again.step(number, snapshot)) for number, snapshot in snapshots]
