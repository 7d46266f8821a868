"""T9: replays the snapshots of a match and compares the result with what was sent live."""

from dataclasses import dataclass

from pymongo.database import Database

from footy_assets.store.collections import Document
from footy_assets.triggers.rules.versioned_engine import VersionedEngine
from footy_assets.triggers.store.evaluation import notification
from footy_assets.triggers.store.triggers import TriggerStore


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The activations of a scope, replayed and live.

    Only the first `evaluated` snapshots were evaluated live, so only these are compared.
    """

    scope_key: str
    snapshots: int
    evaluated: int
    replayed: list[Document]
    live: list[Document]

    @property
    def matches_live(self) -> bool:
        comparable = [one for one in self.replayed if one["number"] <= self.evaluated]
        return comparable == self.live


def replay_scope(database: Database[Document], key: str) -> ReplayResult:
    """Evaluates every snapshot of a scope with the triggers of its time; writes nothing."""
    triggers = TriggerStore(database)
    evaluated = triggers.scope(key)["evaluated"]
    numbered = triggers.snapshots.numbered(key)
    engine, replayed = VersionedEngine(triggers.changes(key)), dict[str, Document]()
    for number, snapshot in numbered:
        step = engine.step(number, snapshot)
        for one in step.activations:
            body = notification(one, engine.engine)
            replayed[one.id] = {**body, "number": number, "retracted_by": None}
        for gone in step.retractions:
            if number <= evaluated or replayed[gone.id]["number"] > evaluated:
                replayed[gone.id]["retracted_by"] = gone.by.id
    live = [
        {**document["notification"], "number": document["number"]}
        | {"retracted_by": document["retracted_by"]}
        for document in triggers.scope_activations(key)
    ]
    return ReplayResult(key, len(numbered), evaluated, list(replayed.values()), live)
