"""The same matches in the format of ESPN's scoreboard."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from footy_assets.sim import club_names
from footy_assets.sim import espn_words as words
from footy_assets.sim.espn_plays import Play, credited_and_scoring
from footy_assets.sim.espn_words import espn_id
from footy_assets.sim.feed import Json
from footy_assets.sim.statuses import DECIDED, Status

US_DAY = ZoneInfo("America/New_York")
# Seconds of the clock at the end of each half: it does not run in stoppage time.
HALVES_END = (2700, 5400, 6300, 7200)


def scoreboard_event(fixture: Json, plays: tuple[Play, ...]) -> Json:
    """An entry of `events`: its goals and cards have no ids."""
    league = fixture["league"]
    home, away = (fixture["teams"][side]["name"] for side in ("home", "away"))
    competition = competition_json(fixture, plays)
    return {
        "id": competition["id"],
        "uid": competition["uid"].rpartition("~c:")[0],
        "date": competition["date"],
        "name": f"{club_names.without_form(away)} at {club_names.without_form(home)}",
        "shortName": f"{club_names.abbreviation(away)} @ {club_names.abbreviation(home)}",
        "season": {"year": league["season"], "type": 12_654, "slug": _season_slug(league)},
        "competitions": [competition],
        "status": competition["status"],
        "venue": {"displayName": fixture["fixture"]["venue"]["name"]},
        "links": [],
    }


def competition_json(fixture: Json, plays: tuple[Play, ...]) -> Json:
    core = fixture["fixture"]
    match_id = espn_id(core["id"])
    sides = [_competitor(fixture, side) for side in ("home", "away")]
    return {
        "id": match_id,
        "uid": f"{league_uid(fixture)}~e:{match_id}~c:{match_id}",
        "date": minute_text(datetime.fromisoformat(core["date"])),
        "startDate": minute_text(datetime.fromisoformat(core["date"])),
        "attendance": 0,
        "timeValid": core["status"]["short"] != Status.TO_BE_DEFINED,
        "recent": False,
        "status": status_json(fixture),
        "venue": {
            "id": espn_id(core["venue"]["id"]),
            "fullName": core["venue"]["name"],
            "address": {"city": core["venue"]["city"], "country": fixture["league"]["country"]},
        },
        "format": {"regulation": {"periods": 2}},
        "notes": [],
        # Every other match has the away side first.
        "competitors": sides[::-1] if core["id"] % 2 else sides,
        "details": [_detail(play, fixture) for play in plays if _on_the_scoreboard(play)],
        "wasSuspended": False,
        "playByPlayAvailable": True,
    }


def status_json(fixture: Json) -> Json:
    shown = fixture["fixture"]["status"]
    short, elapsed, extra = shown["short"], shown["elapsed"] or 0, shown["extra"]
    status = words.status_of(short)
    display = clock_text(elapsed, extra)
    kind = {
        "id": str(status.id),
        "name": status.name,
        "state": status.state,
        "completed": status.completed,
        "description": status.description,
        "detail": status.short or display,
        "shortDetail": status.short or display,
    }
    if short in words.NO_CLOCK:
        return {"type": kind}
    return {
        "clock": float(elapsed * 60),
        "displayClock": display,
        "period": words.PERIODS.get(short, period_of(elapsed)),
        "type": kind,
    }


def team_json(team: Json) -> Json:
    team_id, name = espn_id(team["id"]), club_names.without_form(team["name"])
    return {
        "id": team_id,
        "uid": f"s:600~t:{team_id}",
        "abbreviation": club_names.abbreviation(team["name"]),
        "displayName": name,
        "shortDisplayName": club_names.short(team["name"]),
        "name": name,
        "location": name,
        "isActive": True,
        "logo": f"{words.LOGOS}/{team_id}.png",
    }


def clock_json(event: Json) -> Json:
    """`value` stands still in stoppage time; only `displayValue` has the minute."""
    elapsed, extra = event["time"]["elapsed"], event["time"]["extra"]
    value = elapsed * 60 if extra is not None else max(0, elapsed - 1) * 60
    return {"value": float(value), "displayValue": clock_text(elapsed, extra)}


def clock_text(elapsed: int, extra: int | None) -> str:
    return f"{elapsed}'+{extra}'" if extra else f"{elapsed}'"


def period_of(elapsed: int) -> int:
    if elapsed == 0:
        return 0
    return 1 + sum(elapsed * 60 > end for end in HALVES_END[:-1])


def minute_text(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%MZ")


def second_text(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def us_day(at: datetime) -> str:
    """The day on which ESPN lists a match, as `YYYYMMDD`."""
    return at.astimezone(US_DAY).strftime("%Y%m%d")


def league_uid(fixture: Json) -> str:
    number = fixture["league"]["id"]
    league = words.LEAGUES.get(number)
    return f"s:600~l:{league.id if league else words.ID_OFFSET + number}"


def season_name(year: int, league_name: str) -> str:
    return f"{year}-{(year + 1) % 100:02d} {league_name}"


def _season_slug(league: Json) -> str:
    """Of a league the season, of a cup the round."""
    known = words.LEAGUES.get(league["id"])
    if known is None or not str(league["round"]).startswith("Regular Season"):
        return str(league["round"]).lower().replace("-", "").replace(" ", "-")
    return season_name(league["season"], known.name).lower().replace(" ", "-")


def _competitor(fixture: Json, side: str) -> Json:
    team = team_json(fixture["teams"][side])
    competitor: Json = {
        "id": team["id"],
        "uid": team["uid"],
        "type": "team",
        "order": 0 if side == "home" else 1,
        "homeAway": side,
        # Also before kick-off, and when it is postponed.
        "score": str(fixture["goals"][side] or 0),
        "team": team,
    }
    if fixture["fixture"]["status"]["short"] in DECIDED:
        competitor["winner"] = bool(fixture["teams"][side]["winner"])
    kicks = fixture["score"]["penalty"][side]
    return competitor if kicks is None else {**competitor, "shootoutScore": kicks}


def _on_the_scoreboard(play: Play) -> bool:
    return play.scored or play.event["type"] == "Card"


def _detail(play: Play, fixture: Json) -> Json:
    kind = play.kind or words.RED_CARD
    credited, scoring = credited_and_scoring(play, fixture)
    detail: Json = {
        "type": {"id": str(kind.id), "text": kind.text},
        "clock": clock_json(play.event),
        "team": {"id": espn_id(credited)},
        "scoreValue": int(play.scored),
        "scoringPlay": play.scored,
        "redCard": kind == words.RED_CARD,
        "yellowCard": kind == words.YELLOW_CARD,
        "penaltyKick": kind in (words.PENALTY, words.SHOOTOUT_PENALTY),
        "ownGoal": kind == words.OWN_GOAL,
        "shootout": play.is_shootout_kick,
    }
    if play.has_player:
        name = words.full_name(play.event["player"]["name"])
        athlete = {
            "id": espn_id(play.event["player"]["id"]),
            "displayName": name,
            "shortName": play.event["player"]["name"].replace(".", ""),
            "fullName": name,
            "team": {"id": espn_id(scoring)},
        }
        detail["athletesInvolved"] = [athlete]
    return detail
