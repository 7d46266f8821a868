"""ESPN's line-ups of a match, and the players of a team."""

from datetime import datetime

from footy_assets.sim import espn_words as words
from footy_assets.sim.clubs import SQUAD_SIZE, Club
from footy_assets.sim.espn import second_text, team_json
from footy_assets.sim.espn_plays import Play
from footy_assets.sim.espn_words import espn_id
from footy_assets.sim.feed import Json
from footy_assets.sim.line_ups import FORMATION, SquadMember, squad_of

POSITION_NAMES = {"G": "Goalkeeper", "D": "Defender", "M": "Midfielder", "F": "Forward"}
SUBSTITUTE = {"name": "Substitute", "displayName": "Substitute", "abbreviation": "SUB"}


def line_up_json(side: str, club: Club, plays: tuple[Play, ...]) -> Json:
    changes = [play.event for play in plays if play.kind == words.SUBSTITUTION]
    came_on = {change["assist"]["id"] for change in changes}
    team = team_json({"id": club.id, "name": club.name})
    went_off = {change["player"]["id"] for change in changes}
    return {
        "homeAway": side,
        "team": {part: team[part] for part in ("id", "abbreviation", "displayName")},
        "formation": FORMATION,
        "roster": [
            {
                "active": True,
                "starter": one.starts,
                "jersey": str(one.number),
                "athlete": _athlete(one),
                **_place(one),
                # An object for some, a boolean for others.
                "subbedIn": {"didSub": True} if one.person.id in came_on else False,
                "subbedOut": one.person.id in went_off,
                "formationPlace": str(one.number if one.starts else 0),
            }
            for one in squad_of(club)
        ],
    }


def team_roster(club: Club, now: datetime) -> Json:
    """A team's players, whether they play today or not."""
    return {
        "timestamp": second_text(now),
        "status": "success",
        "team": team_json({"id": club.id, "name": club.name}),
        "athletes": [
            {**_athlete(one), "jersey": str(one.number), "position": _position(one)}
            for one in squad_of(club)
        ],
    }


def _place(member: SquadMember) -> Json:
    """The last of the bench has no position."""
    if member.starts:
        return {"position": _position(member)}
    return {} if member.number == SQUAD_SIZE else {"position": SUBSTITUTE}


def _position(member: SquadMember) -> Json:
    name = POSITION_NAMES[member.position]
    return {"name": name, "displayName": name, "abbreviation": member.position}


def _athlete(member: SquadMember) -> Json:
    name = member.person.name or "Unknown"
    athlete_id = espn_id(member.person.id or 0)
    return {
        "id": athlete_id,
        "uid": f"s:600~a:{athlete_id}",
        "lastName": name.partition(". ")[2],
        "fullName": words.full_name(name),
        "displayName": words.full_name(name),
        "shortName": name,
    }
