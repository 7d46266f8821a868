"""The competitions that providers name differently: our number, which is API-Football's, and the
name of each at the other providers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from footy_assets.names import plain, without_apostrophes


@dataclass(frozen=True, slots=True)
class Competition:
    """`slug` is ESPN's name of it, `shortcut` OpenLigaDB's, `code` football-data.org's; None if it
    does not have it. `also` are further names that providers write out."""

    number: int
    slug: str | None
    name: str
    shortcut: str | None = None
    code: str | None = None
    also: tuple[str, ...] = ()

    @property
    def country(self) -> str | None:
        return COUNTRY_OF_SLUG.get((self.slug or "").partition(".")[0])


COUNTRY_OF_SLUG: Mapping[str, str] = {
    "eng": "england", "sco": "scotland", "esp": "spain", "ger": "germany", "ita": "italy",
    "fra": "france", "ned": "netherlands", "por": "portugal", "bel": "belgium", "tur": "turkey",
    "usa": "usa", "mex": "mexico", "bra": "brazil", "arg": "argentina", "ksa": "saudi arabia",
    "jpn": "japan", "aus": "australia",
}  # fmt: skip
COUNTRY_OF_ADJECTIVE: Mapping[str, str] = {
    "english": "england", "scottish": "scotland", "welsh": "wales", "irish": "ireland",
    "spanish": "spain", "german": "germany", "italian": "italy", "french": "france",
    "dutch": "netherlands", "portuguese": "portugal", "belgian": "belgium", "turkish": "turkey",
    "mexican": "mexico", "brazilian": "brazil", "argentine": "argentina", "saudi": "saudi arabia",
    "japanese": "japan", "australian": "australia", "austrian": "austria", "russian": "russia",
    "egyptian": "egypt", "ukrainian": "ukraine", "greek": "greece", "danish": "denmark",
    "swedish": "sweden", "norwegian": "norway", "swiss": "switzerland", "colombian": "colombia",
    "chilean": "chile", "peruvian": "peru", "uruguayan": "uruguay", "ecuadorian": "ecuador",
}  # fmt: skip
# Of competitions of several countries.
NO_COUNTRY = frozenset({"world", "europe", "international", "south america", "asia", "africa"})
SPONSORS = frozenset(
    {
        "barclays", "ea", "sports", "santander", "hypermotion", "uber", "eats", "mcdonalds", "bkt",
        "tim", "enilive", "betclic",
    }
)  # fmt: skip
SEASON = re.compile(r"\b(?:19|20)\d\d(?:\s*[/-]\s*\d{2,4})?\b|\b\d\d/\d\d\b")

COMPETITIONS = (
    Competition(39, "eng.1", "Premier League", code="PL", also=("EPL",)),
    Competition(
        40, "eng.2", "Championship", code="ELC", also=("EFL Championship", "League Championship")
    ),
    Competition(41, "eng.3", "League One", also=("EFL League One",)),
    Competition(42, "eng.4", "League Two", also=("EFL League Two",)),
    Competition(45, "eng.fa", "FA Cup", code="FAC"),
    Competition(48, "eng.league_cup", "League Cup", also=("Carabao Cup", "EFL Cup")),
    Competition(44, "eng.w.1", "FA WSL", also=("Women's Super League", "FA Women's Super League")),
    Competition(179, "sco.1", "Scottish Premiership", also=("Premiership",)),
    Competition(140, "esp.1", "La Liga", code="PD", also=("Primera División",)),
    Competition(141, "esp.2", "Segunda División", code="SD", also=("LaLiga 2",)),
    Competition(143, "esp.copa_del_rey", "Copa del Rey", code="CDR"),
    Competition(78, "ger.1", "Bundesliga", "bl1", "BL1", ("1. Bundesliga",)),
    Competition(79, "ger.2", "2. Bundesliga", "bl2", "BL2"),
    Competition(80, None, "3. Liga", "bl3", "BL3"),
    Competition(81, "ger.dfb_pokal", "DFB Pokal", "dfb", "DFB", ("German Cup",)),
    Competition(135, "ita.1", "Serie A", code="SA"),
    Competition(136, "ita.2", "Serie B", code="SB"),
    Competition(137, "ita.coppa_italia", "Coppa Italia", code="CIT"),
    Competition(61, "fra.1", "Ligue 1", code="FL1"),
    Competition(62, "fra.2", "Ligue 2", code="FL2"),
    Competition(66, "fra.coupe_de_france", "Coupe de France"),
    Competition(88, "ned.1", "Eredivisie", code="DED"),
    Competition(94, "por.1", "Primeira Liga", code="PPL", also=("Liga Portugal",)),
    Competition(144, "bel.1", "Jupiler Pro League", also=("Pro League",)),
    Competition(203, "tur.1", "Süper Lig", also=("Super Lig",)),
    Competition(253, "usa.1", "Major League Soccer", also=("MLS",)),
    Competition(254, "usa.nwsl", "NWSL Women", also=("NWSL", "National Women's Soccer League")),
    Competition(262, "mex.1", "Liga MX"),
    Competition(
        71, "bra.1", "Serie A", code="BSA", also=("Brasileirão", "Campeonato Brasileiro Série A")
    ),
    Competition(128, "arg.1", "Liga Profesional Argentina", code="ASL", also=("Liga Profesional",)),
    Competition(307, "ksa.1", "Pro League"),
    Competition(98, "jpn.1", "J1 League"),
    Competition(188, "aus.1", "A-League"),
    Competition(
        2, "uefa.champions", "UEFA Champions League", code="CL", also=("Champions League",)
    ),
    Competition(3, "uefa.europa", "UEFA Europa League", code="EL", also=("Europa League",)),
    Competition(
        848, "uefa.europa.conf", "UEFA Europa Conference League", also=("UEFA Conference League",)
    ),
    Competition(
        4,
        "uefa.euro",
        "Euro Championship",
        code="EC",
        also=("European Championship", "UEFA European Championship"),
    ),
    Competition(5, "uefa.nations", "UEFA Nations League"),
    Competition(1, "fifa.world", "World Cup", code="WC", also=("FIFA World Cup",)),
    Competition(15, "fifa.cwc", "FIFA Club World Cup", also=("Club World Cup",)),
    Competition(9, "conmebol.america", "Copa America"),
    Competition(
        13,
        "conmebol.libertadores",
        "CONMEBOL Libertadores",
        code="CLI",
        also=("Copa Libertadores",),
    ),
    Competition(11, "conmebol.sudamericana", "CONMEBOL Sudamericana", also=("Copa Sudamericana",)),
)
BY_NUMBER: Mapping[int, Competition] = {one.number: one for one in COMPETITIONS}
BY_SLUG: Mapping[str, Competition] = {one.slug: one for one in COMPETITIONS if one.slug}
BY_SHORTCUT: Mapping[str, Competition] = {one.shortcut: one for one in COMPETITIONS if one.shortcut}


def league_number(league: int | str) -> int | None:
    """API-Football's number of a league, given that or its slug."""
    if isinstance(league, int):
        return league
    return BY_SLUG[league].number if league in BY_SLUG else None


