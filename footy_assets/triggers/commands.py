"""Commands about triggers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from footy_assets.cli.invocation import invocation_settings
from footy_assets.cli.output import Json, parse_day, print_json, print_rows
from footy_assets.cli.output import stdout as console
from footy_assets.errors import BadInput
from footy_assets.parsing import parse_json
from footy_assets.triggers.edit import shown_trigger
from footy_assets.triggers.explain import explain_trigger
from footy_assets.triggers.operator_commands import (
    TriggerFile,
    conditions_text,
    create,
    delete,
    disable,
    enable,
    limits,
    one_sentence,
    open_database,
    pause,
    read_body,
    resume,
    show,
    text_of,
    update,
)
from footy_assets.triggers.replay import ReplayResult, replay_scope
from footy_assets.triggers.rules.documents import parse_trigger, validation_errors
from footy_assets.triggers.rules.engine import Engine, Listener
from footy_assets.triggers.rules.limits import shown_counts
from footy_assets.triggers.rules.snapshot import Snapshot
from footy_assets.triggers.store.outbox import Outbox
from footy_assets.triggers.store.snapshots import SnapshotStore, scope_key
from footy_assets.triggers.store.triggers import TriggerStore
from footy_assets.triggers.subscription_commands import (
    send_test_message,
    subscribe,
    subscriptions,
    unsubscribe,
)

app = typer.Typer(name="triggers", help="Conditions on matches, and their notifications.")

for _change in (create, show, update, delete, pause, resume, limits, disable, enable):
    app.command()(_change)
for _about in (subscribe, subscriptions, unsubscribe):
    app.command()(_about)
app.command("test")(send_test_message)


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
    now = invocation_settings().make_clock().now()
    with open_database() as database:
        found = TriggerStore(database).find(entity=entity, entity_id=entity_id, scope_id=game)
    if as_json:
        print_json([shown_trigger(one, now) for one in found])
        return
    rows = [
        {
            "id": one.id,
            "who": f"{one.trigger.trigger.entity} {one.trigger.trigger.entity_id}",
            "game": one.trigger.trigger.scope_id,
            "when": conditions_text(one.trigger.conditions),
            "fired": one.counts.get("scope", 0),
        }
        for one in found
    ]
    columns = {"id": "trigger", "who": "entity", "game": "match", "when": "when", "fired": "fired"}
    print_rows(rows, columns, "No triggers yet.")


@app.command("eval")
def evaluate(
    trigger: TriggerFile,
    snapshots: Annotated[
        Path, typer.Option("--snapshots", metavar="FILE", help="Snapshots as JSON, one per line.")
    ],
    as_json: Json = False,
) -> None:
    """Evaluate a trigger on snapshots, without a database: what fires, and why."""
    with one_sentence(trigger):
        parsed = parse_trigger(read_body(trigger))
    engine, rows = Engine([Listener("trigger", parsed)]), []
    for snapshot in _read_snapshots(snapshots):
        why = engine.explain("trigger", snapshot)
        step = engine.step(snapshot)
        counts = shown_counts(engine.tallies["trigger"], snapshot.timestamp)
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
    with open_database() as database:
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
    with open_database() as database:
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
    with open_database() as database:
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


def _replay_row(one: ReplayResult) -> dict[str, Any]:
    return {
        "scope_id": one.scope_key.partition("/")[2],
        "snapshots": one.snapshots,
        "activations": one.replayed,
        "told_live": len(one.live),
        "same_as_live": one.matches_live,
    }


def _read_snapshots(path: Path) -> Iterator[Snapshot]:
    for number, line in enumerate(text_of(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            yield Snapshot.model_validate(parse_json(line))
        except ValidationError as error:
            wrong = validation_errors(error)[0]
            raise BadInput(f"{path} line {number}: {wrong['field']}: {wrong['message']}") from error
        except ValueError as error:
            raise BadInput(f"{path} line {number} is not JSON: {error}") from error
