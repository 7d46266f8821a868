"""T13: explains how a trigger evaluated a snapshot."""

from pymongo.database import Database

from footy_assets.errors import NotFound
from footy_assets.store.collections import Document
from footy_assets.triggers.rules.conditions import Explanation
from footy_assets.triggers.rules.engine import Listener
from footy_assets.triggers.rules.snapshot import Snapshot
from footy_assets.triggers.rules.versioned_engine import VersionedEngine
from footy_assets.triggers.store.snapshots import scope_key
from footy_assets.triggers.store.triggers import TriggerStore


def explain_trigger(
    database: Database[Document], trigger_id: str, requested: str | Snapshot | None = None
) -> Explanation:
    """T13: how a trigger evaluated a stored snapshot (by id), or would evaluate a new one now.

    The default is the last snapshot of the trigger's scope.
    """
    triggers = TriggerStore(database)
    stored = triggers.get(trigger_id)
    head = stored.trigger.trigger
    key = scope_key(head.scope, head.scope_id)
    numbered = triggers.snapshots.numbered(key)
    if requested is None:
        if not numbered:
            raise NotFound(f"there is no snapshot of {key} yet")
        requested = numbered[-1][1].id
    snapshot_id = requested if isinstance(requested, str) else requested.id
    history = VersionedEngine(triggers.changes(key))
    number, snapshot = len(numbered) + 1, None if isinstance(requested, str) else requested
    for nth, one in numbered:
        if one.id == snapshot_id:
            number, snapshot = nth, one
            break
        history.step(nth, one)
    if snapshot is None:
        raise NotFound(f"{key} has no snapshot {snapshot_id:.80}")
    history.apply_changes_before(number)
    if trigger_id in history.engine.listeners:
        return history.engine.explain(trigger_id, snapshot)
    # The snapshot is older than the trigger, which therefore could not fire on it.
    history.engine.put(Listener(trigger_id, stored.trigger))
    return {**history.engine.explain(trigger_id, snapshot), "listens": False, "fired": False}
