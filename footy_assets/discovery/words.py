"""Words as people type them into a search box."""

import re
import unicodedata

# Letters that do not decompose into a base letter and an accent.
PLAIN = str.maketrans(
    {
        "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D",
        "ı": "i", "ħ": "h", "Ħ": "H", "ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe",
        "þ": "th", "Þ": "Th",
    }
)  # fmt: skip
APOSTROPHES = re.compile(r"['’‘`´]")
# Of names and short forms: words that say nothing about whom.
PARTICLES = frozenset(
    {
        "van", "von", "der", "den", "dem", "dos", "das", "del", "della", "delle", "dal", "da",
        "de", "di", "do", "du", "la", "le", "las", "los", "el", "al", "bin", "ibn", "abu", "ben",
        "mac", "ter", "ten", "zur", "vom", "zum", "und", "and", "the", "of", "e", "y", "i",
    }
)  # fmt: skip


def plain(text: str) -> str:
    """Without accents: Müller as Muller, Ødegaard as Odegaard."""
    decomposed = unicodedata.normalize("NFKD", text.translate(PLAIN))
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def is_latin(word: str) -> bool:
    return word.isascii() and any(c.isalpha() for c in word)
