"""T14, T19: creates and changes triggers whose targets exist."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo.database import Database

from footy_assets.errors import Busy
from footy_assets.store.collections import Document
from footy_assets.triggers.rules.documents import parse_trigger, trigger_json
from footy_assets.triggers.rules.limits import shown_counts
from footy_assets.triggers.rules.targets import CheckedTrigger, check_targets
from footy_assets.triggers.rules.trigger import Trigger
from footy_assets.triggers.store.targets import match_targets
from footy_assets.triggers.store.triggers import StoredTrigger, TriggerStore

CHANGE_TRIES = 5
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class EditedTrigger:
    """A trigger as it is stored, and which of its targets could not be checked."""

    stored: StoredTrigger
    warnings: tuple[Json, ...]


def create_trigger(database: Database[Document], body: Any, now: datetime) -> EditedTrigger:
    checked = check_trigger(database, parse_trigger(body))
    return EditedTrigger(TriggerStore(database).create(checked.trigger, now), checked.warnings)


def change_trigger(
    database: Database[Document], id: str, change: Callable[[Json], Any], now: datetime
) -> EditedTrigger:
    """Applies a change to the current version; retries if the trigger has changed meanwhile."""
    store = TriggerStore(database)
    for _ in range(CHANGE_TRIES):
        known = store.get(id)
        wanted = parse_trigger(change(known.trigger.model_dump(mode="json", exclude_none=True)))
        # One that was made before may be switched off whatever its targets are now.
        same = wanted.conditions == known.trigger.conditions
        checked = CheckedTrigger(wanted) if same else check_trigger(database, wanted)
        after = store.update(id, checked.trigger, now, was=known.version)
        if after is not None:
            return EditedTrigger(after, checked.warnings)
    raise Busy(f"trigger {id} is being changed by other requests")


def check_trigger(database: Database[Document], trigger: Trigger) -> CheckedTrigger:
    known = match_targets(database, trigger.trigger.scope_id, trigger.sport)
    return check_targets(trigger, known)


def merge(given: Json) -> Callable[[Json], Json]:
    """The change that sets some fields, those of `trigger` one by one."""

    def merged(known: Json) -> Json:
        head = given.get("trigger", {})
        whole = {"trigger": {**known["trigger"], **head}} if isinstance(head, dict) else {}
        return {**known, **given, **whole}

    return merged


def shown_trigger(one: StoredTrigger, now: datetime) -> Json:
    """T22: a trigger as the API and the command line show it."""
    return trigger_json(one.id, one.trigger, shown_counts(one.tally, now))