def league_slug(league: int | str) -> str | None:
    """ESPN's slug of a league, given that or its number."""
    if isinstance(league, str):
        return league
    return BY_NUMBER[league].slug if league in BY_NUMBER else None


def league_code(league: int | str) -> str | None:
    """football-data.org's code of a league, given its number or its slug."""
    number = league_number(league)
    return BY_NUMBER[number].code if number is not None and number in BY_NUMBER else None


@dataclass(frozen=True, slots=True)
class CompetitionName:
    """A competition as a provider names it, and the `numbers` it may have; empty if unknown."""

    words: str
    country: str | None = None
    numbers: frozenset[int] = frozenset()

    @property
    def all_words(self) -> str:
        """With the words of the names that we know."""
        return " ".join((self.words, *(_parse_name(BY_NUMBER[n].name)[0] for n in self.numbers)))

    def is_same_as(self, other: "CompetitionName") -> bool | None:
        """None if one of them is missing."""
        if self.numbers and other.numbers:
            return bool(self.numbers & other.numbers)
        if not self.words or not other.words:
            return None
        if self.country and other.country and self.country != other.country:
            return False
        return self.words == other.words


@lru_cache(maxsize=4096)
def find_competition(
    name: str | None,
    provider_id: str | None = None,
    country: str | None = None,
    number: int | None = None,
) -> CompetitionName:
    """By our number, else by a provider's slug, shortcut or code, else by name and country."""
    words, nation = _parse_name(name or "")
    nation = _parse_country(country) or nation
    known = BY_NUMBER.get(number) if number is not None else None
    known = known or BY_PROVIDER_ID.get((provider_id or "").casefold())
    if known is not None:
        return CompetitionName(words, known.country or nation, frozenset({known.number}))
    named = [
        one
        for one in BY_NAME.get(words, ())
        # A number that is not listed here belongs to none of these.
        if number is None and (nation is None or one.country in (None, nation))
    ]
    if len(named) == 1:
        nation = named[0].country or nation
    return CompetitionName(words, nation, frozenset(one.number for one in named))


def competition_number(
    name: str | None, provider_id: str | None, country: str | None
) -> int | None:
    """Our number of a provider's competition, by its id there or by name and country; None if it is
    not certain which one it is."""
    numbers = find_competition(name, provider_id, country).numbers
    if len(numbers) != 1:
        return None
    known, nation = BY_NUMBER[next(iter(numbers))], _parse_country(country)
    if (provider_id or "").casefold() in BY_PROVIDER_ID:
        certain = nation is None or known.country in (None, nation)
    else:
        certain = nation is not None and known.country == nation
    return known.number if certain else None


def _parse_name(name: str) -> tuple[str, str | None]:
    """The words without season, sponsor and `English`, and the country that this names."""
    text = SEASON.sub(" ", without_apostrophes(plain(name)).casefold())
    text = text.replace("laliga", "la liga")
    words = [
        word for word in re.findall(r"[^\W_]+", text) if word not in SPONSORS and word != "fussball"
    ]
    nation = next((COUNTRY_OF_ADJECTIVE[w] for w in words if w in COUNTRY_OF_ADJECTIVE), None)
    return " ".join(w for w in words if w not in COUNTRY_OF_ADJECTIVE), nation


def _parse_country(country: str | None) -> str | None:
    text = " ".join(re.findall(r"[^\W_]+", plain(country or "").casefold()))
    text = {"united states": "usa", "turkiye": "turkey"}.get(text, text)
    return None if not text or text in NO_COUNTRY else text


def _by_name() -> dict[str, tuple[Competition, ...]]:
    found: dict[str, tuple[Competition, ...]] = {}
    for one in COMPETITIONS:
        for words in dict.fromkeys(_parse_name(name)[0] for name in (one.name, *one.also)):
            found[words] = (*found.get(words, ()), one)
    return found


BY_NAME: Mapping[str, tuple[Competition, ...]] = _by_name()
BY_PROVIDER_ID: Mapping[str, Competition] = {
    id_.casefold(): one for one in COMPETITIONS for id_ in (one.slug, one.shortcut, one.code) if id_
}
