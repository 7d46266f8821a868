"""Commands about what was found for a goal."""

from typing import Annotated, Any
from uuid import uuid4

import typer
from pymongo.database import Database

from footy_assets.cli.asking import BY_HAND, Who, Why, asked, open_database
from footy_assets.cli.output import Json, parse_day, print_json, print_rows, progress
from footy_assets.cli.output import stdout as console
from footy_assets.errors import SourceUnavailable
from footy_assets.logs import tell_nobody
from footy_assets.matchday.goal import GoalEvent
from footy_assets.operations.by_hand import ByHand, search_now
from footy_assets.operations.clip_batch import Batch
from footy_assets.operations.clips_by_hand import known_goal
from footy_assets.operations.rules import search_rules
from footy_assets.operations.search_sources import Sweep
from footy_assets.operations.searching import Searched, Searcher
from footy_assets.operations.story import Row, clip_rows, story
from footy_assets.settings import Settings, load_settings
from footy_assets.store.clips import ClipDocuments
from footy_assets.store.collections import Document
from footy_assets.store.matchdays import MatchdayStore
from footy_assets.store.searches import SearchStore
from footy_assets.store.source_health import SourceHealth
from footy_assets.store.turns import SharedTurns

Event = Annotated[str, typer.Argument(metavar="EVENT", help="As in 5000_40_234_Goal_1.")]


def clips(
    event: Annotated[
        str | None, typer.Option("--event", metavar="EVENT", help="Only this goal's.")
    ] = None,
    day: Annotated[
        str | None, typer.Option("--date", metavar="D", help="Only this day's, as 2025-05-10.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the clips we hold, best first for each goal."""
    wanted = parse_day(day) if day else None
    settings = load_settings()
    with open_database(settings) as database:
        documents = ClipDocuments(database)
        if event:
            goals = [known_goal(documents, event)]
        else:
            store = MatchdayStore(database)
            fixtures = store.find_fixtures(wanted)
            found = store.goals_of([fixture.id for fixture in fixtures])
            goals = [
                goal
                for fixture in fixtures
                for goal in sorted(found[fixture.id], key=lambda goal: goal.minute.sort_key)
            ]
        rows = clip_rows(documents, goals, settings.s3_bucket)
    if as_json:
        print_json(rows)
        return
    shown = [
        {**row, "pixels": f"{row['width']}×{row['height']}", "seconds": f"{row['duration']:.1f}"}
        for row in rows
    ]
    columns = {
        "event_id": "event",
        "rank": "rank",
        "verified": "verified",
        "popularity": "popularity",
        "seconds": "seconds",
        "pixels": "pixels",
        "url": "address",
    }
    print_rows(shown, columns, "No clips yet.")


def explain(event: Event, as_json: Json = False) -> None:
    """Tell the whole story of a goal: polls, searches, videos, and why each was taken or not."""
    settings = load_settings()
    with open_database(settings) as database:
        goal = known_goal(ClipDocuments(database), event)
        told = story(database, goal, settings.s3_bucket)
    if as_json:
        print_json(told)
        return
    _print_story(told)


def search(
    event: Annotated[str, typer.Option("--event", metavar="EVENT", help="The goal to search for.")],
    fetch: Annotated[
        bool, typer.Option("--fetch/--no-fetch", help="Fetch and store what was found, too.")
    ] = True,
    why: Why = BY_HAND,
    who: Who = None,
    as_json: Json = False,
) -> None:
    """Search for one goal now, whatever is due, and store what shows it.

    Videos that an outage made us give up are fetched again, too.
    """
    settings = load_settings()
    with progress(f"searching for {event}", as_json), open_database(settings) as database:
        documents = ClipDocuments(database)
        goal = known_goal(documents, event)
        found = _attempt(settings, database, goal, asked(settings, database, who, why))
        wanted = fetch and documents.waiting(goal.key)
        batch = _fetched(settings, database, goal) if wanted else None
    row: dict[str, Any] = {
        "event_id": goal.event_id,
        "attempt": found.attempt.number,
        "looked_at": found.outcome.looked_at,
        "chosen": [post.url for post in found.chosen],
        "refused": dict(found.refused),
        "failures": {failure.source: failure.reason for failure in found.outcome.failures},
        "stored": batch.stored if batch else [],
        "replaced": batch.replaced if batch else [],
    }
    if as_json:
        print_json(row)
    else:
        console().print(
            f"{row['looked_at']} posts looked at, {len(found.chosen)} chosen, "
            f"{len(row['stored'])} clips stored, {len(row['replaced'])} replaced by better copies"
        )
        console().print(f"`footy explain {goal.event_id}` tells why", markup=False)
    if found.outcome.failed:
        raise SourceUnavailable("; ".join(f"{s}: {why}" for s, why in row["failures"].items()))


def _attempt(
    settings: Settings, database: Database[Document], goal: GoalEvent, by: ByHand
) -> Searched:
    from resources.api_football.connection import open_football
    from resources.source_connections import open_sources
    from resources.team_aliases import open_team_aliases

    clock, searches = settings.make_clock(), SearchStore(database)
    with (
        open_sources(settings, SharedTurns(database)) as sources,
        open_football(settings) as feed,
        open_team_aliases(settings, database, feed, clock) as aliases,
    ):
        searcher = Searcher(
            searches,
            Sweep(sources, clock.sleep),
            aliases.aliases_for,
            clock,
            search_rules(settings),
            SourceHealth(database),
        )
        return search_now(searches, searcher, by, goal, tell_nobody)


def _fetched(settings: Settings, database: Database[Document], goal: GoalEvent) -> Batch:
    from resources.clip_work_connection import open_clip_work
    from resources.s3_connection import open_s3

    with open_s3(settings) as objects, open_clip_work(settings, database, objects) as work:
        return work.run(goal, f"cli-{uuid4().hex[:8]}", tell_nobody)


def _print_story(told: Row) -> None:
    out = console()
    out.print(f"{told['match']}, {told['minute']} {told['scorer']} ({told['detail']})")
    out.print(f"{told['event_id']}: {told['state']}")
    out.print(
        f"seen in {len(told['seen_in_polls'])} polls, first {_when(told['first_seen_at'])}, "
        f"stable {_when(told['stable_at'])}"
    )
    for former in told["formerly"]:
        out.print(f"was {former['event_id']} until {_when(former['until'])} ({former['reason']})")
    if told["removal"]:
        out.print(f"removed {_when(told['removal']['at'])} ({told['removal']['reason']})")
    out.print()
    attempts = [
        {
            "number": attempt["number"],
            "at": _when(attempt.get("started_at")),
            "looked_at": attempt.get("looked_at"),
            "chosen": len(attempt.get("chosen", [])),
            "outcome": attempt.get("outcome", "waits for its videos"),
        }
        for attempt in told["attempts"]
    ]
    headings = {
        "number": "search",
        "at": "at",
        "looked_at": "posts",
        "chosen": "chosen",
        "outcome": "outcome",
    }
    print_rows(attempts, headings, "Not searched for yet.")
    out.print()
    videos = [
        {**video, "why": video.get("detail") or video.get("reason", "")} for video in told["videos"]
    ]
    headings = {
        "url": "video",
        "popularity": "popularity",
        "state": "became",
        "why": "because",
    }
    print_rows(videos, headings, "No video found yet.")
    out.print()
    headings = {"rank": "rank", "verified": "verified", "popularity": "popularity", "url": "clip"}
    print_rows(told["clips"], headings, "No clip yet.")


def _when(moment: Any) -> str:
    return f"{moment:%H:%M:%S}" if moment else "never"
