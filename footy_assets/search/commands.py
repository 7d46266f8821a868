"""Commands about team aliases and the listener."""

import time
from typing import Annotated, Any

import typer

from footy_assets.cli.invocation import invocation_settings
from footy_assets.cli.output import Json, print_json, print_rows, stderr
from footy_assets.cli.signals import stop_on_signals
from footy_assets.errors import BadInput, NotFound
from footy_assets.parsing import LARGEST_INTEGER
from footy_assets.search.connection import bluesky_listener
from footy_assets.search.store.team_aliases import ResolvedAliases, TeamAliasStore
from footy_assets.setting_values import YEAR_SECONDS
from resources.mongo.connection import open_mongo


def aliases(
    team: Annotated[
        int | None,
        typer.Option("--team", metavar="ID", min=1, max=LARGEST_INTEGER, help="Only this team."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the search words for teams, and where they come from."""
    settings = invocation_settings()
    with open_mongo(settings) as database:
        store = TeamAliasStore(database)
        known = store.all() if team is None else list(store.known([team]).values())
    if team is not None and not known:
        raise NotFound(
            f"team {team} has no aliases yet", "They are resolved when its match is ingested"
        )
    now = settings.make_clock().now()
    rows = [{**alias_row(words), "fresh": words.is_fresh(now)} for words in known]
    if as_json:
        print_json(rows)
        return
    shown = [
        {
            **row,
            "words": " ".join(row["words"]),
            "until": row["expires_at"][:16],
            "problem": "; ".join(row["problems"]),
        }
        for row in rows
    ]
    columns = {
        "team_id": "team",
        "name": "name",
        "words": "words",
        "provenance": "origin",
        "item": "item",
        "picked_by": "picked by",
        "until": "until (UTC)",
        "problem": "problem",
    }
    print_rows(shown, columns, "No aliases yet. `footy ingest` resolves them.")


def alias_row(words: ResolvedAliases) -> dict[str, Any]:
    return {
        "team_id": words.team_id,
        "name": words.name,
        "words": list(words.words),
        "provenance": str(words.provenance),
        "item": words.facts.get("item"),
        "label": words.facts.get("label"),
        "reasons": words.facts.get("reasons", []),
        "candidates": words.facts.get("candidates", {}),
        "picked_by": words.facts.get("picked_by"),
        "problems": list(words.problems),
        "resolved_at": words.resolved_at.isoformat(),
        "expires_at": words.expires_at.isoformat(),
    }


def listen(
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=YEAR_SECONDS, help="Stop after this many seconds; default: at Ctrl-C."
        ),
    ] = None,
) -> None:
    """Keep the posts with videos that Bluesky's stream sends; part of `footy up`.

    Searches for goals on Bluesky look among them. A break loses nothing: it goes on where it
    stopped, for as long as Bluesky keeps its stream (about a day and a half).
    """
    settings = invocation_settings()
    if not settings.listens_to_bluesky:
        raise BadInput(
            "posts on Bluesky are not heard with these settings",
            "Name bluesky in FOOTY_SITES, and unset FOOTY_BLUESKY_URL, which is searched instead",
        )
    stopped = stop_on_signals()
    ends = None if seconds is None else time.monotonic() + seconds

    def over() -> bool:
        return stopped.is_set() or (ends is not None and time.monotonic() >= ends)

    with open_mongo(settings) as database:
        listener = bluesky_listener(settings, database)
        listener.run(over)
    counts = listener.counts
    stderr().print(
        f"{counts['kept']} posts with a video kept, {counts['removed']} posts removed, "
        f"{counts['passed']} messages without a video, "
        f"{counts['unknown_form'] + counts['unknown_record'] + counts['too_large']} unreadable"
    )
