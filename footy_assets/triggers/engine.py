"""The triggers of one scope, fed one snapshot after the other: what fires, and what is taken back.

The engine is the pure evaluator. What it keeps is what the store keeps: counters that follow from
the snapshots, tallies of what was told, and which snapshot made which trigger fire.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from footy_assets.triggers.conditions import Conditions, Explanation, View
from footy_assets.triggers.counters import Counters
from footy_assets.triggers.index import Index
from footy_assets.triggers.limits import Tally, in_force, refusal, spent, told
from footy_assets.triggers.snapshot import Snapshot
from footy_assets.triggers.trigger import Trigger

EntityKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Listener:
    """A trigger as it listens. `order` settles who comes first where one may only; `since` is the
    number of the last snapshot that it does not hear."""

    id: str
    trigger: Trigger
    order: str = ""
    since: int = 0
    tally: Tally = field(default_factory=Tally)

    @property
    def limits(self) -> dict[str, int]:
        return in_force(self.trigger.limits, self.trigger.trigger.use_limits)

    @property
    def entity(self) -> EntityKey:
        return (self.trigger.trigger.entity, self.trigger.trigger.entity_id)


@dataclass(frozen=True, slots=True)
class Entity:
    """Limits over all triggers of one entity that use them."""

    limits: Mapping[str, int] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)


@dataclass(frozen=True, slots=True)
class Activation:
    """T8, T11: a trigger was told of a snapshot."""

    trigger_id: str
    snapshot: Snapshot
    # What the trigger was told by then.
    tally: Tally
    limits: Mapping[str, int]
    next: bool
    explanation: Explanation
    # What its entity was told by then, if the trigger shares its entity's limits.
    entity_tally: Tally | None = None

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
    """T11: what an activation told of is no more; `by` is the snapshot that took it back."""

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
    touched: int = 0


def activation_id(trigger_id: str, snapshot_id: str) -> str:
    return f"{trigger_id}|{snapshot_id}"


class Engine:
    def __init__(
        self,
        listeners: Iterable[Listener] = (),
        entities: Mapping[EntityKey, Entity] | None = None,
        fired: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        self.counters = Counters()
        self.listeners: dict[str, Listener] = {}
        self.entities: dict[EntityKey, Entity] = dict(entities or {})
        # By the snapshot that stands for a moment now: who was told, and by which snapshot first.
        self._fired: dict[str, list[tuple[str, str]]] = {
            snapshot: [(id, snapshot) for id in ids] for snapshot, ids in (fired or {}).items()
        }
        self.tallies: dict[str, Tally] = {}
        self._asked: dict[str, Conditions] = {}
        self._limits: dict[str, dict[str, int]] = {}
        self._seen: dict[str, Snapshot] = {}
        self._index = Index()
        for listener in listeners:
            self.put(listener)

    # -- triggers -------------------------------------------------------------------------

    def put(self, listener: Listener) -> None:
        self.drop(listener.id)
        id, trigger = listener.id, listener.trigger
        self.listeners[id], self.tallies[id] = listener, listener.tally
        self._asked[id], self._limits[id] = Conditions.of(trigger), listener.limits
        if trigger.listens and not spent(listener.limits, listener.tally):
            self._index.add(id, self._asked[id])

    def drop(self, id: str) -> None:
        if id in self.listeners:
            self._index.remove(id, self._asked[id])
            del self.listeners[id], self.tallies[id], self._asked[id], self._limits[id]

    # -- snapshots ------------------------------------------------------------------------

    def remember(self, snapshot: Snapshot) -> None:
        """A snapshot that was evaluated before: it counts, and nothing fires."""
        view = self._view(snapshot)
        if view.moves.took_back is not None:
            standing = self._fired.pop(view.moves.took_back, [])
            if snapshot.replaces and standing:
                self._fired.setdefault(snapshot.id, []).extend(standing)

    def step(self, snapshot: Snapshot, number: int = 0) -> Step:
        """One snapshot, the `number`th of its scope: who fires, in the order of `order`.

        Who was told of it before, by a worker that did not get to its end, is not told again.
        """
        view = self._view(snapshot)
        heard_before = {id for id, _ in self._fired.get(snapshot.id, ())}
        touched = self._index.concerned(view) - heard_before
        satisfied = [
            listener
            for id in touched
            if (number > (listener := self.listeners[id]).since or not number)
            and self._asked[id].hold(view)
            and self._news(id, snapshot)
        ]
        satisfied.sort(key=lambda listener: (listener.order, listener.id))
        activations = []
        for listener in satisfied:
            activation = self._fire(listener, view)
            if activation is not None:
                activations.append(activation)
        retractions = self._retractions(view)
        if activations:
            heard = self._fired.setdefault(snapshot.id, [])
            heard.extend((activation.trigger_id, snapshot.id) for activation in activations)
        return Step(tuple(activations), retractions, len(touched))

    def explain(self, id: str, snapshot: Snapshot) -> Explanation:
        """T13: how a trigger would answer this snapshot if it came now; nothing is counted."""
        trial = self.counters.copy()
        view = View(snapshot, trial, trial.take(snapshot))
        return self._explained(self.listeners[id], self._asked[id], view)

    # -- inside ---------------------------------------------------------------------------

    def _view(self, snapshot: Snapshot) -> View:
        self._seen[snapshot.id] = snapshot
        return View(snapshot, self.counters, self.counters.take(snapshot))

    def _news(self, id: str, snapshot: Snapshot) -> bool:
        """A moment told anew is news to those who did not hear of it before."""
        former = self._seen.get(snapshot.replaces or "")
        if former is None:
            return True
        return not self._asked[id].held_without_counts(_alone(former, self.counters))

    def _fire(self, listener: Listener, view: View) -> Activation | None:
        head, snapshot = listener.trigger.trigger, view.snapshot
        entity = self.entities.get(listener.entity, Entity())
        entity_limits = in_force(entity.limits, head.use_entity_limits)
        id = listener.id
        limits, tally = self._limits[id], self.tallies[id]
        if refusal(limits, tally, snapshot):
            return None
        if refusal(entity_limits, entity.tally, snapshot):
            return None
        explanation = self._explained(listener, self._asked[id], view)
        after = self.tallies[id] = told(limits, tally, snapshot)
        ended = spent(limits, after)
        if ended:
            self._index.remove(id, self._asked[id])
        if head.use_entity_limits:
            entity = replace(entity, tally=told(entity_limits, entity.tally, snapshot))
            self.entities[listener.entity] = entity
            ended = ended or spent(entity_limits, entity.tally)
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
        """T11: who was told of what is taken back; a moment told anew may hold for them still."""
        former = view.moves.took_back
        if former is None:
            return ()
        gone: list[tuple[str, str]] = []
        kept: list[tuple[str, str]] = []
        for heard in self._fired.pop(former, []):
            stands = view.snapshot.replaces and self._still_holds(heard[0], view)
            (kept if stands else gone).append(heard)
        if kept:
            self._fired.setdefault(view.snapshot.id, []).extend(kept)
        return tuple(Retraction(id, first, view.snapshot) for id, first in sorted(gone))

    def _still_holds(self, id: str, view: View) -> bool:
        """As if what is replaced had never been: does the trigger hold for its replacement?"""
        if id not in self._asked:
            return False
        return self._asked[id].hold(_as_if_first(view))

    def _explained(self, listener: Listener, asked: Conditions, view: View) -> Explanation:
        entity = self.entities.get(listener.entity, Entity())
        by_entity = in_force(entity.limits, listener.trigger.trigger.use_entity_limits)
        explanation: dict[str, Any] = asked.explained(view)
        limits, tally = self._limits[listener.id], self.tallies[listener.id]
        refused = refusal(limits, tally, view.snapshot)
        refused_entity = refusal(by_entity, entity.tally, view.snapshot)
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


def _alone(snapshot: Snapshot, counters: Counters) -> View:
    return View(snapshot, counters, Counters().take(snapshot))


def _as_if_first(view: View) -> View:
    moves = Counters().take(view.snapshot.model_copy(update={"replaces": None}))
    return View(view.snapshot, view.counters, moves)
