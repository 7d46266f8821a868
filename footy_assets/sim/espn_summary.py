"""ESPN's summary of one match: events with ids, the commentary, both line-ups."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from footy_assets.sim import espn_words as words
from footy_assets.sim.club_names import without_form
from footy_assets.sim.espn import (
    clock_json,
    competition_json,
    league_uid,
    period_of,
    season_name,
    second_text,
)
from footy_assets.sim.espn_plays import Play
from footy_assets.sim.espn_rosters import line_up_json
from footy_assets.sim.espn_whistles import whistles
from footy_assets.sim.espn_words import PlayKind, espn_id
from footy_assets.sim.feed import Json
from footy_assets.sim.line_ups import line_ups_are_out
from footy_assets.sim.script import MatchScript

NOTICE = timedelta(minutes=60)
# What a side has on the scoreboard and not in the summary.
BOARD_ONLY = frozenset({"type", "logo", "isActive"})
CANCELLED = ("goal cancelled", "goal disallowed")
LINE_UPS_TEXT = "Lineups are announced and players are warming up."


def summary_json(
    fixture: Json, plays: tuple[Play, ...], script: MatchScript | None, now: datetime
) -> Json:
    competition = competition_json(fixture, plays)
    league = words.LEAGUES.get(fixture["league"]["id"])
    league_name = league.name if league else fixture["league"]["name"]
    out = script is not None and line_ups_are_out(script, now, NOTICE)
    header = {
        "id": competition["id"],
        "uid": competition["uid"].rpartition("~c:")[0],
        "season": {
            "year": fixture["league"]["season"],
            "name": season_name(fixture["league"]["season"], league_name),
        },
        "timeValid": competition["timeValid"],
        "competitions": [
            {
                **{part: competition[part] for part in ("id", "uid", "date")},
                "competitors": [_header_side(side) for side in competition["competitors"]],
                "status": {"type": competition["status"]["type"]},
                "details": [_header_detail(play) for play in plays if play.scored],
                "wallclockAvailable": True,
            }
        ],
        "league": {
            "id": league_uid(fixture).rpartition(":")[2],
            "uid": league_uid(fixture),
            "name": league_name,
            "slug": league.slug if league else "",
        },
    }
    summary: Json = {
        "format": competition["format"],
        "gameInfo": {
            "venue": competition["venue"],
            "officials": [{"fullName": fixture["fixture"]["referee"], "order": 1}],
        },
        "header": header,
        "keyEvents": _key_events(fixture, plays, script, now),
        "commentary": _commentary(fixture, plays, out),
        "wallclockAvailable": True,
        "meta": {"lastUpdatedAt": second_text(now)},
    }
    kicks = [play for play in plays if play.is_shootout_kick]
    if kicks:
        summary["shootout"] = [_shots(fixture["teams"][side], kicks) for side in ("home", "away")]
    if script is not None and out:
        clubs = {"home": script.home, "away": script.away}
        summary["rosters"] = [line_up_json(side, club, plays) for side, club in clubs.items()]
    return summary


def _key_events(
    fixture: Json, plays: tuple[Play, ...], script: MatchScript | None, now: datetime
) -> list[Json]:
    own = [_key_event(play, fixture) for play in plays if play.kind is not None]
    of_referee = [] if script is None else list(whistles(script, now))
    return sorted(own + of_referee, key=lambda entry: str(entry["wallclock"]))


def _key_event(play: Play, fixture: Json) -> Json:
    kind = play.kind or words.RED_CARD
    team = play.event["team"]
    entry: Json = {
        "id": play.id,
        "type": kind.as_json(),
        "text": _text(play, fixture),
        "period": {"number": 5 if play.is_shootout_kick else _period(play)},
        "clock": clock_json(play.event),
        "scoringPlay": play.scored,
        "team": {"id": espn_id(team["id"]), "displayName": without_form(team["name"])},
        "wallclock": second_text(play.at),
        "shootout": play.is_shootout_kick,
    }
    if play.has_player:
        entry["participants"] = [
            {"athlete": {"id": espn_id(one["id"]), "displayName": words.full_name(one["name"])}}
            for one in _participants(play)
        ]
    return entry


def _participants(play: Play) -> list[Json]:
    """The scorer, then who assisted. In a substitution the man who comes on is first."""
    named = [play.event["player"], play.event["assist"]]
    if play.kind == words.SUBSTITUTION:
        named.reverse()
    return [one for one in named if one["id"] is not None]


def _commentary(fixture: Json, plays: tuple[Play, ...], line_ups_out: bool) -> list[Json]:
    """A goal that VAR cancels is only here: deleted after review, then the decision."""
    entries: list[Json] = []
    if line_ups_out:
        entries.append({"time": {"value": 0.0, "displayValue": ""}, "text": LINE_UPS_TEXT})
    for play in plays:
        if play.event["type"] == "Var":
            entries += _var_entries(play, fixture)
        elif play.kind is not None:
            entries.append(_comment(play, play.kind, _text(play, fixture), play.id))
    return [{"sequence": number, **entry} for number, entry in enumerate(entries)]


def _var_entries(play: Play, fixture: Json) -> Iterator[Json]:
    detail = str(play.event["detail"])
    if not detail.lower().startswith(CANCELLED):
        yield _comment(play, words.VAR_DECISION, f"VAR Decision: {detail}.", play.id)
        return
    name, team = _name(play), without_form(play.event["team"]["name"])
    overturned = (
        f"GOAL OVERTURNED BY VAR: {name} ({team}) scores but the goal is ruled out after a VAR "
        "review."
    )
    yield _comment(play, words.DELETED_GOAL, overturned, play.id)
    home, away = (fixture["teams"][side]["name"] for side in ("home", "away"))
    goals = fixture["goals"]
    score = f"{home} {goals['home'] or 0}-{goals['away'] or 0} {away}"
    yield _comment(play, words.VAR_DECISION, f"VAR Decision: No Goal {score}.", f"{play.id}1")


def _comment(play: Play, kind: PlayKind, text: str, play_id: str) -> Json:
    """Teams and players have no ids here."""
    clock = clock_json(play.event)
    shown: Json = {
        "id": play_id,
        "type": kind.as_json(),
        "text": text,
        "period": {"number": 5 if play.is_shootout_kick else _period(play)},
        "clock": clock,
        "team": {"displayName": without_form(play.event["team"]["name"])},
        "wallclock": second_text(play.at),
    }
    if play.has_player:
        shown["participants"] = [{"athlete": {"displayName": _name(play)}}]
    return {"time": clock, "text": text, "play": shown}


def _text(play: Play, fixture: Json) -> str:
    team = without_form(play.event["team"]["name"])
    if play.kind == words.SUBSTITUTION:
        on = words.full_name(play.event["assist"]["name"] or "Unknown")
        return f"Substitution, {team}. {on} replaces {_name(play)}."
    if play.kind == words.OWN_GOAL:
        return f"Own Goal by {_name(play)}."
    if play.scored:
        return f"Goal! {_name(play)} ({team})."
    return f"{_name(play)} ({team}): {play.event['detail']}."


def _header_side(side: Json) -> Json:
    team = {part: value for part, value in side["team"].items() if part not in BOARD_ONLY}
    return {**{part: side[part] for part in side if part not in BOARD_ONLY}, "team": team}


def _header_detail(play: Play) -> Json:
    extra = play.event["time"]["extra"]
    detail: Json = {
        "clock": clock_json(play.event),
        "addedClock": {
            "value": float((extra or 0) * 60),
            "displayValue": str(extra) if extra else "",
        },
        "scoringPlay": True,
        "team": {"id": espn_id(play.event["team"]["id"])},
        "redCard": False,
        "penaltyKick": play.kind in (words.PENALTY, words.SHOOTOUT_PENALTY),
        "ownGoal": play.kind == words.OWN_GOAL,
        "shootout": play.is_shootout_kick,
    }
    if play.has_player:
        player = play.event["player"]
        athlete = {"id": espn_id(player["id"]), "displayName": words.full_name(player["name"])}
        detail["participants"] = [{"athlete": athlete}]
    return detail


def _shots(team: Json, kicks: list[Play]) -> Json:
    own = [kick for kick in kicks if kick.event["team"]["id"] == team["id"]]
    return {
        "id": espn_id(team["id"]),
        "team": without_form(team["name"]),
        "shots": [
            {
                "id": kick.id,
                "playerId": espn_id(kick.event["player"]["id"]),
                "player": _name(kick),
                "shotNumber": number,
                "didScore": kick.scored,
            }
            for number, kick in enumerate(own, start=1)
            if kick.has_player
        ],
    }


def _name(play: Play) -> str:
    return words.full_name(play.event["player"]["name"] or "Unknown")


def _period(play: Play) -> int:
    return period_of(play.event["time"]["elapsed"])
