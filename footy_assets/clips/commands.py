"""Commands about the clips of a goal."""

from typing import Annotated, Any
from uuid import uuid4

import typer
from pymongo.database import Database

from footy_assets.cli.invocation import invocation_settings
from footy_assets.cli.operator import Who, Why, operator_action
from footy_assets.cli.output import Json, parse_day, print_json, print_rows, progress
from footy_assets.cli.output import stdout as console
from footy_assets.clips.batch import ClipBatch
from footy_assets.clips.coverage import coverage_figures
from footy_assets.clips.explain import (
    EVIDENCE_WORDS,
    Row,
    ahead_sentence,
    clip_rows,
    explain_goal,
    reading_line,
)
from footy_assets.clips.rules.coverage import GoalCoverage
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.clips.store.coverage import CoverageStore
from footy_assets.errors import SiteUnavailable
from footy_assets.logs import no_log
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.store.goals import GoalStore
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.media.evidence import VerifiedBy
from footy_assets.operator_actions import NO_REASON, OperatorAction
from footy_assets.policies import search_rules
from footy_assets.search.operator_actions import search_now
from footy_assets.search.rules.attempts import AttemptOutcome
from footy_assets.search.searcher import AttemptResult, Searcher
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.search.store.videos import VideoStore
from footy_assets.search.sweep import Sweep
from footy_assets.settings import Settings
from footy_assets.store.collections import Document
from footy_assets.store.rate_limit import SharedRateLimit
from footy_assets.store.site_browsers import SiteBrowsers
from footy_assets.store.site_feeds import SiteFeeds
from resources.mongo.connection import open_mongo

Event = Annotated[
    str, typer.Argument(metavar="EVENT", help="An event id, for example 5000_40_234_Goal_1.")
]


