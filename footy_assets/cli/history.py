"""Commands about whole past seasons."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Annotated, Any

import typer
from pymongo.database import Database

from footy_assets.cli.asking import BY_HAND, Who, Why, asked, open_database
from footy_assets.cli.history_bars import Bars, bars
from footy_assets.cli.output import INTERRUPTED, Json, print_json, print_rows, stderr
from footy_assets.cli.output import stdout as console
from footy_assets.cli.running import stop_on_signals
from footy_assets.errors import Busy
from footy_assets.history.key import LeagueSeason
from footy_assets.history.tiers import TIERS, SagaState
from footy_assets.operations import history_seasons
from footy_assets.operations.by_hand import ByHand
from footy_assets.operations.history import HistoryWork
from footy_assets.operations.history_seasons import known_season, summary
from footy_assets.operations.history_start import history_rules
from footy_assets.operations.history_start import start as start_season
from footy_assets.settings import Settings, load_settings
from footy_assets.store.collections import Document
from footy_assets.store.history import HistoryStore
from footy_assets.store.history_documents import SeasonRecord
from footy_assets.store.leases import Leases
from footy_assets.store.turns import SharedTurns
from resources.api_football.connection import open_football

app = typer.Typer(
    name="history", help="Source whole past seasons, tier by tier.", no_args_is_help=True
)

League = Annotated[int, typer.Option("--league", metavar="ID", help="The league's id, as in 39.")]
Season = Annotated[
    int, typer.Option("--season", metavar="YEAR", help="The year in which it begins, as in 2023.")
]
FOLLOW_SECONDS = 1.0
# A document that was given up for now is tried again at most so much later.
PATIENCE_SECONDS = 900.0


@app.command()
def start(
    league: League,
    season: Season,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Look at what is there already once more.")
    ] = False,
    detach: Annotated[
        bool, typer.Option("--detach", help="Leave the work to a running `footy up`.")
    ] = False,
    who: Who = None,
    as_json: Json = False,
) -> None:
    """Source a season, and show how far each tier is.

    A second start goes on with what is running. Exits with 0 only if all of it is there.
    """
    settings, key = load_settings(), LeagueSeason(league, season)
    clock = settings.make_clock()
    with open_database(settings) as database:
        store = HistoryStore(database)
        by = asked(settings, database, who, BY_HAND).who
        record = start_season(store, clock, key, by, refresh)
        if not detach:
            stopped = stop_on_signals()
            with bars(as_json) as told:
                record = work_or_follow(settings, database, key, told, stopped)
            # pandas and pyarrow take a second to load, which no other command should wait for.
            from footy_assets.operations.history_tables import export_whole

            export_whole(store, record, settings.tables)
        row = history_seasons.status(store, clock, key, history_rules(settings))
    show(row, as_json)
    if not detach and record.saga.state is not SagaState.COMPLETED:
        raise typer.Exit(INTERRUPTED if stopped.is_set() else 1)


def work_or_follow(
    settings: Settings,
    database: Database[Document],
    key: LeagueSeason,
    told: Bars,
    stopped: Event,
) -> SeasonRecord:
    """Do the work; where another process is at it already, watch it."""
    clock, store, watching = settings.make_clock(), HistoryStore(database), False
    with open_football(settings) as feed:
        work = HistoryWork(
            store, feed, clock, history_rules(settings), Leases(database), SharedTurns(database)
        )
        while not stopped.is_set():
            try:
                work.run(key, patience=PATIENCE_SECONDS, stopped=stopped.is_set, told=told.show)
                break
            except Busy:
                if not watching:
                    stderr().print(f"Another process sources {key}, or died doing so: watching.")
                watching = True
                told.show(known_season(store, key))
                clock.sleep(FOLLOW_SECONDS)
    return known_season(store, key)


@app.command()
def status(
    league: Annotated[
        int | None, typer.Option("--league", metavar="ID", help="A league's id.")
    ] = None,
    season: Annotated[
        int | None, typer.Option("--season", metavar="YEAR", help="Its year.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say how far a season is, and what is missing; without one, list all."""
    settings = load_settings()
    rules, clock = history_rules(settings), settings.make_clock()
    with open_database(settings) as database:
        store = HistoryStore(database)
        if league is not None and season is not None:
            show(history_seasons.status(store, clock, LeagueSeason(league, season), rules), as_json)
            return
        rows = [
            summary(one, clock.now(), rules)
            for one in store.seasons()
            if league in (None, one.key.league) and season in (None, one.key.season)
        ]
    if as_json:
        print_json(rows)
        return
    shown = [{**row, **{str(t): _of(row["tiers"][str(t)]) for t in TIERS}} for row in rows]
    columns = {
        "key": "season",
        "state": "state",
        **{str(tier): str(tier) for tier in TIERS},
        "stalled": "stalled",
    }
    print_rows(shown, columns, "No season yet. `footy history start` begins with one.")


