"""Commands that create and change triggers."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import TypeAdapter, ValidationError
from pymongo.database import Database

from footy_assets.cli.invocation import invocation_settings
from footy_assets.cli.output import Json, print_json, print_rows
from footy_assets.cli.output import stderr as error_console
from footy_assets.cli.output import stdout as console
from footy_assets.errors import BadInput
from footy_assets.parsing import decode_text, parse_json, read_text
from footy_assets.store.collections import Document
from footy_assets.triggers.edit import (
    EditedTrigger,
    change_trigger,
    create_trigger,
    merge,
    shown_trigger,
)
from footy_assets.triggers.rules.documents import attributes_of, validation_errors
from footy_assets.triggers.rules.option import Condition
from footy_assets.triggers.rules.targets import WrongTargets
from footy_assets.triggers.rules.trigger import Limits, known_limits
from footy_assets.triggers.store.entities import EntityStore
from footy_assets.triggers.store.triggers import TriggerStore
from resources.mongo.connection import open_mongo

TriggerFile = Annotated[
    Path, typer.Option("--trigger", metavar="FILE", help="A trigger as JSON; - reads stdin.")
]
TriggerArgument = Annotated[str, typer.Argument(metavar="TRIGGER", help="The id of a trigger.")]
Entity = Annotated[str, typer.Option(help="The kind of the entity.")]
EntityId = Annotated[str, typer.Option("--entity-id", help="The id of the entity.")]
OneGame = Annotated[str | None, typer.Option("--game", help="Only its triggers on this match.")]

# Of a whole matchday; each line is limited as any JSON is.
SNAPSHOT_BYTES = 50_000_000
LIMITS = TypeAdapter(Limits)


def create(trigger: TriggerFile, as_json: Json = False) -> None:
    """Create a trigger; it listens to snapshots from now on."""
    now = invocation_settings().make_clock().now()
    with open_database() as database, one_sentence(trigger):
        edited = create_trigger(database, read_body(trigger), now)
    _print_edited(edited, "created", as_json)


def show(trigger_id: TriggerArgument, as_json: Json = False) -> None:
    """Show a trigger: whose it is, its conditions, limits and counts."""
    now = invocation_settings().make_clock().now()
    with open_database() as database:
        data = shown_trigger(found := TriggerStore(database).get(trigger_id), now)
    if as_json:
        print_json(data)
        return
    head, attributes = found.trigger.trigger, data["attributes"]
    rows = [
        {"field": "trigger", "value": found.id},
        {"field": "name", "value": head.name or ""},
        {"field": "entity", "value": f"{head.entity} {head.entity_id}"},
        {"field": "match", "value": head.scope_id},
        {"field": "when", "value": conditions_text(found.trigger.conditions)},
        {"field": "limits", "value": attributes["limits"]},
        {"field": "counts", "value": attributes["counts"]},
        {"field": "listens", "value": found.trigger.listens},
    ]
    print_rows(rows, {"field": "field", "value": "value"}, "")


def update(trigger_id: TriggerArgument, trigger: TriggerFile, as_json: Json = False) -> None:
    """Change the fields of a trigger that the file has; the others stay."""
    with one_sentence(trigger):
        given = attributes_of(read_body(trigger))
        if not isinstance(given, dict):
            raise BadInput(f"{trigger}: a trigger is an object")
    _change(trigger_id, merge(given), "updated", as_json)


def delete(trigger_id: TriggerArgument, as_json: Json = False) -> None:
    """Delete a trigger."""
    now = invocation_settings().make_clock().now()
    with open_database() as database:
        TriggerStore(database).delete(trigger_id, now)
    if as_json:
        print_json({"id": trigger_id, "deleted": True})
    else:
        console().print(f"{trigger_id} deleted", markup=False)


def pause(trigger_id: TriggerArgument, as_json: Json = False) -> None:
    """Keep a trigger from firing until it is resumed."""
    _change(trigger_id, merge({"trigger": {"disabled": True}}), "paused", as_json)


def resume(trigger_id: TriggerArgument, as_json: Json = False) -> None:
    """Let a paused trigger fire again."""
    _change(trigger_id, merge({"trigger": {"disabled": False}}), "resumed", as_json)


def limits(
    trigger_id: TriggerArgument,
    given: Annotated[
        list[str] | None,
        typer.Argument(metavar="[LIMIT=N]...", help="scope=2, minute=1, football.match.half=1"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Set the limits of a trigger; without any, show them with the counts."""
    if given:
        wanted = parse_limits(given)
        _change(trigger_id, lambda known: {**known, "limits": wanted}, "limited", as_json)
        return
    now = invocation_settings().make_clock().now()
    with open_database() as database:
        attributes = shown_trigger(TriggerStore(database).get(trigger_id), now)["attributes"]
    shown = {name: attributes[name] for name in ("limits", "counts")}
    if as_json:
        print_json(shown)
        return
    names = dict.fromkeys((*shown["limits"], *shown["counts"]))
    rows = [
        {"limit": name, "at_most": shown["limits"].get(name), "count": shown["counts"].get(name)}
        for name in names
    ]
    print_rows(rows, {"limit": "limit", "at_most": "at most", "count": "count"}, "")


