"""Shorter names of clubs, as other providers use them."""

import unicodedata

CLUB_FORMS = frozenset({"FC", "CF"})
DROPPED = "United City Rovers Town Real Deportivo SV VfL Borussia AC US AS RC Stade Olympique "
DROPPED_IN_SHORT = CLUB_FORMS | set((DROPPED + "Calcio Athletic Albion").split())


def without_form(name: str) -> str:
    return _without(name, CLUB_FORMS)


def short(name: str) -> str:
    """Mostly the town."""
    return _without(name, DROPPED_IN_SHORT)


def abbreviation(name: str) -> str:
    """Three letters, without accents."""
    plain = unicodedata.normalize("NFD", short(name))
    return "".join(letter for letter in plain if letter.isalnum())[:3].upper()


def _without(name: str, words: frozenset[str]) -> str:
    return " ".join(word for word in name.split() if word not in words) or name
