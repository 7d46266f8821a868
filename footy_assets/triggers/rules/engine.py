"""Evaluates the triggers of a scope on successive snapshots: what fires, and what is retracted.

The engine is pure. Its state is what the store holds: counters that follow from the snapshots,
tallies of activations, and which snapshot fired which trigger.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from footy_assets.triggers.rules.conditions import Conditions, Explanation, View
from footy_assets.triggers.rules.counters import Counters
from footy_assets.triggers.rules.index import Index
from footy_assets.triggers.rules.limits import (
    FireCount,
    count_activation,
    effective_limits,
    exceeded_limit,
    is_exhausted,
)
from footy_assets.triggers.rules.snapshot import Snapshot
from footy_assets.triggers.rules.trigger import Trigger

EntityKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Listener:
    """A trigger in the engine. `order` decides which one fires first if a limit allows only one;
    `since` is the number of the last snapshot that it ignores."""

    id: str
    trigger: Trigger
    order: str = ""
    since: int = 0
    tally: FireCount = field(default_factory=FireCount)

    @property
    def limits(self) -> dict[str, int]:
        return effective_limits(self.trigger.limits, self.trigger.trigger.use_limits)

    @property
    def entity(self) -> EntityKey:
        return (self.trigger.trigger.entity, self.trigger.trigger.entity_id)


@dataclass(frozen=True, slots=True)
class EntityLimits:
    """The limits shared by all triggers of one entity that use them."""

    limits: Mapping[str, int] = field(default_factory=dict)
    tally: FireCount = field(default_factory=FireCount)


@dataclass(frozen=True, slots=True)
class Activation:
    """T8, T11: a trigger fired on a snapshot."""

    trigger_id: str
    snapshot: Snapshot
    # The trigger's tally after this activation.
    tally: FireCount
    limits: Mapping[str, int]
    next: bool
    explanation: Explanation
    # Its entity's tally after it, if the trigger shares its entity's limits.
    entity_tally: FireCount | None = None

    @property
    def id(self) -> str:
        return activation_id(self.trigger_id, self.snapshot.id)

    @property
    def counts(self) -> Mapping[str, int]:
        return self.tally.counts

    @property
    def by_entity_limits(self) -> bool:
        return self.entity_tally is not None


@dataclass(frozen=True, slots=True)
class Retraction:
    """T11: an activation no longer holds; `by` is the snapshot that cancelled it."""

    trigger_id: str
    snapshot_id: str
    by: Snapshot

    @property
    def id(self) -> str:
        return activation_id(self.trigger_id, self.snapshot_id)


@dataclass(frozen=True, slots=True)
class Step:
    activations: tuple[Activation, ...] = ()
    retractions: tuple[Retraction, ...] = ()
    candidates: int = 0


def activation_id(trigger_id: str, snapshot_id: str) -> str:
    return f"{trigger_id}|{snapshot_id}"


class Engine:
    def __init__(
        self,
        listeners: Iterable[Listener] = (),
        entities: Mapping[EntityKey, EntityLimits] | None = None,
        fired: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        self.counters = Counters()
        self.listeners: dict[str, Listener] = {}
        self.entities: dict[EntityKey, EntityLimits] = dict(entities or {})
        # By the current snapshot of a moment: the triggers that fired, and on which snapshot.
        self._fired: dict[str, list[tuple[str, str]]] = {
            snapshot: [(id, snapshot) for id in ids] for snapshot, ids in (fired or {}).items()
        }
        self.tallies: dict[str, FireCount] = {}
        self._conditions: dict[str, Conditions] = {}
        self._limits: dict[str, dict[str, int]] = {}
        self._snapshots: dict[str, Snapshot] = {}
        self._index = Index()
        for listener in listeners:
            self.put(listener)

    # -- triggers -------------------------------------------------------------------------

    def put(self, listener: Listener) -> None:
        self.drop(listener.id)
        id, trigger = listener.id, listener.trigger
        self.listeners[id], self.tallies[id] = listener, listener.tally
        self._conditions[id], self._limits[id] = Conditions.of(trigger), listener.limits
        if trigger.listens and not is_exhausted(listener.limits, listener.tally):
            self._index.add(id, self._conditions[id])

    def drop(self, id: str) -> None:
        if id in self.listeners:
            self._index.remove(id, self._conditions[id])
            del self.listeners[id], self.tallies[id], self._conditions[id], self._limits[id]

    # -- snapshots ------------------------------------------------------------------------

    def restore(self, snapshot: Snapshot) -> None:
        """Counts a snapshot that was evaluated before; nothing fires."""
        view = self._view(snapshot)
        if view.changes.cancelled_id is not None:
            standing = self._fired.pop(view.changes.cancelled_id, [])
            if snapshot.replaces and standing:
                self._fired.setdefault(snapshot.id, []).extend(standing)

    def step(self, snapshot: Snapshot, number: int = 0) -> Step:
        """Evaluates one snapshot, the `number`th of its scope; triggers fire in order of `order`.

        A trigger that fired on it before, in a worker that died midway, does not fire again.
        """
        view = self._view(snapshot)
        fired_before = {id for id, _ in self._fired.get(snapshot.id, ())}
        candidates = self._index.candidates(view) - fired_before
        satisfied = [
            listener
            for id in candidates
            if (number > (listener := self.listeners[id]).since or not number)
            and self._conditions[id].hold(view)
            and self._is_new_for(id, snapshot)
        ]
        satisfied.sort(key=lambda listener: (listener.order, listener.id))
        activations = []
        for listener in satisfied:
            activation = self._fire(listener, view)
            if activation is not None:
                activations.append(activation)
        retractions = self._retractions(view)
        if activations:
            fired = self._fired.setdefault(snapshot.id, [])
            fired.extend((activation.trigger_id, snapshot.id) for activation in activations)
        return Step(tuple(activations), retractions, len(candidates))

    def explain(self, id: str, snapshot: Snapshot) -> Explanation:
        """T13: how a trigger would evaluate this snapshot now; nothing is counted."""
        trial = self.counters.copy()
        view = View(snapshot, trial, trial.apply(snapshot))
        return self._explain(self.listeners[id], self._conditions[id], view)

    # -- inside ---------------------------------------------------------------------------

    def _view(self, snapshot: Snapshot) -> View:
        self._snapshots[snapshot.id] = snapshot
        return View(snapshot, self.counters, self.counters.apply(snapshot))

    def _is_new_for(self, id: str, snapshot: Snapshot) -> bool:
        """A replacement is new for a trigger whose conditions the replaced one did not meet."""
        former = self._snapshots.get(snapshot.replaces or "")
        if former is None:
            return True
        return not self._conditions[id].hold_without_counters(_isolated_view(former, self.counters))

    def _fire(self, listener: Listener, view: View) -> Activation | None:
        head, snapshot = listener.trigger.trigger, view.snapshot
        entity = self.entities.get(listener.entity, EntityLimits())
        entity_limits = effective_limits(entity.limits, head.use_entity_limits)
        id = listener.id
        limits, tally = self._limits[id], self.tallies[id]
        if exceeded_limit(limits, tally, snapshot):
            return None
        if exceeded_limit(entity_limits, entity.tally, snapshot):
            return None
        explanation = self._explain(listener, self._conditions[id], view)
        after = self.tallies[id] = count_activation(limits, tally, snapshot)
        ended = is_exhausted(limits, after)
        if ended:
            self._index.remove(id, self._conditions[id])
        if head.use_entity_limits:
            entity = replace(entity, tally=count_activation(entity_limits, entity.tally, snapshot))
            self.entities[listener.entity] = entity
            ended = ended or is_exhausted(entity_limits, entity.tally)
        return Activation(
            id,
            snapshot,
            after,
            limits,
            not ended,
            explanation,
            entity.tally if head.use_entity_limits else None,
        )

    def _retractions(self, view: View) -> tuple[Retraction, ...]:
        """T11: retracts activations of a cancelled snapshot, unless its replacement holds."""
        former = view.changes.cancelled_id
        if former is None:
            return ()
        gone: list[tuple[str, str]] = []
        kept: list[tuple[str, str]] = []
        for fired in self._fired.pop(former, []):
            stands = view.snapshot.replaces and self._still_holds(fired[0], view)
            (kept if stands else gone).append(fired)
        if kept:
            self._fired.setdefault(view.snapshot.id, []).extend(kept)
        return tuple(Retraction(id, first, view.snapshot) for id, first in sorted(gone))

    def _still_holds(self, id: str, view: View) -> bool:
        """Does the trigger hold for the replacement, as if the replaced one had never been?"""
        if id not in self._conditions:
            return False
        return self._conditions[id].hold(_view_without_replaced(view))

    def _explain(self, listener: Listener, conditions: Conditions, view: View) -> Explanation:
        entity = self.entities.get(listener.entity, EntityLimits())
        by_entity = effective_limits(entity.limits, listener.trigger.trigger.use_entity_limits)
        explanation: dict[str, Any] = conditions.explain(view)
        limits, tally = self._limits[listener.id], self.tallies[listener.id]
        refused = exceeded_limit(limits, tally, view.snapshot)
        refused_entity = exceeded_limit(by_entity, entity.tally, view.snapshot)
        fired = explanation["satisfied"] and not refused and not refused_entity
        return {
            **explanation,
            "listens": listener.trigger.listens,
            "limits": limits,
            "counts_before": dict(tally.counts),
            "refused_by_limit": refused,
            "refused_by_entity_limit": refused_entity,
            "fired": fired and listener.trigger.listens,
        }


def _isolated_view(snapshot: Snapshot, counters: Counters) -> View:
    return View(snapshot, counters, Counters().apply(snapshot))


def _view_without_replaced(view: View) -> View:
    changes = Counters().apply(view.snapshot.model_copy(update={"replaces": None}))
    return View(view.snapshot, view.counters, changes)
