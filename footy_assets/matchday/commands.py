"""Commands about fixtures and goals."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Annotated, Any

import typer

from footy_assets.cli.invocation import invocation_settings
from footy_assets.cli.operator import Who, Why, operator_action
from footy_assets.cli.output import (
    Json,
    parse_day,
    parse_ids,
    parse_match_ids,
    print_json,
    print_rows,
    progress,
)
from footy_assets.cli.output import stdout as console
from footy_assets.clock import Clock
from footy_assets.errors import BadInput, NotFound, ProviderUnavailable
from footy_assets.matchday.ingest import Ingest, IngestReport
from footy_assets.matchday.monitor import CycleReport, poll_until_final, run_cycle
from footy_assets.matchday.operator_actions import ingest_day, ingest_ids
from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import EventState, GoalEvent
from footy_assets.matchday.rules.observe import ChangeKind
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.store.rosters import RosterStore
from footy_assets.matchday.views import Row, event_row, fixture_row, line_up_rows
from footy_assets.operator_actions import NO_REASON
from footy_assets.policies import lifecycle_limits, monitor_policy, tracking_policy
from footy_assets.providers.connection import ProvidersFileLoader, open_provider, require_lead
from footy_assets.providers.feed import MergedFeed
from footy_assets.providers.known_ids import our_match_ids
from footy_assets.providers.store.provider_ids import ProviderIds
from footy_assets.search.aliases import AliasReport, sides
from footy_assets.search.connection import open_team_aliases
from footy_assets.settings import Settings
from resources.mongo.connection import open_mongo
from resources.provider.connection import OpenProvider

Day = Annotated[
    str | None, typer.Option("--date", metavar="D", help="A day, for example 2025-05-10.")
]


def ingest(
    day: Day = None,
    ids: Annotated[
        list[str] | None,
        typer.Option(
            "--ids",
            "--fixture",
            metavar="ID",
            help="Fixture ids, tracked or not, or those of a provider (espn:760415); repeatable.",
        ),
    ] = None,
    why: Why = NO_REASON,
    who: Who = None,
    as_json: Json = False,
) -> None:
    """Load fixtures: today and the next days, one day, or some by id.

    A past day is also polled to its end, so it gets the same goals as a live day.
    """
    if day and ids:
        raise BadInput("--date and --ids cannot be used together", "Give one of them")
    wanted_day = parse_day(day) if day else None
    given_ids = parse_match_ids(ids) if ids else None
    settings = invocation_settings()
    clock = settings.make_clock()
    with (
        progress("loading fixtures", as_json),
        _store(settings) as store,
        _provider(settings, store, clock) as provider,
    ):
        wanted_ids = our_match_ids(store.database, given_ids) if given_ids is not None else None
        importer = Ingest(store, provider.feed, clock, tracking_policy(settings))
        today = clock.now().date()
        action = operator_action(settings, store.database, who, why)
        if wanted_ids is not None:
            report = ingest_ids(importer, action, wanted_ids)
        else:
            report = ingest_day(importer, action, wanted_day or today)
        past = report.kept_ids if wanted_day is not None and wanted_day < today else []
        polls = poll_until_final(store, provider.feed, clock, monitor_policy(settings), past)
        with open_team_aliases(settings, store.database, provider.teams, clock) as aliases:
            alias_report = aliases.precache(sides(store.fixtures_by_id(report.kept_ids).values()))
    row = _ingest_row(report, polls, alias_report)
    if as_json:
        print_json(row)
    else:
        for found, kept in report.days.items():
            if kept or len(report.days) < 4:
                console().print(f"{found}: {kept} fixtures")
        console().print(
            f"{report.added} new, {report.updated} updated, {row['goals']} goals found, "
            f"{row['api_calls']} API calls; aliases of {alias_report.teams} teams, "
            f"{alias_report.cached} cached"
        )
    unanswered = any(failure.fixture_ids for failure in report.failures)
    if wanted_ids and not report.kept_ids and not unanswered and not report.unreadable:
        raise NotFound(f"the provider has no fixture {', '.join(map(str, wanted_ids))}")
    unsettled = bool(polls and polls[-1].failures)
    _fail_on(row["failures"], unsettled or (not report.kept_ids and not report.seen))


def poll(as_json: Json = False) -> None:
    """Run one monitor cycle now: all active fixtures, staging ones once per quarter hour."""
    settings = invocation_settings()
    clock = settings.make_clock()
    with (
        progress("polling", as_json),
        _store(settings) as store,
        _provider(settings, store, clock) as provider,
    ):
        load_file, limits = ProvidersFileLoader(settings), lifecycle_limits(settings)
        merged = MergedFeed(provider.feed, store, clock, load_file, limits)
        report = run_cycle(store, merged, clock, monitor_policy(settings))
        merged.record_poll()
    row = _poll_row(report)
    if as_json:
        print_json(row)
    else:
        changes = ", ".join(f"{n} {what}" for what, n in row["goals"].items()) or "no goal changed"
        console().print(
            f"{report.active} active and {report.staging} staging fixtures, "
            f"{report.written} changed; {changes}; {report.calls} API calls"
        )
    _fail_on(row["failures"], nothing_received=not report.sighted)


def fixtures(
    day: Day = None,
    state: Annotated[
        FixtureState | None, typer.Option("--state", help="Only fixtures in this state.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List known fixtures, of one day or all."""
    wanted_day = parse_day(day) if day else None
    settings = invocation_settings()
    with _store(settings) as store:
        now = settings.make_clock().now()
        found = [f for f in store.find_fixtures(wanted_day) if state in (None, f.state)]
        ids = ProviderIds(store.database).of_matches([fixture.id for fixture in found])
        rows = [{**fixture_row(one, now), "provider_ids": ids[one.id]} for one in found]
    if as_json:
        print_json(rows)
        return
    table_rows = [{**row, "score": _score(row), "when": row["kickoff"][:16]} for row in rows]
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
    print_rows(table_rows, columns, "No fixtures. `footy ingest` loads them.")


