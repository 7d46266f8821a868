"""T18, T19: finds what a person wants to follow among what exists."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from footy_assets.errors import BadInput
from footy_assets.triggers.rules.follow import FollowKind
from footy_assets.triggers.rules.suggest import nearest, question
from footy_assets.triggers.rules.term import Choice

MAX_NAMED = 5


@dataclass(frozen=True, slots=True)
class FollowTarget:
    id: str
    name: str
    # What tells it from another of the same name.
    beside: str = ""


def find_target(kind: FollowKind, given: str, known: Sequence[FollowTarget]) -> FollowTarget:
    """By id, by name, or by words of the name that no other has: "salah" is "Mohamed Salah".

    Raises `BadInput` with the nearest right answers.
    """
    wanted = _folded(given)
    by_id = [one for one in known if one.id == given.strip()]
    by_name = [one for one in known if _folded(one.name) == wanted]
    words = set(wanted.split())
    by_words = [one for one in known if words and words <= set(_folded(one.name).split())]
    for found in (by_id, by_name, by_words):
        if len(found) == 1:
            return found[0]
        if found:
            raise BadInput(
                f'"{given:.80}" is the name of several: {_listed(found)}', "Give one of their ids"
            )
    alike = nearest(given, [Choice(one.id, one.name) for one in known]) if known else []
    raise BadInput(f'no {kind} "{given:.80}" is known{question(alike)}')


def _listed(found: Sequence[FollowTarget]) -> str:
    names = [f"{one.id} ({', '.join(p for p in (one.name, one.beside) if p)})" for one in found]
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return ", ".join(names[:MAX_NAMED]) + more


def _folded(name: str) -> str:
    """Without capitals, accents and signs."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    kept = (one if one.isalnum() else " " for one in plain if not unicodedata.combining(one))
    return " ".join("".join(kept).split())
