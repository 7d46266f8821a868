"""SE4: the words of a scorer's name that fans use."""

import re

from footy_assets.names import plain, without_apostrophes
from footy_assets.search.rules.name_text import PARTICLES

LONG_ENOUGH = 4
MOST_TERMS = 3
SUFFIXES = frozenset({"jr", "sr", "ii", "iii"})


def player_terms(name: str) -> tuple[str, ...]:
    """SE4: without accents, hyphens and initials; parts of four letters or more, longest first.

    A surname may be shorter: the last word ("H. Son"), or the first before a double given name
    ("Son Heung-Min"). If no part is long enough, all count ("Kim Min-Jae").
    """
    words = [word for word in without_apostrophes(plain(name)).split() if not _is_initial(word)]
    found = (part for word in words for part in re.findall(r"[^\W\d_]+", word))
    parts = [part for part in found if part.isalpha()]
    significant = [
        p for p in parts if p.lower() not in PARTICLES | SUFFIXES and len(p) > 1
    ] or parts
    long = [part for part in significant if len(part) >= LONG_ENOUGH]
    if not long:
        return _longest_first(significant)
    return _longest_first([*long, *(p for p in _short_surnames(words) if p in significant)])


def _is_initial(word: str) -> bool:
    """H., Ch., or a single letter."""
    letters = word.rstrip(".")
    return len(letters) <= 1 or (word.endswith(".") and len(letters) <= 2)


def _short_surnames(words: list[str]) -> list[str]:
    found = []
    if "-" not in words[-1]:
        found.append(words[-1])
    if any("-" in word for word in words[1:]):
        found.append(words[0])
    return [word for word in found if len(word) > 1]


def _longest_first(parts: list[str]) -> tuple[str, ...]:
    unique = list({part.lower(): part for part in reversed(parts)}.values())[::-1]
    return tuple(sorted(unique, key=lambda part: -len(part))[:MOST_TERMS])