def clips(
    event: Annotated[
        str | None, typer.Option("--event", metavar="EVENT", help="Only this goal.")
    ] = None,
    day: Annotated[
        str | None,
        typer.Option("--date", metavar="D", help="Only this day, for example 2025-05-10."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List stored clips, best first for each goal."""
    wanted = parse_day(day) if day else None
    settings = invocation_settings()
    with open_mongo(settings) as database:
        documents = ClipDocuments(database)
        if event:
            goals = [documents.goals.require(event)]
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
    table = [
        {
            **row,
            "verified": _format_evidence(row),
            "pixels": f"{row['width']}×{row['height']}",
            "seconds": f"{row['duration']:.1f}",
        }
        for row in rows
    ]
    columns = {
        "event_id": "event",
        "rank": "rank",
        "verified": "verified",
        "discovered": "posts",
        "popularity": "popularity",
        "seconds": "seconds",
        "pixels": "pixels",
        "url": "url",
    }
    print_rows(table, columns, "No clips yet.")


def coverage(
    day: Annotated[
        str | None,
        typer.Option("--date", metavar="D", help="This day; default: the latest with goals."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show how many stable goals of a day have a clip, and a verified one, by match."""
    wanted = parse_day(day) if day else None
    with open_mongo(invocation_settings()) as database:
        store = CoverageStore(database)
        wanted = wanted or store.latest_day()
        fixtures = MatchdayStore(database).find_fixtures(wanted) if wanted else []
        found = store.of_matches([fixture.id for fixture in fixtures])
    rows = [
        {"fixture_id": f.id, "match": f.name, **coverage_figures(found[f.id].stable)}
        for f in fixtures
        if f.id in found
    ]
    total = sum(found.values(), GoalCoverage()).stable
    if as_json:
        print_json({"date": wanted, **coverage_figures(total), "matches": rows})
        return
    columns = {
        "fixture_id": "fixture",
        "match": "match",
        "goals": "goals",
        "with_clip": "with a clip",
        "with_verified_clip": "with a verified clip",
    }
    print_rows(rows, columns, "No stable goals that are searched for.")
    if total.goals:
        console().print(f"{wanted}: {total.sentence}.")


def explain(event: Event, as_json: Json = False) -> None:
    """Explain a goal: its polls, searches and videos, and why each was stored or refused."""
    settings = invocation_settings()
    with open_mongo(settings) as database:
        goal = GoalStore(database).require(event)
        explained = explain_goal(database, goal, settings.s3_bucket)
    if as_json:
        print_json(explained)
        return
    _print_explained(explained)


def search(
    event: Annotated[str, typer.Option("--event", metavar="EVENT", help="The goal to search for.")],
    fetch: Annotated[
        bool, typer.Option("--fetch/--no-fetch", help="Also download and store the videos found.")
    ] = True,
    why: Why = NO_REASON,
    who: Who = None,
    as_json: Json = False,
) -> None:
    """Search for one goal now, due or not, and store the clips that show it.

    Also retries videos that failed because of an outage.
    """
    settings = invocation_settings()
    with progress(f"searching for {event}", as_json), open_mongo(settings) as database:
        documents = ClipDocuments(database)
        goal = documents.goals.require(event)
        result = _search(settings, database, goal, operator_action(settings, database, who, why))
        has_work = fetch and VideoStore(database).count_waiting(goal.key)
        batch = _fetch(settings, database, goal) if has_work else None
    row: dict[str, Any] = {
        "event_id": goal.event_id,
        "attempt": result.attempt.number,
        "looked_at": result.outcome.looked_at,
        "chosen": [post.url for post in result.chosen],
        "refused": dict(result.refused),
        "failures": {failure.site: failure.reason for failure in result.outcome.failures},
        "stored": batch.stored if batch else [],
        "replaced": batch.replaced if batch else [],
    }
    if as_json:
        print_json(row)
    else:
        console().print(
            f"{row['looked_at']} posts checked, {len(result.chosen)} chosen, "
            f"{len(row['stored'])} clips stored, {len(row['replaced'])} replaced by better copies"
        )
        console().print(f"See `footy explain {goal.event_id}` for the reasons", markup=False)
    if result.outcome.failed:
        raise SiteUnavailable("; ".join(f"{s}: {why}" for s, why in row["failures"].items()))


def _search(
    settings: Settings, database: Database[Document], goal: GoalEvent, by: OperatorAction
) -> AttemptResult:
    from footy_assets.providers.connection import open_provider
    from footy_assets.search.connection import heard_sites, open_team_aliases
    from resources.sites.connection import open_sites

    clock, searches = settings.make_clock(), SearchStore(database)
    with (
        open_sites(
            *(settings, clock, SharedRateLimit(database), SiteFeeds(database)),
            record=SiteBrowsers(database).record,
        ) as sites,
        open_provider(settings, database, clock) as provider,
        open_team_aliases(settings, database, provider.teams, clock) as aliases,
    ):
        searcher = Searcher(
            searches,
            Sweep((*sites, *heard_sites(settings, database, clock)), clock.sleep),
            aliases.aliases_for,
            clock,
            search_rules(settings),
            SiteHealth(database),
        )
        return search_now(searches, searcher, by, goal, no_log)


def _fetch(settings: Settings, database: Database[Document], goal: GoalEvent) -> ClipBatch:
    from footy_assets.clips.connection import open_clip_work
    from resources.s3.connection import open_s3

    clock = settings.make_clock()
    with open_s3(settings) as objects, open_clip_work(settings, database, objects, clock) as work:
        return work.run(goal, f"cli-{uuid4().hex[:8]}", no_log)


def _print_explained(goal: Row) -> None:
    out = console()
    out.print(f"{goal['match']}, {goal['minute']} {goal['scorer']} ({goal['detail']})")
    out.print(f"{goal['event_id']}: {goal['state']}")
    out.print(
        f"seen in {len(goal['seen_in_polls'])} polls, first {_format_time(goal['first_seen_at'])}, "
        f"stable {_format_time(goal['stable_at'])}"
    )
    for former in goal["formerly"]:
        out.print(
            f"was {former['event_id']} until {_format_time(former['until'])} ({former['reason']})"
        )
    if goal["preferred"]:
        out.print("somebody waits for it: searched for and turned into clips first")
    if goal["removal"]:
        out.print(f"removed {_format_time(goal['removal']['at'])} ({goal['removal']['reason']})")
    if goal["ahead"]:
        out.print(ahead_sentence(goal["ahead"]))
    out.print()
    attempts = [
        {
            "number": attempt["number"],
            "at": _format_time(attempt.get("started_at")),
            "looked_at": attempt.get("looked_at"),
            "chosen": len(attempt.get("chosen", [])),
            "outcome": _outcome(attempt),
        }
        for attempt in goal["attempts"]
    ]
    headings = {
        "number": "search",
        "at": "at",
        "looked_at": "posts",
        "chosen": "chosen",
        "outcome": "outcome",
    }
    print_rows(attempts, headings, "No search yet.")
    out.print()
    videos = [
        {
            **video,
            "why": video.get("detail") or video.get("reason", ""),
            "likelihood": _format_likelihood(video.get("likelihood")),
        }
        for video in goal["videos"]
    ]
    headings = {
        "url": "video",
        "popularity": "popularity",
        "state": "state",
        "why": "reason",
        "likelihood": "likelihood",
    }
    print_rows(videos, headings, "No videos yet.")
    out.print()
    headings = {
        "rank": "rank",
        "verified": "verified",
        "scorebug": "scorebug",
        "discovered": "posts",
        "popularity": "popularity",
        "url": "clip",
    }
    clips = [
        {**clip, "verified": _format_evidence(clip), "scorebug": clip["scorebug"] or ""}
        for clip in goal["clips"]
    ]
    print_rows(clips, headings, "No clips yet.")
    for clip in goal["clips"]:
        if clip["text_box"]:
            out.print(reading_line(clip))


def _format_evidence(clip: Row) -> str:
    """V7: what verified a clip."""
    return EVIDENCE_WORDS[VerifiedBy(clip["verified_by"])]


def _outcome(attempt: Row) -> str:
    if attempt.get("failure"):
        return f"{AttemptOutcome.FAILED}: {attempt['failure']}"
    return str(attempt.get("outcome", "waiting for its videos"))


def _format_likelihood(rated: dict[str, Any] | None) -> str:
    """SE6: why a video was chosen, or another before it."""
    return f"{rated['score']:g}: {', '.join(rated['reasons'])}" if rated else ""


def _format_time(moment: Any) -> str:
    return f"{moment:%H:%M:%S}" if moment else "never"
