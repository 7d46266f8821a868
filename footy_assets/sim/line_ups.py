"""Who starts a match and who is on the bench, and API-Football's object of it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from footy_assets.sim.clubs import Club, Person
from footy_assets.sim.feed import Json
from footy_assets.sim.script import MatchScript
from footy_assets.sim.statuses import NOT_PLAYED, Status

FORMATION = "4-3-3"
STARTERS = 11
API_FOOTBALL_NOTICE = timedelta(minutes=45)
# Goalkeeper, defenders, midfielders, forwards: the lines of the formation, by shirt number.
ROWS = ("G", "DDDD", "MMM", "FFF")
POSITIONS = "".join(ROWS)
WILL_BE_PLAYED = frozenset({Status.NOT_STARTED})


@dataclass(frozen=True)
class SquadMember:
    person: Person
    number: int
    position: str
    starts: bool

    @property
    def grid(self) -> str | None:
        """The row and the place in it, counted from the own goal; none on the bench."""
        if not self.starts:
            return None
        place = self.number
        for row, positions in enumerate(ROWS, start=1):
            if place <= len(positions):
                return f"{row}:{place}"
            place -= len(positions)
        return None


def squad_of(club: Club) -> tuple[SquadMember, ...]:
    """The club's players on a matchday: the first eleven start."""
    return tuple(
        SquadMember(person, number, POSITIONS[(number - 1) % STARTERS], number <= STARTERS)
        for number, person in enumerate(club.squad, start=1)
    )


def line_ups_are_out(script: MatchScript, now: datetime, notice: timedelta) -> bool:
    status = script.timetable.phase_at(now).status
    if status in NOT_PLAYED - WILL_BE_PLAYED:
        return False
    return now >= script.timetable.kickoff_at(now) - notice


def line_ups_json(script: MatchScript, now: datetime) -> list[Json]:
    """API-Football's /fixtures/lineups: empty until shortly before kick-off."""
    if not line_ups_are_out(script, now, API_FOOTBALL_NOTICE):
        return []
    return [_side(club) for club in (script.home, script.away)]


def _side(club: Club) -> Json:
    squad = squad_of(club)
    return {
        "team": {"id": club.id, "name": club.name, "logo": club.logo, "colors": None},
        "coach": {"id": club.id * 100, "name": f"C. {club.city}", "photo": None},
        "formation": FORMATION,
        "startXI": [{"player": _player(one)} for one in squad if one.starts],
        "substitutes": [{"player": _player(one)} for one in squad if not one.starts],
    }


def _player(member: SquadMember) -> Json:
    return {
        "id": member.person.id,
        "name": member.person.name,
        "number": member.number,
        "pos": member.position,
        "grid": member.grid,
    }
