"""Matches that are closed by hand, and the record of all that was done by hand."""

from typing import Annotated

import typer

from footy_assets.cli.asking import Who, Why, asked, open_database
from footy_assets.cli.output import Json, parse_ids, print_json, print_rows
from footy_assets.cli.output import stdout as console
from footy_assets.operations.by_hand import close_fixture
from footy_assets.settings import load_settings
from footy_assets.store.audit import AuditLog
from footy_assets.store.matchdays import MatchdayStore
from footy_assets.store.searches import SearchStore


def close(
    fixture: Annotated[str, typer.Argument(metavar="FIXTURE", help="A fixture's id.")],
    why: Why,
    who: Who = None,
    as_json: Json = False,
) -> None:
    """Close a match for good: it is polled no more, and its goals are not searched for."""
    (fixture_id,) = parse_ids([fixture])[:1]
    settings = load_settings()
    with open_database(settings) as database:
        closed = close_fixture(
            MatchdayStore(database),
            SearchStore(database),
            asked(settings, database, who, why),
            fixture_id,
        )
    row = {
        "fixture_id": closed.id,
        "state": str(closed.state),
        "closed_because": closed.closed_because,
    }
    if as_json:
        print_json(row)
    else:
        console().print(f"{closed.name}: {closed.closed_because or 'was completed already'}")


def audit(
    limit: Annotated[int, typer.Option("--limit", min=1, help="So many, newest first.")] = 50,
    as_json: Json = False,
) -> None:
    """List what was done by hand: when, by whom, why, and what became of it."""
    with open_database(load_settings()) as database:
        rows = AuditLog(database).entries(limit)
    if as_json:
        print_json(rows)
        return
    shown = [{**row, "at": f"{row['at']:%Y-%m-%d %H:%M:%S}"} for row in rows]
    columns = {
        "at": "at (UTC)",
        "who": "who",
        "operation": "did",
        "target": "to",
        "why": "why",
        "outcome": "outcome",
    }
    print_rows(shown, columns, "Nothing was done by hand yet.")
