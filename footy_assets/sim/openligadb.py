"""The same matches in the format of OpenLigaDB, which people fill by hand."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from footy_assets.sim.club_names import short
from footy_assets.sim.feed import Json
from footy_assets.sim.script import GOAL_DETAILS, SHOOTOUT, MatchScript
from footy_assets.sim.statuses import DECIDED

ID_OFFSET = 800_000
GERMANY = ZoneInfo("Europe/Berlin")
# By the simulated world's number of the league.
SHORTCUTS = {78: "bl1"}
LEAGUE_OF_SHORTCUT = {shortcut: number for number, shortcut in SHORTCUTS.items()}
HALF_TIME, END = 1, 2
FIRST_NUMBER_WITHOUT_A_LINE = 60
RESULTS = {
    HALF_TIME: ("Halbzeitergebnis", "Ergebnis nach Ende der ersten Halbzeit"),
    END: ("Endergebnis", "Ergebnis nach Ende der offiziellen Spielzeit"),
}


def match_json(fixture: Json, script: MatchScript | None, now: datetime) -> Json:
    """Converts the main provider's object: other ids, the kick-off also as local time.

    Without a script, ids of goals follow from their order.
    """
    core, league = fixture["fixture"], fixture["league"]
    kickoff = datetime.fromisoformat(core["date"])
    season = league["season"]
    match_id = ID_OFFSET + core["id"]
    return {
        "matchID": match_id,
        "matchDateTime": kickoff.astimezone(GERMANY).strftime("%Y-%m-%dT%H:%M:%S"),
        "timeZoneID": "W. Europe Standard Time",
        "leagueId": ID_OFFSET + league["id"],
        "leagueName": f"1. Fußball-Bundesliga {season}/{season + 1}",
        "leagueSeason": season,
        "leagueShortcut": SHORTCUTS.get(league["id"], ""),
        "matchDateTimeUTC": kickoff.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "group": {
            "groupName": f"{group_of(fixture)}. Spieltag",
            "groupOrderID": group_of(fixture),
            "groupID": ID_OFFSET + group_of(fixture),
        },
        "team1": _team(fixture["teams"]["home"]),
        "team2": _team(fixture["teams"]["away"]),
        "lastUpdateDateTime": now.astimezone(GERMANY).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3],
        "matchIsFinished": core["status"]["short"] in DECIDED,
        "matchResults": _results(fixture, match_id),
        "goals": _goals(fixture, match_id, script, now),
        "location": {
            "locationID": core["venue"]["id"],
            "locationCity": core["venue"]["city"],
            "locationStadium": core["venue"]["name"],
        },
        "numberOfViewers": None,
    }


def group_of(fixture: Json) -> int:
    """The matchday: `Regular Season - 36` is the 36th."""
    number = re.search(r"\d+$", str(fixture["league"]["round"]))
    return int(number.group()) if number else 1


def without_flags(match: Json) -> Json:
    """Own goals and penalties look like any goal."""
    flags = {"isOwnGoal": False, "isPenalty": False}
    return {**match, "goals": [{**goal, **flags} for goal in match["goals"]]}


def without_minutes(match: Json) -> Json:
    return {**match, "goals": [{**goal, "matchMinute": None} for goal in match["goals"]]}


def with_extra_goal(match: Json) -> Json:
    """One goal of the second team more than there were, without a minute or a scorer."""
    goals = match["goals"]
    extra = {
        **_no_goal(match["matchID"] * 100 + 99),
        "scoreTeam1": max((goal["scoreTeam1"] for goal in goals), default=0),
        "scoreTeam2": max((goal["scoreTeam2"] for goal in goals), default=0) + 1,
    }
    return {**match, "goals": [*goals, extra]}


def _team(team: Json) -> Json:
    return {
        "teamId": ID_OFFSET + team["id"],
        "teamName": team["name"],
        "shortName": short(team["name"]),
        "teamIconUrl": team.get("logo"),
        "teamGroupName": None,
    }


def _results(fixture: Json, match_id: int) -> list[Json]:
    """The result at half-time, and at the end when it is known."""
    known = {HALF_TIME: fixture["score"]["halftime"]}
    if fixture["fixture"]["status"]["short"] in DECIDED:
        known[END] = fixture["goals"]
    shown = [(kind, score) for kind, score in known.items() if score["home"] is not None]
    return [
        {
            "resultID": match_id * 10 + kind,
            "resultName": RESULTS[kind][0],
            "pointsTeam1": score["home"],
            "pointsTeam2": score["away"],
            "resultOrderID": order,
            "resultTypeID": kind,
            "resultDescription": RESULTS[kind][1],
        }
        for order, (kind, score) in enumerate(shown, start=1)
    ]


def _goals(fixture: Json, match_id: int, script: MatchScript | None, now: datetime) -> list[Json]:
    """The goals, each with the score after it. Their order is not that of time."""
    home_id = fixture["teams"]["home"]["id"]
    scores = [0, 0]
    goals = []
    lines = [] if script is None else script.lines_at(now)
    for place, event in enumerate(fixture.get("events", ())):
        if not _is_goal(event):
            continue
        number = lines[place][0] if place < len(lines) else FIRST_NUMBER_WITHOUT_A_LINE + place
        scores[event["team"]["id"] != home_id] += 1
        goals.append(
            {
                **_no_goal(match_id * 100 + number),
                "scoreTeam1": scores[0],
                "scoreTeam2": scores[1],
                "matchMinute": event["time"]["elapsed"] + (event["time"]["extra"] or 0),
                **_scorer(event["player"]),
                "isPenalty": event["detail"] == "Penalty",
                "isOwnGoal": event["detail"] == "Own Goal",
                "isOvertime": event["time"]["elapsed"] > 90,
            }
        )
    return goals[1:] + goals[:1]


def _is_goal(event: Json) -> bool:
    return (
        event["type"] == "Goal"
        and event["detail"] in GOAL_DETAILS
        and event["comments"] != SHOOTOUT
    )


def _scorer(player: Json) -> Json:
    """Some are named with their initial, some without."""
    if player["id"] is None:
        return {}
    name = str(player["name"])
    shown = name if player["id"] % 2 else name.rpartition(". ")[2]
    return {"goalGetterID": ID_OFFSET + player["id"], "goalGetterName": shown}


def _no_goal(goal_id: int) -> Json:
    return {
        "goalID": goal_id,
        "scoreTeam1": 0,
        "scoreTeam2": 0,
        "matchMinute": None,
        "goalGetterID": 0,
        "goalGetterName": "",
        "isPenalty": False,
        "isOwnGoal": False,
        "isOvertime": False,
        "comment": None,
    }
