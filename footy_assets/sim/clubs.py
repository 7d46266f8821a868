"""The leagues, clubs and players of the simulated world: invented, and always the same."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from random import Random

SQUAD_SIZE = 20
FIRST_INVENTED_ID = 500_001
FIRST_STRIKER, LAST_STRIKER = 7, 11


@dataclass(frozen=True)
class Person:
    id: int | None
    name: str | None


NOBODY = Person(None, None)
UNKNOWN = Person(None, "Unknown")


@dataclass(frozen=True)
class League:
    id: int
    name: str
    country: str
    flag: str | None
    kind: str = "League"

    @property
    def logo(self) -> str:
        return f"https://media.api-sports.io/football/leagues/{self.id}.png"


@dataclass(frozen=True)
class Club:
    id: int
    name: str
    country: str
    city: str

    @property
    def logo(self) -> str:
        return f"https://media.api-sports.io/football/teams/{self.id}.png"

    @property
    def code(self) -> str:
        return self.city[:3].upper()

    @property
    def venue_id(self) -> int:
        return 20_000 + self.id

    @property
    def venue(self) -> str:
        return f"{self.city} {STADIUM.get(self.country, 'Stadium')}"

    @property
    def founded(self) -> int:
        return 1880 + self.id % 60

    @property
    def squad(self) -> tuple[Person, ...]:
        return _squad(self)

    @property
    def strikers(self) -> tuple[Person, ...]:
        return self.squad[FIRST_STRIKER - 1 : LAST_STRIKER]

    @property
    def defenders(self) -> tuple[Person, ...]:
        return self.squad[1:5]

    @property
    def bench(self) -> tuple[Person, ...]:
        return self.squad[11:]


STADIUM = {
    "England": "Park",
    "Spain": "Estadio",
    "Germany": "Arena",
    "Italy": "Stadio",
    "France": "Stade",
}

LEAGUES = {
    league.id: league
    for league in (
        League(39, "Premier League", "England", "https://media.api-sports.io/flags/gb.svg"),
        League(140, "La Liga", "Spain", "https://media.api-sports.io/flags/es.svg"),
        League(78, "Bundesliga", "Germany", "https://media.api-sports.io/flags/de.svg"),
        League(135, "Serie A", "Italy", "https://media.api-sports.io/flags/it.svg"),
        League(61, "Ligue 1", "France", "https://media.api-sports.io/flags/fr.svg"),
        League(2, "UEFA Champions League", "World", None, "Cup"),
        League(45, "FA Cup", "England", "https://media.api-sports.io/flags/gb.svg", "Cup"),
    )
}
TOP_LEAGUES = (39, 140, 78, 135, 61)
CHAMPIONS_LEAGUE, FA_CUP = 2, 45
CHAMPIONS_PER_LEAGUE = 4

TOWNS: dict[int, str] = {
    39: "Northbridge Ashcombe Kingsport Redmoor Wexley Harrowgate Millbrook Stonehaven Eastleigh "
    "Thornbury Carrick Blackwater Fenwick Oakhurst Marlow Dunmere Westerby Langford Holt Pembury",
    140: "Valdoro Montesol Ribera Almagro Castelar Navarro Puente Lorquí Santoña Vega "
    "Orihuela Teruel Cazorla Baeza Zafra Llanes Tarifa Jaca Mijas Arévalo",
    78: "Grünwald Altenburg Rheinfeld Löwenstein Waldheim Bergen Neustadt Hagenau Kirchheim Elbing "
    "Mühlbach Falkenau Steinfurt Adlershof Westerholt Hohenfels Lindau Eisenach Sandau Torgau",
    135: "Montalba Valserena Pontevico Castelforte Roccamare Lunense Fiorano Terranova Sassuolina "
    "Belvedere Acquaviva Portofermo Collefiore Santelmo Vignola Altavilla Marsiglia Orvino "
    "Lodigiana Tresana",
    61: "Beaumont Valcourt Rochefort Montclair Sainte-Foy Clairvaux Belfontaine Pontivy Havrebec "
    "Lormont Aubagne Marsac Vierzon Dolancourt Grandpré Lisieux Castres Quimperlé Auray Tulle",
    45: "Little-Sutton Brackley-Moor Ilkeston-Vale Penrith-Heath",
}

STYLES: dict[int, tuple[str, ...]] = {
    39: ("{} United", "{} City", "{} Rovers", "{} Town", "{}"),
    140: ("Real {}", "{} CF", "Atlético {}", "Deportivo {}", "{}"),
    78: ("FC {}", "SV {}", "Borussia {}", "VfL {}", "{} 04"),
    135: ("AC {}", "{} Calcio", "US {}", "{} 1908", "{}"),
    61: ("Olympique {}", "AS {}", "Stade {}", "RC {}", "{} FC"),
    45: ("{} Athletic", "{} Albion"),
}

SURNAMES: dict[str, str] = {
    "England": "Hollins Marsh Okafor Pritchard Son Ellery Adams Whitlock Ferris Boateng Crane "
    "Alexander-Reid Langley Tate Osei Hargreaves Penny Rook Vance Doyle Shaw Kim Barlow Nwosu",
    "Spain": "Cardozo Ibáñez Muñiz Peña Aramburu Solís Quiroga Rey Núñez Zubeldía Costa "
    "Fuentes Olmo-Vidal Barrenechea Gil Prats Sancho Yuste Lago Moreno Tébar Roca Soler Nieto",
    "Germany": "Brandt Größing Müller-Thies Kern Hübner Voss Lang Özdemir Reuter Falk Schäfer "
    "Wendt Baumgart Ott Kübler Stark Njie Hahn Ritter Zell Gerlach Bock Adeyinka Paul",
    "Italy": "Bellandi Conti D'Ambra Esposti Ferraro Galli Lo Marchetti Nardi Orsini Pellegrin "
    "Quaranta Riva Sartori Tosi Ungaro Vitale Zanetto Moro De-Santis Bruno Fabbri Leone Sala",
    "France": "Aubert Bénard Cissokho Dembaya Évrard Fofana-Petit Garnier Hamel Issa Joly Koné "
    "Lacroix Moreau N'Diaye Olivier Perrin Renaud Sow Thuriot Vidal Ba Traoré Lefort Michel",
}


def season_of(day: date) -> int:
    """The provider names a season after the year it starts in."""
    return day.year if day.month >= 7 else day.year - 1


@cache
def clubs_of(league_id: int) -> tuple[Club, ...]:
    if league_id == CHAMPIONS_LEAGUE:
        return tuple(club for top in TOP_LEAGUES for club in clubs_of(top)[:CHAMPIONS_PER_LEAGUE])
    country = LEAGUES[league_id].country
    styles = STYLES[league_id]
    return tuple(
        Club(
            id=league_id * 100 + place,
            name=styles[place % len(styles)].format(town.replace("-", " ")),
            country=country,
            city=town.replace("-", " "),
        )
        for place, town in enumerate(TOWNS[league_id].split(), start=1)
    )


def invented_clubs(league_id: int, first: int = FIRST_INVENTED_ID) -> Iterator[Club]:
    """Endless clubs outside every league table, for days larger than football has."""
    towns = TOWNS[league_id].split()
    country = LEAGUES[league_id].country
    number = 0
    while True:
        town = towns[number % len(towns)]
        yield Club(first + number, f"{town} {number + 1}", country, town)
        number += 1


@cache
def all_clubs() -> dict[int, Club]:
    return {club.id: club for league_id in LEAGUES for club in clubs_of(league_id)}


@cache
def _squad(club: Club) -> tuple[Person, ...]:
    rng = Random(f"squad-{club.id}")
    surnames = rng.sample(SURNAMES[club.country].split(), SQUAD_SIZE)
    return tuple(
        Person(club.id * 100 + number, f"{rng.choice('ABCDEFGJKLMNOPRST')}. {surname}")
        for number, surname in enumerate(surnames, start=1)
    )
