"""Names of people and clubs, compared and searched for without their accents."""

import re
import unicodedata

# Letters that do not decompose into a base letter and an accent.
LETTERS = str.maketrans(
    {
        "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D",
        "ı": "i", "ħ": "h", "Ħ": "H", "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "Ae", "œ": "oe",
        "Œ": "Oe", "þ": "th", "Þ": "Th",
    }
)  # fmt: skip
INVISIBLE = "Cf"
APOSTROPHES = re.compile(r"['’‘`´]")


def plain(text: str) -> str:
    """Without accents: Müller as Muller, Bodø as Bodo. Case and apostrophes stay.

    Invisible marks, such as the U+200E that copied text carries, are dropped.
    """
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text.translate(LETTERS))
    return "".join(
        c
        for c in decomposed
        if not unicodedata.combining(c) and unicodedata.category(c) != INVISIBLE
    )


def without_apostrophes(name: str) -> str:
    """N'Golo as NGolo, whichever of the five marks was typed."""
    return APOSTROPHES.sub("", name)
