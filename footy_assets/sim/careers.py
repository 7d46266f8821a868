"""Who played for a club in a season: careers that begin, last some years and end."""

from dataclasses import dataclass
from datetime import date
from functools import cache
from random import Random

from footy_assets.sim.clubs import SURNAMES, Club, Person, clubs_of

SQUAD = 30
# The last of a club's list comes for one season; at every other club he leaves in January.
GUEST = SQUAD
MOVES_ON = (1, 12)
POSITIONS = ("Goalkeeper", "Defender", "Midfielder", "Attacker")
FIRST_NAMES = "Alan Bruno Carlos David Emil Frank Georg Hugo Ivan Jonas Karl Leo Marco Nuno Oscar"


@dataclass(frozen=True)
class Footballer:
    id: int
    first: str
    last: str
    birth: date
    nationality: str
    position: str
    number: int
    height: int
    weight: int

    @property
    def name(self) -> str:
        return f"{self.first[0]}. {self.last}"

    @property
    def person(self) -> Person:
        return Person(self.id, self.name)


@dataclass(frozen=True)
class Transfer:
    player: Footballer
    out: Club
    into: Club
    day: date


@cache
def squad_in(club: Club, season: int) -> tuple[Footballer, ...]:
    """Those who are the club's own; who comes in January is in `transfers_in`."""
    return tuple(
        _footballer(club, slot, _since(club, slot, season)) for slot in range(1, SQUAD + 1)
    )


@cache
def transfers_in(league_id: int, season: int) -> tuple[Transfer, ...]:
    """Every other club gives its guest to its neighbour in January."""
    clubs = clubs_of(league_id)
    day = date(season + 1, *MOVES_ON)
    return tuple(
        Transfer(squad_in(out, season)[GUEST - 1], out, into, day)
        for out, into in zip(clubs[::2], clubs[1::2], strict=False)
    )


def _since(club: Club, slot: int, season: int) -> int:
    """The season in which the man of this slot came."""
    if slot == GUEST:
        return season
    stays = 3 + (club.id * 31 + slot) % 4
    return season - (season + club.id * 7 + slot * 13) % stays


def _footballer(club: Club, slot: int, since: int) -> Footballer:
    id_ = (club.id * 100 + slot) * 100 + since % 100
    rng = Random(f"footballer-{id_}-{since}")
    position = POSITIONS[0 if slot in (1, 12, 23) else 1 + slot % 3]
    return Footballer(
        id=id_,
        first=rng.choice(FIRST_NAMES.split()),
        last=rng.choice(SURNAMES[club.country].split()),
        birth=date(since - rng.randint(17, 30), rng.randint(1, 12), rng.randint(1, 28)),
        nationality=club.country,
        position=position,
        number=slot,
        height=rng.randint(168, 200),
        weight=rng.randint(62, 95),
    )
