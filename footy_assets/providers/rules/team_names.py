"""Team names as the words that tell teams apart, and which of a club's teams a name means.

The tables hold what no rule can know: exonyms, nicknames, and places with several clubs.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from footy_assets.names import plain, without_apostrophes

# Words that name the form of a club, and particles: names have or omit them at will.
FORM_WORDS = frozenset(
    {
        "fc", "cf", "afc", "sc", "cfc", "bc", "ac", "as", "ss", "us", "ssc", "acf", "sv", "sk",
        "fk", "nk", "bk", "if", "ff", "ks", "kv", "krc", "kaa", "kf", "gf", "il", "pae", "sfp",
        "gnk", "pfc", "rb", "ud", "cd", "sd", "ca", "cs", "gd", "rc", "rcd", "osc", "losc", "ogc",
        "ogcn", "aj", "sco", "hsc", "es", "estac", "ec", "fr", "cr", "se", "fbpa", "asd", "cfr",
        "fcv", "tsg", "tsv", "vfb", "vfl", "bsc", "fsv", "spvgg", "dsc", "msv", "sbv", "wsv",
        "rasenballsport", "club", "clube", "klub", "football", "futbol", "futebol", "fotbal",
        "foot", "fussball", "fussballclub", "balompie", "calcio", "associazione", "association",
        "asociacion", "sociedade", "esporte", "esportivo", "sportverein", "royale", "royal", "de",
        "del", "della", "da", "do", "dos", "di", "du", "des", "d", "e", "y", "und", "and", "et",
        "the", "der", "of",
    }
)  # fmt: skip
# One spelling of a word that languages write differently, or that is commonly shortened.
WORDS: Mapping[str, str] = {
    "munchen": "munich", "muenchen": "munich", "koln": "cologne", "koeln": "cologne",
    "hamburger": "hamburg", "fuerth": "furth", "nuernberg": "nurnberg", "nuremberg": "nurnberg",
    "duesseldorf": "dusseldorf", "saarbruecken": "saarbrucken",
    "moenchengladbach": "monchengladbach", "mgladbach": "monchengladbach",
    "gladbach": "monchengladbach", "milano": "milan", "turin": "torino", "rome": "roma",
    "genova": "genoa", "naples": "napoli", "seville": "sevilla", "majorca": "mallorca",
    "lyonnais": "lyon", "rennais": "rennes", "brestois": "brest", "lavallois": "laval",
    "lisboa": "lisbon", "karlsruher": "karlsruhe", "ferencvarosi": "ferencvaros",
    "athletico": "atletico",
    "praha": "prague", "praag": "prague", "wien": "vienna", "beograd": "belgrade",
    "kobenhavn": "copenhagen", "brugge": "bruges", "moskva": "moscow", "kiev": "kyiv",
    "warszawa": "warsaw", "bucuresti": "bucharest", "athen": "athens", "olympiakos": "olympiacos",
    "pafos": "paphos", "st": "saint", "ste": "saint", "sankt": "saint", "utd": "united",
    "weds": "wednesday", "wed": "wednesday", "turkiye": "turkey", "czechia": "czech",
    "islands": "island",
}  # fmt: skip
# Whole names, in the words that `words_of` leaves: nicknames, initials, other languages.
NAMES: Mapping[str, str] = {
    "wolves": "wolverhampton wanderers", "spurs": "tottenham hotspur",
    "qpr": "queens park rangers", "west brom": "west bromwich albion",
    "wba": "west bromwich albion",
    "psg": "paris saint germain", "paris sg": "paris saint germain",
    "inter": "internazionale", "inter milan": "internazionale",
    "internazionale milan": "internazionale", "juve": "juventus", "verona": "hellas verona",
    "barca": "barcelona", "atleti": "atletico madrid", "athletic bilbao": "athletic",
    "bvb": "borussia dortmund", "hsv": "hamburg", "lafc": "los angeles", "la galaxy": "galaxy",
    "los angeles galaxy": "galaxy", "sporting cp": "sporting portugal",
    "sporting lisbon": "sporting portugal", "crvena zvezda": "red star belgrade",
    "red star": "red star belgrade", "ivory coast": "cote divoire", "cote ivoire": "cote divoire",
    "usa": "united states", "united states america": "united states",
    "korea republic": "south korea", "republic korea": "south korea", "korea dpr": "north korea",
    "czech republic": "czech", "republic ireland": "ireland", "ir iran": "iran",
    "cape verde island": "cape verde", "cabo verde": "cape verde", "dr congo": "congo dr",
    "china pr": "china", "holland": "netherlands", "glasgow rangers": "rangers",
    "hearts": "heart midlothian", "hibs": "hibernian", "aek": "aek athens",
    "guimaraes": "vitoria guimaraes", "mineiro": "atletico mineiro",
    "atletico mg": "atletico mineiro",
}  # fmt: skip
# Put first: words that would be read alone otherwise, second teams with a name of their own.
PHRASES: Mapping[str, str] = {
    "willem ii": "willem",
    "vitoria sc": "vitoria guimaraes",
    "fsv frankfurt": "fsvfrankfurt",
    "bilbao athletic": "athletic b",
    "barcelona atletic": "barcelona b",
    "next gen": "b",
    "red bull": "rb",
    "red bulls": "rb",
    "under ": "u",
}
# Words that many clubs share: alone they stand for none of them.
COMMON_WORDS = frozenset(
    {
        "united", "city", "town", "rovers", "wanderers", "rangers", "queens", "athletic",
        "atletico", "albion", "county", "wednesday", "forest", "real", "racing", "sporting",
        "sport", "deportivo", "deportes", "union", "borussia", "eintracht", "fortuna", "arminia",
        "dynamo", "dinamo", "lokomotiv", "spartak", "sparta", "slavia", "viktoria", "victoria",
        "vitoria", "hapoel", "maccabi", "inter", "internacional", "olympique", "olympic", "stade",
        "cercle", "nacional", "universidad", "independiente", "estudiantes", "central", "alianza",
        "jeunesse", "red", "star", "kickers", "north", "south", "east", "west",
        "northern", "american", "equatorial", "republic", "new", "saint", "san", "santa", "al",
        "el", "la", "le", "las", "los", "les", "park", "orient", "dr",
    }
)  # fmt: skip
# Places with several clubs or teams: the place alone is not short for a longer name.
SHARED_PLACES = frozenset(
    {
        "manchester", "sheffield", "bristol", "dundee", "london", "milan", "madrid", "barcelona",
        "paris", "berlin", "munich", "cologne", "hamburg", "stuttgart", "leipzig", "verona",
        "bilbao", "lisbon", "belgrade", "moscow", "kyiv", "istanbul", "prague", "vienna", "zagreb",
        "athens", "sofia", "bucharest", "budapest", "warsaw", "bruges", "brussels", "rotterdam",
        "eindhoven", "edinburgh", "rosario", "montevideo", "lima", "york", "angeles", "sydney",
        "melbourne", "tokyo", "osaka", "yokohama", "tucuman", "guinea", "congo", "ireland", "korea",
        "sudan", "samoa", "craiova", "aek",
    }
)  # fmt: skip
# Words that are nearly spelled alike and mean different teams.
LOOKALIKES = frozenset(
    frozenset(pair.split())
    for pair in (
        "bayer bayern",
        "austria australia",
        "niger nigeria",
        "hamburg homburg",
        "dominica dominican",
        "mauritius mauritania",
    )
)
# Years and house numbers are dropped; this one is what Munich calls the club.
NUMBER_NAMES = frozenset({"1860"})

WOMEN = frozenset(
    {
        "w", "women", "womens", "ladies", "girls", "wfc", "frauen", "feminine", "feminines",
        "feminin", "fem", "femenino", "femenina", "femenil", "feminino", "feminina", "femminile",
        "dames", "vrouwen", "damen", "wsl", "nwsl", "wchampions", "weuro",
    }
)  # fmt: skip
RESERVES = frozenset({"ii", "iii", "b", "reserves", "reserve", "castilla", "jong"})
LAST_ONLY = frozenset({"w", "b"})
YOUTH = re.compile(r"u-?(\d\d)s?|sub-?(\d\d)")
YOUTH_WORDS = frozenset({"youth", "primavera", "academy", "juvenil"})
# Stand for a team that is not decided: Winner Match 49, Group A 2nd Place, TBD.
UNDECIDED = re.compile(
    r"\b(?:tbd|tbc|tba|winners?|losers?|runners?[ -]?up|(?:1st|2nd|3rd|third|second) place"
    r"|group [a-l]\d?)\b"
)
INITIALS = re.compile(r"\b(?:\w\.){2,}")


@dataclass(frozen=True, slots=True)
class TeamName:
    """`squad` is empty for a club's first team of men."""

    words: tuple[str, ...]
    squad: frozenset[str]


