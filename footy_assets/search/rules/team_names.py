"""SE3: team names as words, and which words identify no team."""

import re

from footy_assets.names import plain, without_apostrophes
from footy_assets.search.rules.name_text import PARTICLES, is_latin

SHORTEST = 3
INITIALS = re.compile(r"(?:\w\.)+\w?\.?")

# Words for "club" and legal forms.
CLUB_MARKERS = frozenset(
    {
        "fc", "cf", "afc", "wfc", "sc", "ac", "as", "sv", "sk", "fk", "nk", "if", "bk", "ff", "ks",
        "cd", "ud", "sd", "ca", "rc", "rcd", "ssc", "ssd", "acf", "tsg", "vfb", "vfl", "bsc", "fsv",
        "tsv", "spvgg", "usc", "club", "clube", "football", "futbol", "futebol", "fussball",
        "fussballclub", "calcio", "voetbal", "soccer", "association", "associazione", "asociacion",
        "associacao", "sportverein", "verein", "societa", "sociedad", "sportiva", "deportiva",
    }
)  # fmt: skip
COLOURS = frozenset(
    {
        "red", "blue", "white", "black", "green", "yellow", "orange", "purple", "gold", "golden",
        "sky", "maroon", "rojo", "roja", "azul", "blanco", "blanca", "negro", "verde", "amarillo",
        "rouge", "bleu", "blanc", "noir", "vert", "jaune", "rosso", "rossa", "bianco", "nero",
        "nera", "azzurro", "rot", "blau", "weiss", "schwarz", "gelb", "rood", "wit", "zwart",
    }
)  # fmt: skip
ARTICLES = frozenset({"the", "los", "las", "les", "der", "die", "das", "gli", "els", "le", "la"})
GENERIC = frozenset(
    {
        "man", "men", "mens", "women", "womens", "ladies", "old", "new", "big", "great", "team",
        "teams", "national", "nationale", "nazionale", "nacional", "nationalmannschaft",
        "seleccion", "selecao", "equipe", "equipo", "squadra", "elftal", "male", "senior", "first",
        "football", "republic", "republica", "repubblica", "republique", "kingdom", "fifa", "uefa",
        "for", "from", "its", "our", "all", "not", "den", "das", "die", "der", "les", "gli", "els",
        "une", "uno", "una", "nos", "sur", "sul", "youth", "academy", "reserves", "under",
    }
)  # fmt: skip
JUNK = CLUB_MARKERS | COLOURS | ARTICLES | GENERIC | PARTICLES

VENUE_WORDS = frozenset(
    {
        "stadium", "stadion", "stade", "stadio", "estadio", "arena", "park", "parc", "road",
        "ground", "field", "lane", "street", "community", "municipal", "the", "de", "du", "la",
        "of", "el", "at", "do", "da",
    }
)  # fmt: skip


def tokens(text: str) -> list[str]:
    """The words of a name, without accents; `F.C.` as FC, `Sainte-Foy` as two, no numbers."""
    found = []
    for part in without_apostrophes(plain(text)).split():
        if INITIALS.fullmatch(part):
            found.append(part.replace(".", ""))
        else:
            found += [w for w in re.split(r"[^\w]+|_", part) if w]
    return [word for word in found if not any(c.isdigit() for c in word)]


def is_distinctive(word: str) -> bool:
    """SE3: whether a word identifies a team: three letters or more, no FC, `the` or colour."""
    return len(word) >= SHORTEST and is_latin(word) and word.lower() not in JUNK


def core_words(name: str) -> tuple[str, ...]:
    """A name without club markers: both `A.S. Roma` and `Roma` are ("roma",)."""
    words = [word.lower() for word in tokens(name)]
    return tuple(w for w in words if w not in CLUB_MARKERS | PARTICLES) or tuple(words)


def distinctive_words(name: str) -> tuple[str, ...]:
    """SE3: the distinctive words of a name; if there are none, the long ones, else the name."""
    words = tokens(name)
    kept = [w for w in words if is_distinctive(w)] or [w for w in words if len(w) >= SHORTEST and w]
    return tuple(dict.fromkeys(kept)) or ((name.strip(),) if name.strip() else ())
