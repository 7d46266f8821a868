"""The same matches in the format of football-data.org v4."""

from datetime import datetime
from typing import Any

from footy_assets.sim.feed import Json
from footy_assets.sim.statuses import Status

ID_OFFSET = 400_000
STATUS: dict[str, str] = {
    Status.TO_BE_DEFINED: "SCHEDULED",
    Status.NOT_STARTED: "TIMED",
    Status.FIRST_HALF: "IN_PLAY",
    Status.SECOND_HALF: "IN_PLAY",
    Status.LIVE: "IN_PLAY",
    Status.HALF_TIME: "PAUSED",
    Status.BREAK_TIME: "PAUSED",
    Status.EXTRA_TIME: "EXTRA_TIME",
    Status.SHOOTOUT: "PENALTY_SHOOTOUT",
    Status.FINISHED: "FINISHED",
    Status.AFTER_EXTRA_TIME: "FINISHED",
    Status.AFTER_SHOOTOUT: "FINISHED",
    Status.SUSPENDED: "SUSPENDED",
    Status.INTERRUPTED: "SUSPENDED",
    Status.POSTPONED: "POSTPONED",
    Status.CANCELLED: "CANCELLED",
    Status.ABANDONED: "CANCELLED",
    Status.AWARDED: "AWARDED",
    Status.WALKOVER: "AWARDED",
}
DURATION: dict[str, str] = {
    Status.AFTER_EXTRA_TIME: "EXTRA_TIME",
    Status.EXTRA_TIME: "EXTRA_TIME",
    Status.AFTER_SHOOTOUT: "PENALTY_SHOOTOUT",
}
GOAL_TYPE = {"Normal Goal": "REGULAR", "Own Goal": "OWN", "Penalty": "PENALTY"}
# Its short names of competitions, by the main provider's numbers.
CODES = {39: "PL", 140: "PD", 78: "BL1", 135: "SA", 61: "FL1", 2: "CL", 45: "FAC"}
CARD = {"Yellow Card": "YELLOW", "Second Yellow card": "YELLOW_RED", "Red Card": "RED"}


def match_json(fixture: Json, now: datetime) -> Json:
    """Converts the main provider's object: other ids, other names, the same facts."""
    core, status = fixture["fixture"], fixture["fixture"]["status"]
    league = fixture["league"]
    teams = {side: _team(fixture["teams"][side]) for side in ("home", "away")}
    events = fixture.get("events", [])
    return {
        "area": {"name": league["country"]},
        "competition": {
            "id": ID_OFFSET + league["id"],
            "name": league["name"],
            "code": CODES.get(league["id"]),
            "type": "LEAGUE",
        },
        "season": {"startDate": f"{league['season']}-08-15"},
        "id": ID_OFFSET + core["id"],
        "utcDate": core["date"].replace("+00:00", "Z"),
        "status": STATUS.get(status["short"], status["short"]),
        "minute": status["elapsed"],
        "injuryTime": status["extra"],
        "venue": core["venue"]["name"],
        "stage": "REGULAR_SEASON",
        "lastUpdated": now.isoformat().replace("+00:00", "Z"),
        "homeTeam": teams["home"],
        "awayTeam": teams["away"],
        "score": {
            "winner": None,
            "duration": DURATION.get(status["short"], "REGULAR"),
            "halfTime": dict(fixture["score"]["halftime"]),
            **_score(fixture),
        },
        "goals": _goals(fixture),
        "bookings": [_booking(event) for event in events if event["type"] == "Card"],
    }


def matches_response(matches: list[Json]) -> Json:
    return {
        "filters": {},
        "resultSet": {"count": len(matches), "competitions": "", "played": 0},
        "matches": matches,
    }


def _is_goal(event: Json) -> bool:
    return event["type"] == "Goal" and event["detail"] in GOAL_TYPE and event["comments"] is None


def _score(fixture: Json) -> Json:
    """`fullTime` includes the kicks of a shoot-out."""
    score, goals = fixture["score"], fixture["goals"]
    if score["extratime"]["home"] is None:
        return {"fullTime": dict(goals)}
    parts = {"regularTime": score["fulltime"], "extraTime": score["extratime"]}
    if score["penalty"]["home"] is None:
        return {"fullTime": dict(goals), **parts}
    full = {side: goals[side] + score["penalty"][side] for side in ("home", "away")}
    return {"fullTime": full, **parts, "penalties": score["penalty"]}


def _goals(fixture: Json) -> list[Json]:
    """The goals, each with the score after it."""
    home_id = fixture["teams"]["home"]["id"]
    goals: list[Json] = []
    score = {"home": 0, "away": 0}
    for event in filter(_is_goal, fixture.get("events", [])):
        side = "home" if event["team"]["id"] == home_id else "away"
        score = {**score, side: score[side] + 1}
        goals.append({**_goal(event), "score": score})
    return goals


def _goal(event: Json) -> Json:
    return {
        **_time(event),
        "type": GOAL_TYPE[event["detail"]],
        "team": _team(event["team"]),
        "scorer": _person(event["player"]),
        "assist": _person(event["assist"]),
    }


def _booking(event: Json) -> Json:
    return {
        "minute": event["time"]["elapsed"],
        "team": _team(event["team"]),
        "player": _person(event["player"]),
        "card": CARD.get(event["detail"], "YELLOW"),
    }


def _time(event: Json) -> Json:
    return {"minute": event["time"]["elapsed"], "injuryTime": event["time"]["extra"]}


def _team(team: Json) -> Json:
    return {"id": ID_OFFSET + team["id"], "name": f"{team['name']} FC", "shortName": team["name"]}


def _person(person: Json) -> Any:
    if person["id"] is None:
        return None
    return {"id": ID_OFFSET + person["id"], "name": person["name"]}
