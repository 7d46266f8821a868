"""Commands about football providers: which are asked, how they are, and running them."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from threading import Event
from typing import Annotated, Any

import typer
from pymongo.database import Database

from footy_assets.cli.asking import open_database
from footy_assets.cli.output import Json, print_json, print_rows, stderr
from footy_assets.cli.output import stdout as console
from footy_assets.errors import NotFound
from footy_assets.operations.sources_collect import Collector
from footy_assets.operations.sources_health import Pulse
from footy_assets.operations.sources_story import told_of
from footy_assets.operations.sources_watch import Watcher
from footy_assets.settings import Settings, load_settings
from footy_assets.store.collections import Document
from footy_assets.store.matchdays import MatchdayStore
from footy_assets.store.source_records import SourceRecords
from footy_assets.store.source_snapshots import SourceSnapshots
from footy_assets.store.source_state import SourceState
from resources.football_sources import SourcesOnDisk, open_adapters

app = typer.Typer(name="sources", help="The football providers: which are asked, and how they are.")

Name = Annotated[str, typer.Argument(help="A provider, as sources.yaml calls it.")]
UNHEALTHY = 1


@app.command("status")
def status(as_json: Json = False) -> None:
    """Each provider with its grade, and what it cannot be sure of."""
    with _opened() as (settings, database, on_disk):
        summary = Pulse(database, on_disk).summary(settings.make_clock().now())
        rows = [{"source": name, **told} for name, told in summary["sources"].items()]
        doubts = SourceRecords(database).doubts()
        conflicts = SourceSnapshots(database).conflicts(20)
    if as_json:
        print_json(
            {
                "file": str(on_disk.path),
                "refused": on_disk.refusal,
                "sources": [_shown(row) for row in rows],
                "unsure_mappings": [_shown(doubt) for doubt in doubts],
                "conflicts": [_shown(conflict) for conflict in conflicts],
            }
        )
        return
    columns = {
        "source": "source",
        "enabled": "on",
        "adapter": "adapter",
        "precedence": "precedence",
        "grade": "grade",
        "last_success": "last answer (UTC)",
    }
    print_rows([_in_a_table(row) for row in rows], columns, "No providers.")
    for doubt in doubts:
        console().print(f"unsure: {doubt['domain']} says {doubt['said']}: {doubt['reason']}")
    if on_disk.refusal:
        stderr().print(on_disk.refusal, style="red", markup=False)


@app.command("enable")
def enable(name: Name, as_json: Json = False) -> None:
    """Ask this provider from now on, whatever the file says."""
    _switch(name, True, as_json)


@app.command("disable")
def disable(name: Name, as_json: Json = False) -> None:
    """Ask this provider no more, whatever the file says."""
    _switch(name, False, as_json)


@app.command("match")
def match(
    fixture: Annotated[int, typer.Argument(metavar="FIXTURE", help="The id of a match.")],
    as_json: Json = False,
) -> None:
    """What we take a match for, field by field: who said so, and what changed of late."""
    with _opened() as (settings, database, _):
        told = told_of(SourceSnapshots(database), fixture, settings.make_clock().now())
    if as_json:
        print_json(_shown(told))
        return
    columns = {"field": "field", "value": "value", "source": "source", "confidence": "confidence"}
    rows = [_in_a_table(row) for row in told["fields"]]
    print_rows(rows, {**columns, "at": "said at (UTC)"}, "Nothing.")
    for change in told["changes"]:
        fields = [*change["changed"], *change["added"], *change["removed"]]
        console().print(f"{change['at']:%H:%M:%S} {change['type']}: {', '.join(sorted(fields))}")


@app.command("watch")
def watch(
    seconds: Annotated[
        float | None, typer.Option(min=0.0, help="Stop after so long; else at Ctrl-C.")
    ] = None,
) -> None:
    """Ask the providers beside the main one, and mend what breaks; a process of its own.

    With no sources.yaml there are none, and nothing to do.
    """
    ended = Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: ended.set())
    with _opened() as (settings, database, on_disk):
        clock = settings.make_clock()
        stop_at = None if seconds is None else clock.now().timestamp() + seconds * clock.speed

        def over() -> bool:
            return ended.is_set() or (stop_at is not None and clock.now().timestamp() >= stop_at)

        while not over():
            if on_disk().alone:
                clock.sleep(clock.speed)
            else:
                _watch_these(settings, database, on_disk, over)


def _watch_these(
    settings: Settings,
    database: Database[Document],
    on_disk: SourcesOnDisk,
    over: Callable[[], bool],
) -> None:
    """The providers of the file as it is now: another file, other providers."""
    content, clock = on_disk(), settings.make_clock()
    with open_adapters(settings, content) as adapters:
        collector = Collector(MatchdayStore(database), adapters, clock, on_disk)
        watcher = Watcher(collector, Pulse(database, on_disk), clock)
        try:
            watcher.run(lambda: over() or on_disk() != content)
        finally:
            collector.stop()


def health(as_json: Json = False) -> None:
    """How fresh our knowledge of the matches in play is; exit code 1 while it fails."""
    with _opened() as (settings, database, on_disk):
        summary = Pulse(database, on_disk).summary(settings.make_clock().now())
    if as_json:
        print_json(_shown(summary))
    else:
        fresh = summary["freshness"]
        console().print(
            f"{summary['grade']}: {fresh['count']} matches in play, their age median "
            f"{fresh['median']:.0f} s, p95 {fresh['p95']:.0f} s, max {fresh['max']:.0f} s; "
            f"failure ratio {summary['failure_ratio']:.0%}, {len(summary['paused'])} paused"
        )
        for entry in summary["audit"]:
            said = f"{entry['at']:%H:%M:%S} {entry['action']} ({entry['condition']})"
            console().print(f"{said}: {entry['outcome']}")
    if summary["grade"] == "failing":
        raise typer.Exit(UNHEALTHY)


def _switch(name: str, enabled: bool, as_json: bool) -> None:
    with _opened() as (settings, database, on_disk):
        known = on_disk().sources
        if name not in known:
            raise NotFound(f"no provider is called {name}", f"There are {', '.join(known)}")
        SourceState(database).switch(name, enabled, settings.make_clock().now())
    if as_json:
        print_json({"source": name, "enabled": enabled})
    else:
        console().print(f"{name} is {'on' if enabled else 'off'}")


@contextmanager
def _opened() -> Iterator[tuple[Settings, Database[Document], SourcesOnDisk]]:
    settings = load_settings()
    on_disk = SourcesOnDisk(settings)
    on_disk()
    with open_database(settings) as database:
        yield settings, database, on_disk


def _in_a_table(row: dict[str, Any]) -> dict[str, Any]:
    """Times to the second: for people."""
    return {
        name: f"{value:%Y-%m-%d %H:%M:%S}" if isinstance(value, datetime) else value
        for name, value in row.items()
    }


def _shown(value: Any) -> Any:
    """Times as ISO 8601 throughout."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {name: _shown(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_shown(part) for part in value]
    return value
