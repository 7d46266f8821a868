"""Commands about past seasons."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Annotated, Any

import typer
from pymongo.database import Database

from footy_assets.cli.arguments import usable_path
from footy_assets.cli.invocation import invocation_settings
from footy_assets.cli.operator import Who, Why, operator_action
from footy_assets.cli.output import INTERRUPTED, Json, print_json, print_rows, stderr
from footy_assets.cli.output import stdout as console
from footy_assets.cli.signals import stop_on_signals
from footy_assets.errors import BadInput, Busy
from footy_assets.history import operator_actions
from footy_assets.history.progress import require_season, season_status, season_summary
from footy_assets.history.progress_bars import ProgressBars, progress_bars
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.tiers import TIERS, SagaState
from footy_assets.history.sourcing import HistoryWork
from footy_assets.history.start import start as start_season
from footy_assets.history.store.documents import SeasonRecord
from footy_assets.history.store.quota import SharedQuota
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.operator_actions import NO_REASON, OperatorAction
from footy_assets.policies import history_rules
from footy_assets.settings import Settings
from footy_assets.store.collections import Document
from footy_assets.store.leases import Leases
from footy_assets.store.rate_limit import SharedRateLimit
from resources.api_football.connection import open_football
from resources.mongo.connection import open_mongo

app = typer.Typer(name="history", help="Load past seasons, tier by tier.", no_args_is_help=True)

League = Annotated[int, typer.Option("--league", metavar="ID", help="League id, for example 39.")]
Season = Annotated[
    int,
    typer.Option(
        "--season", metavar="YEAR", help="Year in which the season starts, for example 2023."
    ),
]
FOLLOW_SECONDS = 1.0
# The longest wait before a failed document is retried.
PATIENCE_SECONDS = 900.0


@app.command()
def start(
    league: League,
    season: Season,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Fetch again what is already stored.")
    ] = False,
    detach: Annotated[
        bool, typer.Option("--detach", help="Let a running `footy up` do the work.")
    ] = False,
    who: Who = None,
    as_json: Json = False,
) -> None:
    """Load a season, with a progress bar for each tier.

    A second start continues the running one. Exits with 0 only if the season is complete.
    """
    settings, key = invocation_settings(), LeagueSeason(league, season)
    clock = settings.make_clock()
    with open_mongo(settings) as database:
        store = HistoryStore(database)
        by = operator_action(settings, database, who, NO_REASON).who
        record = start_season(store, clock, key, by, refresh)
        if not detach:
            stopped = stop_on_signals()
            with progress_bars(as_json) as progress:
                record = work_or_follow(settings, database, key, progress, stopped)
            # pandas and pyarrow take a second to load, which no other command should wait for.
            from footy_assets.history.export import export_current

            export_current(store, record, settings.tables)
        row = season_status(store, clock, key, history_rules(settings))
    print_status(row, as_json)
    if not detach and record.saga.state is not SagaState.COMPLETED:
        raise typer.Exit(INTERRUPTED if stopped.is_set() else 1)


def work_or_follow(
    settings: Settings,
    database: Database[Document],
    key: LeagueSeason,
    progress: ProgressBars,
    stopped: Event,
) -> SeasonRecord:
    """Do the work; if another process does it already, show its progress."""
    clock, store, watching = settings.make_clock(), HistoryStore(database), False
    with open_football(settings) as feed:
        work = HistoryWork(
            store,
            feed,
            clock,
            history_rules(settings),
            Leases(database),
            SharedRateLimit(database),
            SharedQuota(database),
        )
        while not stopped.is_set():
            try:
                work.run(
                    key,
                    patience=PATIENCE_SECONDS,
                    stopped=stopped.is_set,
                    on_progress=progress.show,
                )
                break
            except Busy:
                if not watching:
                    stderr().print(
                        f"Another process is loading {key}, or died doing so: watching it."
                    )
                watching = True
                progress.show(require_season(store, key))
                clock.sleep(FOLLOW_SECONDS)
    return require_season(store, key)


@app.command()
def status(
    league: Annotated[int | None, typer.Option("--league", metavar="ID", help="League id.")] = None,
    season: Annotated[
        int | None,
        typer.Option("--season", metavar="YEAR", help="Year in which the season starts."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show a season's progress and what is missing; without a season, list all."""
    settings = invocation_settings()
    rules, clock = history_rules(settings), settings.make_clock()
    with open_mongo(settings) as database:
        store = HistoryStore(database)
        if league is not None and season is not None:
            print_status(season_status(store, clock, LeagueSeason(league, season), rules), as_json)
            return
        rows = [
            season_summary(one, clock.now(), rules)
            for one in store.seasons()
            if league in (None, one.key.league) and season in (None, one.key.season)
        ]
    if as_json:
        print_json(rows)
        return
    shown = [
        {**row, **{str(t): _processed_of_total(row["tiers"][str(t)]) for t in TIERS}}
        for row in rows
    ]
    columns = {
        "key": "season",
        "state": "state",
        **{str(tier): str(tier) for tier in TIERS},
        "stalled": "stalled",
    }
    print_rows(shown, columns, "No seasons yet. `footy history start` starts one.")


