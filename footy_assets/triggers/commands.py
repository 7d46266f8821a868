"""Commands about triggers."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from pymongo.database import Database

from footy_assets.cli.invocation import invocation_settings
from footy_assets.cli.output import Json, parse_day, print_json, print_rows
from footy_assets.cli.output import stdout as console
from footy_assets.errors import BadInput
from footy_assets.parsing import decode_text, parse_json, read_text
from footy_assets.store.collections import Document
from footy_assets.triggers.explain import explain_trigger
from footy_assets.triggers.replay import ReplayResult, replay_scope
from footy_assets.triggers.rules.documents import parse_trigger, trigger_json, validation_errors
from footy_assets.triggers.rules.engine import Engine, Listener
from footy_assets.triggers.rules.snapshot import Snapshot
from footy_assets.triggers.rules.trigger import Trigger
from footy_assets.triggers.store.outbox import Outbox
from footy_assets.triggers.store.snapshots import SnapshotStore, scope_key
from footy_assets.triggers.store.triggers import StoredTrigger, TriggerStore
from resources.mongo.connection import open_mongo

app = typer.Typer(name="triggers", help="Conditions on matches, and their notifications.")

TriggerFile = Annotated[
    Path, typer.Option("--trigger", metavar="FILE", help="A trigger as JSON; - reads stdin.")
]

# Of a whole matchday; each line is limited as any JSON is.
SNAPSHOT_BYTES = 50_000_000


@app.command("list")
def list_triggers(
    entity: Annotated[
        str | None, typer.Option(help="Only triggers of this kind of entity.")
    ] = None,
    entity_id: Annotated[
        str | None, typer.Option("--entity-id", help="Only triggers of this entity.")
    ] = None,
    game: Annotated[str | None, typer.Option("--game", help="Only triggers on this match.")] = None,
    as_json: Json = False,
) -> None:
    """List triggers with their counts."""
    with _database() as database:
        found = TriggerStore(database).find(entity=entity, entity_id=entity_id, scope_id=game)
    if as_json:
        print_json([_trigger_row(one) for one in found])
        return
    rows = [
        {
            "id": one.id,
            "who": f"{one.trigger.trigger.entity} {one.trigger.trigger.entity_id}",
            "game": one.trigger.trigger.scope_id,
            "when": " and ".join(
                _condition_text(condition) for condition in one.trigger.conditions
            ),
            "fired": one.counts.get("scope", 0),
        }
        for one in found
    ]
    columns = {"id": "trigger", "who": "entity", "game": "match", "when": "when", "fired": "fired"}
    print_rows(rows, columns, "No triggers yet.")


@app.command()
def create(trigger: TriggerFile, as_json: Json = False) -> None:
    """Create a trigger; it listens to snapshots from now on."""
    made = _read_trigger(trigger)
    settings = invocation_settings()
    with _database() as database:
        stored = TriggerStore(database).create(made, settings.make_clock().now())
    if as_json:
        print_json(_trigger_row(stored))
    else:
        console().print(f"{stored.id} created", markup=False)


@app.command("eval")
def evaluate(
    trigger: TriggerFile,
    snapshots: Annotated[
        Path, typer.Option("--snapshots", metavar="FILE", help="Snapshots as JSON, one per line.")
    ],
    as_json: Json = False,
) -> None:
    """Evaluate a trigger on snapshots, without a database: what fires, and why."""
    engine, rows = Engine([Listener("trigger", _read_trigger(trigger))]), []
    for snapshot in _read_snapshots(snapshots):
        why = engine.explain("trigger", snapshot)
        step = engine.step(snapshot)
        counts = dict(engine.tallies["trigger"].counts)
        fired = step.activations[0] if step.activations else None
        rows.append(
            {
                "snapshot_id": snapshot.id,
                "fired": fired is not None,
                "next": fired.next if fired else None,
                "counts": counts,
                "retracted": [gone.snapshot_id for gone in step.retractions],
                "explanation": fired.explanation if fired else {**why, "fired": False},
            }
        )
    if as_json:
        print_json(rows)
        return
    columns = {"snapshot_id": "snapshot", "fired": "fired", "next": "next", "counts": "counts"}
    print_rows(rows, columns, "No snapshots.")


@app.command()
def explain(
    trigger_id: Annotated[str, typer.Argument(metavar="TRIGGER")],
    snapshot: Annotated[
        str | None,
        typer.Option("--snapshot", metavar="ID", help="A snapshot id; default: the latest."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Explain how a trigger evaluated a stored snapshot: value seen, target, result."""
    with _database() as database:
        explanation = explain_trigger(database, trigger_id, snapshot)
    if as_json:
        print_json(explanation)
        return
    rows = [
        {**one, "seen": one["value"], "targets": ", ".join(map(str, one["targets"]))}
        for condition in explanation["conditions"]
        for one in condition["options"]
    ]
    columns = {
        "event": "event",
        "seen": "seen",
        "compare": "compare",
        "targets": "targets",
        "result": "holds",
    }
    print_rows(rows, columns, "No conditions.")
    limit = explanation["refused_by_limit"] or explanation["refused_by_entity_limit"]
    silent = (
        f"not fired, limit {limit} used up" if explanation["satisfied"] and limit else "not fired"
    )
    console().print(
        f"{explanation['snapshot_id']}: {'fired' if explanation['fired'] else silent}, "
        f"{explanation['held']} of {explanation['needed']} conditions needed",
        markup=False,
    )