def line_ups(
    fixture: Annotated[str, typer.Argument(metavar="FIXTURE", help="A fixture id.")],
    as_json: Json = False,
) -> None:
    """Show who starts in a match and who is on the bench."""
    (fixture_id,) = parse_ids([fixture])[:1]
    with _store(invocation_settings()) as store:
        found = store.fixtures_by_id([fixture_id]).get(fixture_id)
        if found is None:
            raise _unknown_fixture(fixture_id)
        stored = RosterStore(store.database).line_ups(fixture_id)
    rows = line_up_rows(found, stored.line_ups)
    if as_json:
        fetched_at = stored.fetched_at.isoformat() if stored.fetched_at else None
        print_json({"fixture_id": found.id, "fetched_at": fetched_at, "line_ups": rows})
        return
    columns = {"number": "no.", "name": "player", "position": "position", "role": ""}
    for row in rows:
        console().print(" ".join(filter(None, (row["team"], row["formation"]))), markup=False)
        roles = (("starters", ""), ("substitutes", "substitute"))
        print_rows([one | {"role": role} for part, role in roles for one in row[part]], columns, "")
    if not rows:
        reason = f" The last request failed: {stored.failure}" if stored.failure else ""
        console().print(f"No line-ups of {found.name} yet.{reason}", markup=False)


