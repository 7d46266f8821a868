"""T9: an engine that applies every change of triggers and limits at the snapshot it was made."""

from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

from footy_assets.triggers.rules.engine import Engine, EntityKey, EntityLimits, Listener, Step
from footy_assets.triggers.rules.limits import effective_limits, recount
from footy_assets.triggers.rules.snapshot import Snapshot
from footy_assets.triggers.rules.trigger import Trigger


@dataclass(frozen=True, slots=True)
class TriggerChange:
    """A trigger as it is from the snapshot after number `since` on; None once it is deleted."""

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


class VersionedEngine:
    """Evaluates numbered snapshots in order, each with the triggers of its time."""

    def __init__(self, changes: Iterable[Change]) -> None:
        self.engine = Engine()
        # A stable sort: changes between two snapshots stay in the order they were made.
        self._pending = deque(sorted(changes, key=lambda change: change.since))
        self._fired_snapshots: defaultdict[str, list[Snapshot]] = defaultdict(list)
        self._fired_by_entity: defaultdict[EntityKey, list[Snapshot]] = defaultdict(list)

    def step(self, number: int, snapshot: Snapshot) -> Step:
        self.apply_changes_before(number)
        step = self.engine.step(snapshot, number)
        for activation in step.activations:
            self._fired_snapshots[activation.trigger_id].append(snapshot)
            if activation.by_entity_limits:
                self._fired_by_entity[self.engine.listeners[activation.trigger_id].entity].append(
                    snapshot
                )
        return step

    def apply_changes_before(self, number: int) -> None:
        """Applies every change made before this snapshot was evaluated."""
        while self._pending and self._pending[0].since < number:
            self._apply(self._pending.popleft())

    def _apply(self, change: Change) -> None:
        if isinstance(change, EntityChange):
            tally = recount(effective_limits(change.limits), self._fired_by_entity[change.entity])
            self.engine.entities[change.entity] = EntityLimits(change.limits, tally)
        elif change.trigger is None:
            self.engine.drop(change.id)
        else:
            listener = Listener(change.id, change.trigger, change.order, change.since)
            tally = recount(listener.limits, self._fired_snapshots[change.id])
            self.engine.put(replace(listener, tally=tally))
