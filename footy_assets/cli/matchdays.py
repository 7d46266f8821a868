"""Commands about fixtures and goals."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Annotated, Any

import typer

from footy_assets.cli.asking import BY_HAND, Who, Why, asked
from footy_assets.cli.output import Json, parse_day, parse_ids, print_json, print_rows, progress
from footy_assets.cli.output import stdout as console
from footy_assets.errors import BadInput, NotFound, ProviderUnavailable
from footy_assets.matchday.goal import EventState
from footy_assets.matchday.statuses import FixtureState
from footy_assets.operations.aliases import AliasReport, sides
from footy_assets.operations.by_hand import ingest_day, ingest_ids
from footy_assets.operations.ingest import Ingest, IngestReport
from footy_assets.operations.monitor import CycleReport, run_cycle, settle
from footy_assets.operations.rules import following, rules
from footy_assets.operations.views import Row, event_row, fixture_row
from footy_assets.settings import Settings, load_settings
from footy_assets.store.collections import ensure_indexes
from footy_assets.store.matchdays import MatchdayStore
from resources.api_football.client import ApiFootball
from resources.api_football.connection import open_football
from resources.football_sources import merged_feed
from resources.mongo_connection import open_mongo
from resources.team_aliases import open_team_aliases

Day = Annotated[str | None, typer.Option("--date", metavar="D", help="A day, as 2025-05-10.")]


def ingest(
    day: Day = None,
    ids: Annotated[
        list[str] | None,
        typer.Option(
            "--ids", "--fixture", metavar="ID", help="Fixture ids, whoever plays; may be repeated."
        ),
    ] = None,
    why: Why = BY_HAND,
    who: Who = None,
    as_json: Json = False,
) -> None:
    """Bring in fixtures: today and what is next, one day, or some by id.

    A past day is also watched to its end, so that it holds the goals a live day would.
    """
    if day and ids:
        raise BadInput("--date and --ids cannot be used together", "Give one of them")
    wanted_day = parse_day(day) if day else None
    wanted_ids = parse_ids(ids) if ids else None
    settings = load_settings()
    clock = settings.make_clock()
    with (
        progress("asking the provider", as_json),
        _store(settings) as store,
        _feed(settings) as feed,
    ):
        importer = Ingest(store, feed, clock, following(settings))
        today = clock.now().date()
        by = asked(settings, store.database, who, why)
        if wanted_ids is not None:
            report = ingest_ids(importer, by, wanted_ids)
        else:
            report = ingest_day(importer, by, wanted_day or today)
        past = report.kept_ids if wanted_day is not None and wanted_day < today else []
        polls = settle(store, feed, clock, rules(settings), past)
        with open_team_aliases(settings, store.database, feed, clock) as aliases:
            named = aliases.precache(sides(store.known(report.kept_ids).values()))
    row = _ingest_row(report, polls, named)
    if as_json:
        print_json(row)
    else:
        for found, kept in report.days.items():
            if kept or len(report.days) < 4:
                console().print(f"{found}: {kept} fixtures")
        console().print(
            f"{report.added} new, {report.updated} updated, {row['goals']} goals found, "
            f"{row['api_calls']} API calls; names of {named.teams} teams, "
            f"{named.cached} known before"
        )
    unanswered = any(failure.fixture_ids for failure in report.failures)
    if wanted_ids and not report.kept_ids and not unanswered and not report.unreadable:
        raise NotFound(f"the provider knows no fixture {', '.join(map(str, wanted_ids))}")
    unsettled = bool(polls and polls[-1].failures)
    _fail_on(row["failures"], unsettled or (not report.kept_ids and not report.seen))


def poll(as_json: Json = False) -> None:
    """Run one monitor cycle now: every active fixture, staging ones once a quarter hour."""
    settings = load_settings()
    with progress("polling", as_json), _store(settings) as store, _feed(settings) as feed:
        clock = settings.make_clock()
        merged = merged_feed(settings, feed, store, clock)
        report = run_cycle(store, merged, clock, rules(settings))
        merged.tell()
    row = _poll_row(report)
    if as_json:
        print_json(row)
    else:
        happened = ", ".join(f"{n} {what}" for what, n in row["goals"].items()) or "no goal changed"
        console().print(
            f"{report.active} active and {report.looked_at} staging fixtures, "
            f"{report.written} changed; {happened}; {report.calls} API calls"
        )
    _fail_on(row["failures"], nothing_came=not report.sighted)


def fixtures(
    day: Day = None,
    state: Annotated[
        FixtureState | None, typer.Option("--state", help="Only fixtures in this state.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the fixtures we know, of one day or of all."""
    wanted = parse_day(day) if day else None
    settings = load_settings()
    with _store(settings) as store:
        now = settings.make_clock().now()
        found = [f for f in store.find_fixtures(wanted) if state in (None, f.state)]
        rows = [fixture_row(fixture, now) for fixture in found]
    if as_json:
        print_json(rows)
        return
    shown = [{**row, "score": _score(row), "when": row["kickoff"][:16]} for row in rows]
    columns = {
        "fixture_id": "fixture",
        "when": "kickoff (UTC)",
        "league": "league",
        "home": "home",
        "score": "",
        "away": "away",
        "status": "status",
        "state": "state",
    }
    print_rows(shown, columns, "No fixtures. `footy ingest` brings them in.")


