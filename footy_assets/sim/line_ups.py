"""`/fixtures/lineups`: who starts and who is on the bench, from an hour before kick-off on."""

from datetime import datetime, timedelta

from footy_assets.sim.clubs import Club, Person
from footy_assets.sim.feed import Json
from footy_assets.sim.script import MatchScript

OUT_BEFORE_KICKOFF = timedelta(minutes=60)
STARTERS = 11
FORMATION = "4-3-3"
POSITIONS = "GDDDDMMMFFF"
ON_THE_BENCH = "GDDMMMFFF"


def line_ups_at(script: MatchScript, now: datetime) -> list[Json]:
    if now < script.timetable.kickoff_at(now) - OUT_BEFORE_KICKOFF:
        return []
    return [_line_up(club) for club in (script.home, script.away)]


def _line_up(club: Club) -> Json:
    starters, bench = club.squad[:STARTERS], club.squad[STARTERS:]
    return {
        "team": {"id": club.id, "name": club.name, "logo": club.logo},
        "coach": {"id": None, "name": None, "photo": None},
        "formation": FORMATION,
        "startXI": [
            _entry(person, number, position)
            for number, (person, position) in enumerate(zip(starters, POSITIONS, strict=True), 1)
        ],
        "substitutes": [
            _entry(person, number, position)
            for number, (person, position) in enumerate(
                zip(bench, ON_THE_BENCH, strict=True), STARTERS + 1
            )
        ],
    }


def _entry(person: Person, number: int, position: str) -> Json:
    player = {"id": person.id, "name": person.name, "number": number, "pos": position}
    return {"player": {**player, "grid": None}}
