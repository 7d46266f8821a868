"""Commands for the documents as a whole: upgrade them to the version of this code."""

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bars

from footy_assets.cli.invocation import invocation_settings
from footy_assets.cli.output import Json, print_json, stderr
from footy_assets.cli.output import stdout as console
from footy_assets.store.migrate import Migration, MigrationResult, OnProgress, Progress
from footy_assets.store.migrations import SCHEMA_VERSION
from footy_assets.store.schema import SchemaStore
from resources.mongo.connection import open_mongo

if TYPE_CHECKING:
    from collections.abc import Iterator


def migrate(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    as_json: Json = False,
) -> None:
    """Upgrade the documents of an older version to this one's; `footy up` does so at its start.

    May be interrupted, killed and run again at any time: it goes on with what is left.
    """
    with open_mongo(invocation_settings(), checked=False) as database:
        schema, migration = SchemaStore(database), Migration(database)
        schema.mark_new()
        before = schema.version()
        if dry_run:
            results = migration.preview()
        else:
            with progress_bar(as_json) as on_progress:
                results = migration.run(on_progress)
        after = schema.version()
    if as_json:
        print_json({
            "from": before, "to": after, "newest": SCHEMA_VERSION, "dry_run": dry_run,
            "steps": [step_row(result) for result in results],
        })  # fmt: skip
        return
    verb = "would change" if dry_run else "changed"
    for result in results:
        console().print(f"{result.step.version} {result.step.name}: {verb} {_counts(result)}")
    if dry_run and results:
        console().print(f"Schema version {before}; `footy migrate` takes it to {SCHEMA_VERSION}.")
    else:
        console().print(f"Schema version {after}, the newest.")


def step_row(result: MigrationResult) -> dict[str, Any]:
    return {
        "version": result.step.version,
        "name": result.step.name,
        "documents": result.documents,
    }


def _counts(result: MigrationResult) -> str:
    return ", ".join(f"{number} of {name}" for name, number in result.documents.items())


@contextmanager
def progress_bar(quiet: bool) -> "Iterator[OnProgress]":
    """A bar for each step on a terminal, nothing elsewhere."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Bars(*columns, console=stderr(), disable=quiet or not stderr().is_terminal) as bars:
        tasks: dict[int, Any] = {}

        def show(progress: Progress) -> None:
            version = progress.step.version
            if version not in tasks:
                tasks[version] = bars.add_task(progress.step.name, total=progress.total)
            bars.update(tasks[version], completed=progress.done)

        yield show