def events(
    day: Day = None,
    fixture: Annotated[
        str | None, typer.Option("--fixture", metavar="ID", help="Only this fixture.")
    ] = None,
    state: Annotated[
        EventState | None, typer.Option("--state", help="Only goals in this state.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List known goals with their states."""
    wanted_day = parse_day(day) if day else None
    wanted_id = parse_ids([fixture])[0] if fixture else None
    # Imported here because they load OpenCV, which no other command about fixtures needs.
    from footy_assets.clips.explain import clip_rows_by_goal
    from footy_assets.clips.store.clips import ClipDocuments

    settings = invocation_settings()
    with _store(settings) as store:
        goals = _matching_goals(store, wanted_day, wanted_id, state)
        documents = ClipDocuments(store.database)
        clips = clip_rows_by_goal(documents, [goal for _, goal in goals], settings.s3_bucket)
        rows = [event_row(goal, f.matchday, clips[goal.key]) for f, goal in goals]
    if as_json:
        print_json(rows)
        return
    table_rows = [
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
    print_rows(table_rows, columns, "No goals yet.")


def _matching_goals(
    store: MatchdayStore, day: date | None, fixture_id: int | None, state: EventState | None
) -> list[tuple[Fixture, GoalEvent]]:
    found = store.find_fixtures(day)
    if fixture_id is not None:
        found = [f for f in found if f.id == fixture_id]
        if not found:
            raise _unknown_fixture(fixture_id)
    goals = store.goals_of([f.id for f in found])
    return [
        (f, goal)
        for f in found
        for goal in sorted(goals[f.id], key=lambda goal: goal.minute.sort_key)
        if state in (None, goal.state)
    ]


def _unknown_fixture(fixture_id: int) -> NotFound:
    return NotFound(
        f"fixture {fixture_id} is not known", f"Load it: footy ingest --ids {fixture_id}"
    )


@contextmanager
def _store(settings: Settings) -> Iterator[MatchdayStore]:
    with open_mongo(settings) as database:
        yield MatchdayStore(database)


@contextmanager
def _provider(settings: Settings, store: MatchdayStore, clock: Clock) -> Iterator[OpenProvider]:
    require_lead(settings)
    with open_provider(settings, store.database, clock) as provider:
        yield provider


def _ingest_row(
    report: IngestReport, polls: list[CycleReport], alias_report: AliasReport
) -> dict[str, Any]:
    return {
        "days": {day.isoformat(): kept for day, kept in report.days.items()},
        "seen": report.seen,
        "kept": len(report.kept_ids),
        "added": report.added,
        "updated": report.updated,
        "polls": len(polls),
        "goals": sum(cycle.goals[ChangeKind.NEW] for cycle in polls),
        "api_calls": report.calls + sum(cycle.calls for cycle in polls) + alias_report.calls,
        "unreadable": [to_dict(piece) for piece in report.unreadable],
        "aliases": {
            "teams": alias_report.teams,
            "cached": alias_report.cached,
            "left": len(alias_report.left),
            **{str(kind): count for kind, count in alias_report.found.items()},
        },
        "warnings": [
            *report.warnings,
            *(warning for cycle in polls for warning in cycle.warnings),
            *alias_report.warnings,
        ],
        "failures": [
            to_dict(failure)
            for failure in (*report.failures, *(f for cycle in polls for f in cycle.failures))
        ],
    }


def _poll_row(report: CycleReport) -> dict[str, Any]:
    return {
        "poll_id": report.poll.id,
        "at": report.poll.at.isoformat(),
        "active": report.active,
        "looked_at": report.staging,
        "activated": report.activated,
        "sighted": report.sighted,
        "written": report.written,
        "superseded": report.superseded,
        "goals": dict(report.goals),
        "api_calls": report.calls,
        "quota": to_dict(report.quota) if report.quota else None,
        "unknown_statuses": report.unknown_statuses,
        "unreadable": [to_dict(piece) for piece in report.unreadable],
        "warnings": report.warnings,
        "failures": [to_dict(failure) for failure in report.failures],
    }


def to_dict(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__slots__}


def _score(row: Row) -> str:
    home, away = row["goals_home"], row["goals_away"]
    return "–" if home is None else f"{home}-{away}"


def _fail_on(failures: list[dict[str, Any]], nothing_received: bool) -> None:
    if not failures:
        return
    reasons = "; ".join(f"{failure['subject']}: {failure['reason']}" for failure in failures[:3])
    if nothing_received:
        raise ProviderUnavailable(f"the provider returned nothing: {reasons}")
    typer.echo(f"footy: {len(failures)} part(s) failed: {reasons}", err=True)