def show(row: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(row)
        return
    console().print(f"{row['key']}: {'complete' if row['complete'] else row['state']}")
    if row["stalled"]:
        console().print(f"It has stood still for {row['waiting_minutes']} minutes.", style="red")
    print_rows([{"tier": name, **tier} for name, tier in row["tiers"].items()], TIER_COLUMNS, "")
    if row["failed_documents"]:
        console().print()
        print_rows(row["failed_documents"], FAILED_COLUMNS, "")
        console().print("`footy history retry` asks for them again.")


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
    "reason": "because",
}


def _of(tier: dict[str, Any]) -> str:
    return f"{tier['processed']}/{tier['total']}"


@contextmanager
def by_hand(who: str | None, why: str) -> Iterator[tuple[HistoryStore, ByHand]]:
    settings = load_settings()
    with open_database(settings) as database:
        yield HistoryStore(database), asked(settings, database, who, why)


def tell(key: LeagueSeason, told: dict[str, Any], text: str, as_json: bool) -> None:
    if as_json:
        print_json({"key": str(key), **told})
    else:
        console().print(f"{key}: {text}")


@app.command()
def retry(
    league: League, season: Season, why: Why = BY_HAND, who: Who = None, as_json: Json = False
) -> None:
    """Try again what failed of a season. `start` or a running `footy up` fetches it."""
    key = LeagueSeason(league, season)
    with by_hand(who, why) as (store, by):
        due = history_seasons.retry(store, by, key)
    tell(key, {"documents_due": due}, f"{due} documents are due again", as_json)


@app.command()
def advance(
    league: League, season: Season, why: Why = BY_HAND, who: Who = None, as_json: Json = False
) -> None:
    """Start the next tier of a season by hand; what is missing stays missing."""
    key = LeagueSeason(league, season)
    with by_hand(who, why) as (store, by):
        state = str(history_seasons.advance(store, by, key).state)
    tell(key, {"state": state}, state, as_json)


@app.command()
def backfill(
    league: League, season: Season, why: Why = BY_HAND, who: Who = None, as_json: Json = False
) -> None:
    """Backfill the goals of a season: all its matchdays, by a running `footy up`."""
    key = LeagueSeason(league, season)
    with by_hand(who, why) as (store, by):
        days = history_seasons.backfill(store, by, key)
    tell(key, {"matchdays": days}, f"{len(days)} matchdays asked for", as_json)


@app.command()
def forget(
    league: League, season: Season, why: Why = BY_HAND, who: Who = None, as_json: Json = False
) -> None:
    """Forget a season that was started by mistake, with its documents; tables stay."""
    key = LeagueSeason(league, season)
    with by_hand(who, why) as (store, by):
        gone = history_seasons.forget(store, by, key)
    tell(key, {"documents_forgotten": gone}, f"forgotten, with {gone} documents", as_json)


@app.command()
def export(
    league: League,
    season: Season,
    into: Annotated[
        Path | None, typer.Option("--into", metavar="DIR", help="Else FOOTY_TABLES_FOLDER.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a season's Parquet tables."""
    from footy_assets.operations.history_tables import export as export_tables

    settings, key = load_settings(), LeagueSeason(league, season)
    with open_database(settings) as database:
        store = HistoryStore(database)
        known_season(store, key)
        written = export_tables(store, key, into or settings.tables)
    rows = [{"table": name, "file": str(path)} for name, path in written.items()]
    if as_json:
        print_json(rows)
    else:
        print_rows(rows, {"table": "table", "file": "file"}, "")