def events(
    day: Day = None,
    fixture: Annotated[
        str | None, typer.Option("--fixture", metavar="ID", help="Only this match.")
    ] = None,
    state: Annotated[
        EventState | None, typer.Option("--state", help="Only goals in this state.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the goals we know, with what became of them."""
    wanted_day = parse_day(day) if day else None
    wanted_id = parse_ids([fixture])[0] if fixture else None
    with _store(load_settings()) as store:
        rows = _event_rows(store, wanted_day, wanted_id, state)
    if as_json:
        print_json(rows)
        return
    shown = [
        {
            **row,
            "minute": f"{row['elapsed']}{'+' + str(row['extra']) if row['extra'] else ''}'",
            "score": f"{row['score_home']}-{row['score_away']}",
            "scorer": row["player_name"] or "not named",
            "polls": len(row["seen_in_polls"]),
        }
        for row in rows
    ]
    columns = {
        "event_id": "event",
        "minute": "minute",
        "score": "score",
        "scorer": "scorer",
        "detail": "detail",
        "polls": "polls",
        "state_label": "state",
    }
    print_rows(shown, columns, "No goals yet.")


def _event_rows(
    store: MatchdayStore, day: date | None, fixture_id: int | None, state: EventState | None
) -> list[Row]:
    found = store.find_fixtures(day)
    if fixture_id is not None:
        found = [f for f in found if f.id == fixture_id]
        if not found:
            fix = f"Bring it in: footy ingest --ids {fixture_id}"
            raise NotFound(f"fixture {fixture_id} is not known", fix)
    goals = store.goals_of([f.id for f in found])
    return [
        event_row(goal, f.matchday)
        for f in found
        for goal in sorted(goals[f.id], key=lambda goal: goal.minute.sort_key)
        if state in (None, goal.state)
    ]


@contextmanager
def _store(settings: Settings) -> Iterator[MatchdayStore]:
    with open_mongo(settings) as database:
        ensure_indexes(database)
        yield MatchdayStore(database)


@contextmanager
def _feed(settings: Settings) -> Iterator[ApiFootball]:
    """The provider; the real one without a key is told before it refuses."""
    default = Settings.model_fields["api_football_url"].default
    if settings.api_football_key is None and settings.api_football_url == default:
        raise BadInput(
            "FOOTY_API_FOOTBALL_KEY is not set",
            "Set it to your API-Football key, or try `footy demo`, which needs none",
        )
    with open_football(settings) as feed:
        yield feed


def _ingest_row(
    report: IngestReport, polls: list[CycleReport], named: AliasReport
) -> dict[str, Any]:
    return {
        "days": {day.isoformat(): kept for day, kept in report.days.items()},
        "seen": report.seen,
        "kept": len(report.kept_ids),
        "added": report.added,
        "updated": report.updated,
        "polls": len(polls),
        "goals": sum(cycle.goals["new"] for cycle in polls),
        "api_calls": report.calls + sum(cycle.calls for cycle in polls) + named.calls,
        "unreadable": [vars_of(piece) for piece in report.unreadable],
        "aliases": {
            "teams": named.teams,
            "cached": named.cached,
            "left": len(named.left),
            **{str(kind): count for kind, count in named.found.items()},
        },
        "warnings": [*report.warnings, *named.warnings],
        "failures": [
            vars_of(failure)
            for failure in (*report.failures, *(f for cycle in polls for f in cycle.failures))
        ],
    }


def _poll_row(report: CycleReport) -> dict[str, Any]:
    return {
        "poll_id": report.poll.id,
        "at": report.poll.at.isoformat(),
        "active": report.active,
        "looked_at": report.looked_at,
        "activated": report.activated,
        "sighted": report.sighted,
        "written": report.written,
        "superseded": report.superseded,
        "goals": dict(report.goals),
        "api_calls": report.calls,
        "quota": vars_of(report.quota) if report.quota else None,
        "unknown_statuses": report.unknown_statuses,
        "unreadable": [vars_of(piece) for piece in report.unreadable],
        "failures": [vars_of(failure) for failure in report.failures],
    }


def vars_of(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__slots__}


def _score(row: Row) -> str:
    home, away = row["goals_home"], row["goals_away"]
    return "–" if home is None else f"{home}-{away}"


def _fail_on(failures: list[dict[str, Any]], nothing_came: bool) -> None:
    if not failures:
        return
    told = "; ".join(f"{failure['subject']}: {failure['reason']}" for failure in failures[:3])
    if nothing_came:
        raise ProviderUnavailable(f"the provider gave nothing: {told}")
    typer.echo(f"footy: {len(failures)} part(s) failed: {told}", err=True)
