"""Commands for operators: close a match, list the audit log."""

from typing import Annotated

import typer

from footy_assets.cli.invocation import invocation_settings
from footy_assets.cli.operator import Who, Why, operator_action
from footy_assets.cli.output import Json, parse_ids, print_json, print_rows
from footy_assets.cli.output import stdout as console
from footy_assets.matchday.operator_actions import close_fixture
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.search.store.searches import SearchStore
from footy_assets.store.audit import AuditLog
from resources.mongo.connection import open_mongo

MOST_ENTRIES = 1_000_000


def close(
    fixture: Annotated[str, typer.Argument(metavar="FIXTURE", help="A fixture id.")],
    why: Why,
    who: Who = None,
    as_json: Json = False,
) -> None:
    """Close a match for good: no more polls, and no searches for its goals."""
    (fixture_id,) = parse_ids([fixture])[:1]
    settings = invocation_settings()
    with open_mongo(settings) as database:
        closed = close_fixture(
            MatchdayStore(database),
            SearchStore(database).close_fixture,
            operator_action(settings, database, who, why),
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
        console().print(f"{closed.name}: {closed.closed_because or 'already completed'}")


def audit(
    limit: Annotated[
        int,
        typer.Option(
            "--limit", min=1, max=MOST_ENTRIES, help="Maximum number of entries, newest first."
        ),
    ] = 50,
    as_json: Json = False,
) -> None:
    """List operator actions: when, who, why, and the outcome."""
    with open_mongo(invocation_settings()) as database:
        rows = AuditLog(database).entries(limit)
    if as_json:
        print_json(rows)
        return
    table_rows = [{**row, "at": f"{row['at']:%Y-%m-%d %H:%M:%S}"} for row in rows]
    columns = {
        "at": "at (UTC)",
        "who": "who",
        "operation": "action",
        "target": "target",
        "why": "why",
        "outcome": "outcome",
    }
    print_rows(table_rows, columns, "No operator actions yet.")