def disable(
    entity: Entity, entity_id: EntityId, game: OneGame = None, as_json: Json = False
) -> None:
    """Silence all triggers of an entity."""
    _set_disabled(entity, entity_id, game, True, as_json)


def enable(
    entity: Entity, entity_id: EntityId, game: OneGame = None, as_json: Json = False
) -> None:
    """Let all triggers of an entity fire again."""
    _set_disabled(entity, entity_id, game, False, as_json)


def _set_disabled(
    entity: str, entity_id: str, game: str | None, disabled: bool, as_json: bool
) -> None:
    now = invocation_settings().make_clock().now()
    with open_database() as database:
        changed = EntityStore(database).set_disabled((entity, entity_id), disabled, now, game)
    if as_json:
        print_json({"disabled": disabled, "changed": changed})
        return
    done = "silenced" if disabled else "enabled"
    console().print(f"{entity} {entity_id}: {len(changed)} triggers {done}", markup=False)


def _change(id: str, change: Callable[[Any], Any], done: str, as_json: bool) -> None:
    now = invocation_settings().make_clock().now()
    with open_database() as database, one_sentence():
        edited = change_trigger(database, id, change, now)
    _print_edited(edited, done, as_json)


def _print_edited(edited: EditedTrigger, done: str, as_json: bool) -> None:
    if as_json:
        now = invocation_settings().make_clock().now()
        print_json({**shown_trigger(edited.stored, now), "warnings": list(edited.warnings)})
        return
    console().print(f"{edited.stored.id} {done}", markup=False)
    for warning in edited.warnings:
        error_console().print(f"{warning['field']}: {warning['message']}", markup=False)


# -- reading and formatting -----------------------------------------------------------------


def parse_limits(given: Sequence[str]) -> dict[str, int]:
    pairs = [one.partition("=") for one in given]
    for name, sign, count in pairs:
        if not (name and sign and count):
            raise BadInput(f"{name!r:.80} is no limit", "Write it as scope=2")
    with one_sentence():
        return known_limits(LIMITS.validate_python({name: count for name, _, count in pairs}))


def conditions_text(conditions: Sequence[Condition]) -> str:
    """Conditions in one line, joined as they are evaluated."""
    text = ""
    for condition in conditions:
        joined = f" {condition.chain_operation or 'and'} " if text else ""
        text += joined + condition_text(condition)
    return text


def condition_text(condition: Condition) -> str:
    parts = [f"{one.event} {one.compare} {list(one.targets)}" for one in condition.all_options]
    return ", ".join(part.removeprefix("football.") for part in parts)


@contextmanager
def one_sentence(path: Path | None = None) -> Iterator[None]:
    """T19: one sentence that names the wrong field."""
    where = f"{path}: " if path else ""
    try:
        yield
    except ValidationError as error:
        wrong = validation_errors(error)[0]
        raise BadInput(f"{where}{wrong['field']}: {wrong['message']}") from error
    except (WrongTargets, ValueError) as error:
        raise BadInput(f"{where}{error}") from error


def read_body(path: Path) -> Any:
    text = text_of(path)
    try:
        return parse_json(text)
    except ValueError as error:
        raise BadInput(f"{path} is not JSON: {error}") from error


def text_of(path: Path) -> str:
    if str(path) == "-":
        return decode_text(sys.stdin.buffer.read(SNAPSHOT_BYTES + 1), "stdin", SNAPSHOT_BYTES)
    return read_text(path, SNAPSHOT_BYTES)


@contextmanager
def open_database() -> Iterator[Database[Document]]:
    with open_mongo(invocation_settings()) as database:
        yield database
