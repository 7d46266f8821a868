"""The provider's JSON object of a match at a given time."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from footy_assets.sim.clubs import Club, season_of
from footy_assets.sim.script import FeedEvent, MatchScript
from footy_assets.sim.statuses import DECIDED, DECIDED_AT_THE_TABLE, LONG_NAMES, Status

Json = dict[str, Any]

ON_REQUEST = ("events", "lineups", "statistics", "players")


def fixture_at(script: MatchScript, now: datetime, events: bool = True) -> Json:
    timetable = script.timetable
    phase = timetable.phase_at(now)
    kickoff = timetable.kickoff_at(now)
    listed = script.events_at(now)
    elapsed, extra = phase.clock_at(now)
    reached = {
        past.status: int(past.since.timestamp())
        for past in reversed(timetable.phases)
        if past.since <= now
    }

    goals = _goals(script, phase.status, elapsed, listed)
    score = _score(script, set(reached), listed, goals)
    winner = _winner(phase.status, goals, score["penalty"])
    fixture: Json = {
        "fixture": {
            "id": script.fixture_id,
            "referee": script.referee,
            "timezone": "UTC",
            "date": kickoff.isoformat(),
            "timestamp": int(kickoff.timestamp()),
            "periods": {
                "first": reached.get(Status.FIRST_HALF),
                "second": reached.get(Status.SECOND_HALF),
            },
            "venue": {
                "id": script.home.venue_id,
                "name": script.home.venue,
                "city": script.home.city,
            },
            "status": {
                "long": LONG_NAMES.get(phase.status, "Unknown"),
                "short": str(phase.status),
                "elapsed": elapsed,
                "extra": extra,
            },
        },
        "league": {
            "id": script.league.id,
            "name": script.league.name,
            "country": script.league.country,
            "logo": script.league.logo,
            "flag": script.league.flag,
            "season": season_of(script.kickoff.date()),
            "round": script.round,
        },
        "teams": {
            "home": {**_team(script.home), "winner": winner["home"]},
            "away": {**_team(script.away), "winner": winner["away"]},
        },
        "goals": goals,
        "score": score,
    }
    if events:
        fixture["events"] = [event_json(event) for event in listed]
        fixture |= {"lineups": [], "statistics": [], "players": []}
    return fixture


def event_json(event: FeedEvent) -> Json:
    return {
        "time": {"elapsed": event.minute.elapsed, "extra": event.minute.extra},
        "team": _team(event.team),
        "player": {"id": event.player.id, "name": event.player.name},
        "assist": {"id": event.assist.id, "name": event.assist.name},
        "type": event.type,
        "detail": event.detail,
        "comments": event.comments,
    }


def without_details(fixture: Json, keep: tuple[str, ...] = ()) -> Json:
    """The shorter object of responses by date or league; `live` keeps the events."""
    return {
        part: value for part, value in fixture.items() if part not in ON_REQUEST or part in keep
    }


def _team(club: Club) -> Json:
    return {"id": club.id, "name": club.name, "logo": club.logo}


def _goals(
    script: MatchScript, status: str, elapsed: int | None, listed: Iterable[FeedEvent]
) -> Json:
    awarded = script.timetable.awarded
    if awarded is not None and status in DECIDED:
        return {"home": awarded[0], "away": awarded[1]}
    if elapsed is None:
        return {"home": None, "away": None}
    return _count(script, listed, lambda event: event.is_goal)


def _score(script: MatchScript, reached: set[str], listed: list[FeedEvent], goals: Json) -> Json:
    nothing: Json = {"home": None, "away": None}

    def between(first: int, last: int) -> Json:
        return _count(
            script, listed, lambda event: event.is_goal and first <= event.minute.elapsed <= last
        )

    def shootout_goals() -> Json:
        return _count(
            script, listed, lambda event: event.is_shootout_kick and event.detail == "Penalty"
        )

    fulltime = between(0, 90) if reached & {Status.FINISHED, Status.EXTRA_TIME} else nothing
    return {
        "halftime": between(0, 45) if Status.HALF_TIME in reached else nothing,
        "fulltime": goals if reached & DECIDED_AT_THE_TABLE else fulltime,
        "extratime": between(91, 120) if Status.EXTRA_TIME in reached else nothing,
        "penalty": shootout_goals() if Status.SHOOTOUT in reached else nothing,
    }


def _count(
    script: MatchScript, listed: Iterable[FeedEvent], counts: Callable[[FeedEvent], bool]
) -> Json:
    teams = [event.team.id for event in listed if counts(event)]
    return {"home": teams.count(script.home.id), "away": teams.count(script.away.id)}


def _winner(status: str, goals: Json, penalty: Json) -> Json:
    if status not in DECIDED:
        return {"home": None, "away": None}
    home = (goals["home"] or 0, penalty["home"] or 0)
    away = (goals["away"] or 0, penalty["away"] or 0)
    if home == away:
        return {"home": None, "away": None}
    return {"home": home > away, "away": away > home}