@app.command()
def replay(
    day: Annotated[
        str | None, typer.Option("--date", metavar="D", help="All matches of this day.")
    ] = None,
    game: Annotated[str | None, typer.Option("--game", help="Only this match.")] = None,
    as_json: Json = False,
) -> None:
    """Replay stored snapshots through the triggers of their time; sends no notifications."""
    if (day is None) == (game is None):
        raise BadInput("no matches selected", "Give either --date or --game")
    with _database() as database:
        if game is not None:
            keys = [scope_key("game", game)]
        else:
            keys = SnapshotStore(database).scopes_of(parse_day(day or "").isoformat())
        rows = [_replay_row(replay_scope(database, key)) for key in keys]
    if as_json:
        print_json(rows)
        return
    shown_rows = [{**row, "activations": len(row["activations"])} for row in rows]
    columns = {
        "scope_id": "match",
        "snapshots": "snapshots",
        "activations": "fired",
        "same_as_live": "same as live",
    }
    print_rows(shown_rows, columns, "No snapshots.")


@app.command()
def dead(
    resend: Annotated[bool, typer.Option("--resend", help="Send them all again.")] = False,
    as_json: Json = False,
) -> None:
    """List notifications that could not be delivered."""
    now = invocation_settings().make_clock().now()
    with _database() as database:
        outbox = Outbox(database)
        rows = [
            {
                "id": letter["_id"],
                "subscription_id": letter["subscription_id"],
                "trigger_id": letter["body"]["trigger_id"],
                "reason": letter["body"]["reason"],
                "error": letter["last_error"],
                "failed_at": letter["failed_at"].isoformat(),
                "resent": resend,
            }
            for letter in outbox.dead_letters()
        ]
        for row in rows if resend else ():
            outbox.resend(row["id"], now)
    if as_json:
        print_json(rows)
        return
    columns = {
        "id": "notification",
        "trigger_id": "trigger",
        "error": "error",
        "resent": "resent",
    }
    print_rows(rows, columns, "No dead letters.")


def _condition_text(condition: Any) -> str:
    parts = [f"{one.event} {one.compare} {list(one.targets)}" for one in condition.all_options]
    return ", ".join(part.removeprefix("football.") for part in parts)


def _trigger_row(one: StoredTrigger) -> dict[str, Any]:
    return trigger_json(one.id, one.trigger, one.counts)


def _replay_row(one: ReplayResult) -> dict[str, Any]:
    return {
        "scope_id": one.scope_key.partition("/")[2],
        "snapshots": one.snapshots,
        "activations": one.replayed,
        "told_live": len(one.live),
        "same_as_live": one.matches_live,
    }


def _read_trigger(path: Path) -> Trigger:
    try:
        return parse_trigger(parse_json(_text(path)))
    except ValidationError as error:
        wrong = validation_errors(error)[0]
        raise BadInput(f"{path}: {wrong['field']}: {wrong['message']}") from error
    except ValueError as error:
        raise BadInput(f"{path} is not JSON: {error}") from error


def _read_snapshots(path: Path) -> Iterator[Snapshot]:
    for number, line in enumerate(_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            yield Snapshot.model_validate(parse_json(line))
        except ValidationError as error:
            wrong = validation_errors(error)[0]
            raise BadInput(f"{path} line {number}: {wrong['field']}: {wrong['message']}") from error
        except ValueError as error:
            raise BadInput(f"{path} line {number} is not JSON: {error}") from error


def _text(path: Path) -> str:
    if str(path) == "-":
        return decode_text(sys.stdin.buffer.read(SNAPSHOT_BYTES + 1), "stdin", SNAPSHOT_BYTES)
    return read_text(path, SNAPSHOT_BYTES)


@contextmanager
def _database() -> Iterator[Database[Document]]:
    with open_mongo(invocation_settings()) as database:
        yield database
