"""Commands for the documents as a whole: upgrade, back up, restore."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bars

from footy_assets.cli.arguments import usable_path
from footy_assets.cli.invocation import invocation_settings
from footy_assets.cli.output import Json, print_json, stderr
from footy_assets.cli.output import stdout as console
from footy_assets.store.backup.inventory import ObjectsReport
from footy_assets.store.backup.manifest import Manifest
from footy_assets.store.backup.run import back_up
from footy_assets.store.backup.run import restore as restore_backup
from footy_assets.store.migrate import Migration, MigrationResult, OnProgress, Progress
from footy_assets.store.migrations import SCHEMA_VERSION
from footy_assets.store.schema import SchemaStore
from resources.mongo.connection import open_mongo
from resources.s3.connection import open_s3

# How many keys are printed; `--json` has all.
MOST_KEYS = 20


def migrate(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    as_json: Json = False,
) -> None:
    """Upgrade the documents of an older version to this one's; `footy up` does so at its start.

    May be interrupted, killed and run again at any time: it goes on with what is left.
    """
    with open_mongo(invocation_settings(), checked=False) as database:
        schema, migration = SchemaStore(database), Migration(database)
        if not dry_run:
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


Folder = Annotated[
    Path, typer.Argument(metavar="DIR", callback=usable_path, help="The folder of the backup.")
]


def backup(
    folder: Folder,
    with_objects: Annotated[
        bool,
        typer.Option("--with-objects", help="Also copy the clips and pictures out of S3."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Back up all documents as mongodump does, with an inventory of the objects in S3.

    May run beside `footy up`. A backup that is interrupted has no manifest and is not restored.
    """
    settings = invocation_settings()
    with open_mongo(settings, checked=False) as database, open_s3(settings) as store:
        now = settings.make_clock().now()
        made = back_up(database, store, folder, now, with_objects=with_objects, say=say_to(as_json))
    if as_json:
        print_json({"folder": str(folder), **manifest_row(made)})
        return
    print_manifest(made)
    if not made.snapshot:
        console().print("Read without a snapshot: documents may be of different moments.")


def restore(
    folder: Folder,
    force: Annotated[
        bool, typer.Option("--force", help="Replace all documents of a database that has some.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Restore a backup into an empty database, with its indexes, and compare the objects in S3.

    Stop `footy up` first. A restore that is interrupted is run again. Exits with 1 if the bucket
    lacks objects of the backup.
    """
    settings = invocation_settings()
    with open_mongo(settings, checked=False) as database, open_s3(settings) as store:
        manifest, objects = restore_backup(
            database, store, folder, force=force, say=say_to(as_json)
        )
        outdated = bool(Migration(database).pending())
    if as_json:
        report = {**manifest_row(manifest), "comparison": asdict(objects), "outdated": outdated}
        print_json(report)
    else:
        print_manifest(manifest)
        print_objects(objects)
        if outdated:
            console().print("The documents are of an older version: run `footy migrate`.")
    raise typer.Exit(int(bool(objects.missing or objects.different)))


def say_to(quiet: bool) -> Callable[[str], None]:
    """Where a command says how far it is."""
    return (lambda text: None) if quiet else (lambda text: stderr().print(f"· {text}"))


def manifest_row(manifest: Manifest) -> dict[str, Any]:
    return {
        "footy_version": manifest.footy_version,
        "schema_version": manifest.schema_version,
        "created_at": manifest.created_at,
        "database": manifest.database,
        "bucket": manifest.bucket,
        "snapshot": manifest.snapshot,
        "documents": manifest.documents,
        "collections": {one.name: one.documents for one in manifest.collections},
        "objects": manifest.objects,
        "object_bytes": manifest.object_bytes,
        "objects_copied": manifest.objects_copied,
    }


def print_manifest(manifest: Manifest) -> None:
    copied = "copied" if manifest.objects_copied else "listed, not copied"
    console().print(
        f"{manifest.documents} documents of {len(manifest.collections)} collections, "
        f"schema version {manifest.schema_version}; {manifest.objects} objects, {copied}"
    )


def print_objects(report: ObjectsReport) -> None:
    console().print(f"Objects: {report.present} present, {report.restored} uploaded")
    for word, keys in (("missing", report.missing), ("different", report.different)):
        for key in keys[:MOST_KEYS]:
            console().print(f"{word}: {key}")
        if len(keys) > MOST_KEYS:
            console().print(f"… and {len(keys) - MOST_KEYS} more are {word}; see --json")


def step_row(result: MigrationResult) -> dict[str, Any]:
    return {
        "version": result.step.version,
        "name": result.step.name,
        "documents": result.documents,
    }


def _counts(result: MigrationResult) -> str:
    return ", ".join(f"{number} of {name}" for name, number in result.documents.items())


@contextmanager
def progress_bar(quiet: bool) -> Iterator[OnProgress]:
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