def print_status(row: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(row)
        return
    console().print(f"{row['key']}: {'complete' if row['complete'] else row['state']}")
    if row["stalled"]:
        console().print(f"No progress for {row['waiting_minutes']} minutes.", style="red")
    print_rows([{"tier": name, **tier} for name, tier in row["tiers"].items()], TIER_COLUMNS, "")
    if row["failed_documents"]:
        console().print()
        print_rows(row["failed_documents"], FAILED_COLUMNS, "")
        console().print("`footy history retry` retries them.")


TIER_COLUMNS = {
    "tier": "tier",
    "processed": "processed",
    "failed": "failed",
    "total": "total",
    "complete": "complete",
}
FAILED_COLUMNS = {
    "url": "document",
    "state": "state",
    "failures": "tries",
    "due_at": "next try",
    "reason": "reason",
}


def _processed_of_total(tier: dict[str, Any]) -> str:
    return f"{tier['processed']}/{tier['total']}"


@contextmanager
def operating(who: str | None, why: str) -> Iterator[tuple[HistoryStore, OperatorAction]]:
    settings = invocation_settings()
    with open_mongo(settings) as database:
        yield HistoryStore(database), operator_action(settings, database, who, why)


def print_result(key: LeagueSeason, fields: dict[str, Any], text: str, as_json: bool) -> None:
    if as_json:
        print_json({"key": str(key), **fields})
    else:
        console().print(f"{key}: {text}")


@app.command()
def retry(
    league: League, season: Season, why: Why = NO_REASON, who: Who = None, as_json: Json = False
) -> None:
    """Retry a season's failed documents. `start` or a running `footy up` fetches them."""
    key = LeagueSeason(league, season)
    with operating(who, why) as (store, by):
        due = operator_actions.retry(store, by, key)
    print_result(key, {"documents_due": due}, f"{due} documents are due again", as_json)


@app.command()
def advance(
    league: League, season: Season, why: Why = NO_REASON, who: Who = None, as_json: Json = False
) -> None:
    """Start the next tier of a season by hand; missing documents stay missing."""
    key = LeagueSeason(league, season)
    with operating(who, why) as (store, by):
        state = str(operator_actions.advance(store, by, key).state)
    print_result(key, {"state": state}, state, as_json)


@app.command()
def backfill(
    league: League, season: Season, why: Why = NO_REASON, who: Who = None, as_json: Json = False
) -> None:
    """Backfill all matchdays of a season, through a running `footy up`."""
    key = LeagueSeason(league, season)
    with operating(who, why) as (store, by):
        days = operator_actions.backfill(store, by, key)
    print_result(key, {"matchdays": days}, f"{len(days)} matchdays requested", as_json)


@app.command()
def forget(
    league: League, season: Season, why: Why = NO_REASON, who: Who = None, as_json: Json = False
) -> None:
    """Delete a season that was started by mistake, with its documents; tables stay."""
    key = LeagueSeason(league, season)
    with operating(who, why) as (store, by):
        gone = operator_actions.forget(store, by, key)
    print_result(key, {"documents_forgotten": gone}, f"deleted, with {gone} documents", as_json)


@app.command()
def export(
    league: League,
    season: Season,
    into: Annotated[
        Path | None,
        typer.Option(
            "--into",
            metavar="DIR",
            callback=usable_path,
            help="Output folder; default: FOOTY_TABLES_FOLDER.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a season's Parquet tables."""
    from footy_assets.history.export import export as export_tables

    settings, key = invocation_settings(), LeagueSeason(league, season)
    with open_mongo(settings) as database:
        store = HistoryStore(database)
        require_season(store, key)
        folder = into or settings.tables
        try:
            written = export_tables(store, key, folder)
        except OSError as error:
            raise BadInput(f"{folder} cannot be written: {error.strerror}") from error
    rows = [{"table": name, "file": str(path)} for name, path in written.items()]
    if as_json:
        print_json(rows)
    else:
        print_rows(rows, {"table": "table", "file": "file"}, "")
