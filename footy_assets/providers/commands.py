"""Commands about football providers: status, switches, and the watcher."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from threading import Event
from typing import Annotated, Any

import typer
from pymongo.database import Database

from footy_assets.cli.invocation import invocation_settings
from footy_assets.cli.output import Json, print_json, print_rows, stderr
from footy_assets.cli.output import stdout as console
from footy_assets.errors import NotFound
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.parsing import LARGEST_INTEGER
from footy_assets.policies import browser_limits, lifecycle_limits
from footy_assets.providers.collect import Collector
from footy_assets.providers.configuration import status_summary
from footy_assets.providers.connection import ProvidersFileLoader, open_adapters
from footy_assets.providers.explain import explain_match
from footy_assets.providers.health import HealthMonitor
from footy_assets.providers.recovery import Recovery
from footy_assets.providers.rules.health import Grade
from footy_assets.providers.store.provider_state import ProviderState
from footy_assets.providers.store.records import ProviderRecords
from footy_assets.providers.store.refusals import ProviderRefusals
from footy_assets.providers.store.snapshots import MergedSnapshots
from footy_assets.providers.watch import Watcher
from footy_assets.setting_values import YEAR_SECONDS
from footy_assets.settings import Settings
from footy_assets.store.collections import Document
from resources.mongo.connection import open_mongo

app = typer.Typer(name="sources", help="Football providers: status, and switching them on and off.")

Name = Annotated[str, typer.Argument(help="Name of a provider in sources.yaml.")]
UNHEALTHY = 1


@app.command("status")
def status(as_json: Json = False) -> None:
    """List providers with their health grade, unsure mappings and conflicts."""
    with _open() as (settings, database, load_file):
        summary = HealthMonitor(database, load_file).summary(settings.make_clock().now())
        rows = [{"source": name, **state} for name, state in summary["sources"].items()]
        unsure_mappings = ProviderRecords(database).unsure_mappings()
        conflicts = MergedSnapshots(database).conflicts(20)
    if as_json:
        print_json(
            {
                "file": str(load_file.path),
                "refused": load_file.refusal,
                "sources": rows,
                "unsure_mappings": unsure_mappings,
                "conflicts": conflicts,
            },
            _iso_time,
        )
        return
    columns = {
        "source": "provider",
        "enabled": "on",
        "adapter": "adapter",
        "precedence": "precedence",
        "grade": "grade",
        "last_success": "last answer (UTC)",
        "last_discovery": "last discovery (UTC)",
    }
    print_rows([_table_row(row) for row in rows], columns, "No providers.")
    for mapping in unsure_mappings:
        console().print(
            f"unsure mapping: {mapping['domain']} reports {mapping['said']}: {mapping['reason']}"
        )
    if load_file.refusal:
        stderr().print(load_file.refusal, style="red", markup=False)


@app.command("enable")
def enable(name: Name, as_json: Json = False) -> None:
    """Switch a provider on, overriding sources.yaml."""
    _switch(name, True, as_json)


@app.command("disable")
def disable(name: Name, as_json: Json = False) -> None:
    """Switch a provider off, overriding sources.yaml."""
    _switch(name, False, as_json)


@app.command("match")
def match(
    fixture: Annotated[
        int,
        typer.Argument(metavar="FIXTURE", min=1, max=LARGEST_INTEGER, help="A fixture id."),
    ],
    as_json: Json = False,
) -> None:
    """Show a match field by field, with the provider of each value, recent changes and ids."""
    with _open() as (settings, database, _):
        explanation = explain_match(database, fixture, settings.make_clock().now())
    if as_json:
        print_json(explanation, _iso_time)
        return
    columns = {"field": "field", "value": "value", "source": "provider", "confidence": "confidence"}
    rows = [_table_row(row) for row in explanation["fields"]]
    print_rows(rows, {**columns, "at": "at (UTC)"}, "No snapshot yet.")
    for change in explanation["changes"]:
        fields = [*change["changed"], *change["added"], *change["removed"]]
        console().print(f"{change['at']:%H:%M:%S} {change['type']}: {', '.join(sorted(fields))}")
    console().print(f"match {fixture}: {_named_ids(explanation['provider_ids'])}")
    for team in explanation["teams"].values():
        line = f"{team['name']} {team['team_id']}: {_named_ids(team['provider_ids'])}"
        console().print(line, markup=False)


@app.command("watch")
def watch(
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=YEAR_SECONDS, help="Stop after this many seconds; default: at Ctrl-C."
        ),
    ] = None,
) -> None:
    """Poll the providers besides the lead, and recover failing ones; part of `footy up`.

    Without a sources.yaml there is nothing to do.
    """
    ended = Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: ended.set())
    with _open() as (settings, database, load_file):
        clock = settings.make_clock()
        stop_at = None if seconds is None else clock.now().timestamp() + seconds * clock.speed

        def over() -> bool:
            return ended.is_set() or (stop_at is not None and clock.now().timestamp() >= stop_at)

        while not over():
            if load_file().only_lead:
                clock.sleep(clock.speed)
            else:
                _watch_file(settings, database, load_file, over)


def _watch_file(
    settings: Settings,
    database: Database[Document],
    load_file: ProvidersFileLoader,
    over: Callable[[], bool],
) -> None:
    """Watches the providers of the current file, until the file changes."""
    content, clock = load_file(), settings.make_clock()
    with open_adapters(settings, content, clock) as adapters:
        collector = Collector(
            *(MatchdayStore(database), adapters, clock, load_file),
            limits=lifecycle_limits(settings),
        )
        monitor = HealthMonitor(database, load_file)
        recovery = Recovery(
            *(monitor, content.lead, adapters, ProviderRefusals(database)),
            limits=browser_limits(settings),
        )
        watcher = Watcher(collector, monitor, recovery, clock)
        try:
            watcher.run(lambda: over() or load_file() != content)
        finally:
            collector.stop()


def health(as_json: Json = False) -> None:
    """Show how fresh the data of live matches is. Exits with 1 while the grade is failing."""
    with _open() as (settings, database, load_file):
        monitor, now = HealthMonitor(database, load_file), settings.make_clock().now()
        limits = lifecycle_limits(settings), browser_limits(settings)
        summary = status_summary(monitor, load_file(), *limits, now)
    if as_json:
        print_json(summary, _iso_time)
    else:
        fresh = summary["freshness"]
        console().print(
            f"{summary['grade']}: {fresh['count']} live matches, data age median "
            f"{fresh['median']:.0f} s, p95 {fresh['p95']:.0f} s, max {fresh['max']:.0f} s; "
            f"failure ratio {summary['failure_ratio']:.0%}, {len(summary['paused'])} paused"
        )
        for entry in summary["audit"]:
            line = f"{entry['at']:%H:%M:%S} {entry['action']} ({entry['condition']})"
            console().print(f"{line}: {entry['outcome']}")
    if summary["grade"] == Grade.FAILING:
        raise typer.Exit(UNHEALTHY)


def _switch(name: str, enabled: bool, as_json: bool) -> None:
    with _open() as (settings, database, load_file):
        known = load_file().providers
        if name not in known:
            raise NotFound(f"there is no provider {name}", f"Choose from {', '.join(known)}")
        ProviderState(database).switch(name, enabled, settings.make_clock().now())
    if as_json:
        print_json({"source": name, "enabled": enabled})
    else:
        console().print(f"{name} is {'on' if enabled else 'off'}")


@contextmanager
def _open() -> Iterator[tuple[Settings, Database[Document], ProvidersFileLoader]]:
    settings = invocation_settings()
    load_file = ProvidersFileLoader(settings)
    load_file()
    with open_mongo(settings) as database:
        yield settings, database, load_file


def _named_ids(ids: dict[str, str]) -> str:
    return ", ".join(f"{name}:{id_}" for name, id_ in sorted(ids.items())) or "no provider's id"


def _table_row(row: dict[str, Any]) -> dict[str, Any]:
    """Formats times to the second."""
    return {
        name: f"{value:%Y-%m-%d %H:%M:%S}" if isinstance(value, datetime) else value
        for name, value in row.items()
    }


def _iso_time(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