@lru_cache(maxsize=16_384)
def words_of(name: str) -> TeamName:
    """A name without accents, case, form words and numbers, unless nothing else is left."""
    text = without_apostrophes(plain(name)).casefold()
    text = INITIALS.sub(lambda found: found.group().replace(".", "") + " ", text)
    text = re.sub(r"\bu-(\d\d)", r"u\1", text)
    text = " ".join(re.findall(r"[^\W_]+", text))
    for phrase, words in PHRASES.items():
        text = re.sub(rf"\b{phrase}(?=\b|\d)", words, text)
    every = text.split()
    squad = squad_of(every)
    named = [word for word in every if not _is_marker(word, every)] or every
    kept = [WORDS.get(word, word) for word in named if _tells_apart(word)] or named
    whole = " ".join(kept)
    return TeamName(tuple(dict.fromkeys(NAMES.get(whole, whole).split())), squad)


@lru_cache(maxsize=16_384)
def is_decided(name: str) -> bool:
    """Whether it names a team, and is neither empty nor a place in the draw."""
    return bool(name.strip()) and UNDECIDED.search(name.casefold()) is None


def squad_of(words: list[str]) -> frozenset[str]:
    """Women, an age group, reserves, as the words of a team or competition say."""
    found = set()
    for word in words:
        if not _is_marker(word, words):
            continue
        youth = YOUTH.fullmatch(word)
        if word in WOMEN:
            found.add("women")
        elif youth:
            found.add(f"u{youth[1] or youth[2]}")
        else:
            found.add("reserves" if word in RESERVES else "youth")
    return frozenset(found)


def squad_of_competition(name: str, provider_id: str | None) -> frozenset[str]:
    """As its name says, or an id such as `eng.w.1`. The B of Serie B is no team's."""
    parts = re.split(r"[^a-z0-9]+", (provider_id or "").casefold())
    found = squad_of(name.split()) | squad_of(parts)
    return (found | ({"women"} if "w" in parts else set())) - {"reserves"}


def _is_marker(word: str, words: list[str]) -> bool:
    if word in LAST_ONLY:
        return len(words) > 1 and word == words[-1]
    if len(words) > 1 and word in RESERVES:
        return word != words[0] or word == "jong"
    return word in WOMEN or word in YOUTH_WORDS or YOUTH.fullmatch(word) is not None


def _tells_apart(word: str) -> bool:
    return word not in FORM_WORDS and (not word.isdigit() or word in NUMBER_NAMES)


def is_distinctive(word: str) -> bool:
    """Whether the word alone can stand for one team."""
    return len(word) > 1 and word not in COMMON_WORDS and word not in SHARED_PLACES
