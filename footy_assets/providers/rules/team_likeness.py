"""A4: how alike two teams' names are. Names conflict where each has a word that the other lacks."""

from collections.abc import Callable
from enum import IntEnum
from functools import lru_cache

from rapidfuzz import fuzz

from footy_assets.providers.rules.team_names import (
    COMMON_WORDS,
    LOOKALIKES,
    TeamName,
    is_decided,
    is_distinctive,
    words_of,
)

# Of 100. Below it stand different places: Lecce and Lecco 80, Parma and Palma 80.
SPELLED_ALIKE = 85
SHORTEST_MISSPELLED = 5
SHORTEST_ABBREVIATION = 3
CODE_LENGTH = 3


class Likeness(IntEnum):
    """SIMILAR: up to spelling. PART: one name is short for the other."""

    DIFFERENT = 0
    SIMILAR = 1
    PART = 2
    SAME = 3


@lru_cache(maxsize=262_144)
def likeness(
    theirs: tuple[str, ...],
    ours: tuple[str, ...],
    their_squad: frozenset[str] = frozenset(),
    our_squad: frozenset[str] = frozenset(),
) -> Likeness:
    """Of two teams by all their names, the full one first.

    A squad (women, U21, reserves) is known by the name or by the competition. Teams of different
    squads are different, however alike their names are.
    """
    if not (is_decided(theirs[0]) and is_decided(ours[0])):
        return Likeness.DIFFERENT
    if words_of(theirs[0]).squad | their_squad != words_of(ours[0]).squad | our_squad:
        return Likeness.DIFFERENT
    best = Likeness.DIFFERENT
    our_names = usable_names(ours)
    for one in usable_names(theirs):
        for other in our_names:
            best = max(best, compare(one, other))
            if best is Likeness.SAME:
                return best
    return best


@lru_cache(maxsize=16_384)
def usable_names(names: tuple[str, ...]) -> tuple[TeamName, ...]:
    """The full name, and those others that stand for one team: neither a code nor a mere place."""
    full, *others = (words_of(name) for name in names)
    also = (
        other
        for name, other in zip(names[1:], others, strict=True)
        if any(is_distinctive(word) for word in other.words)
        and not (len(name) <= CODE_LENGTH and other.words == (name.casefold(),))
    )
    return tuple(dict.fromkeys((full, *also)))


@lru_cache(maxsize=16_384)
def beginnings(names: tuple[str, ...]) -> frozenset[str]:
    """Names that are alike have a word that begins alike; most pairs are ruled out by this."""
    return frozenset(word[:2] for name in usable_names(names) for word in name.words)


def compare(one: TeamName, other: TeamName) -> Likeness:
    if one.words == other.words or "".join(one.words) == "".join(other.words):
        return Likeness.SAME
    shared = set(one.words) & set(other.words)
    left = [word for word in one.words if word not in shared]
    right = [word for word in other.words if word not in shared]
    if not left and not right:
        return Likeness.SAME
    abbreviated = _pair(left, right, is_abbreviation)
    misspelled = _pair(left, right, is_misspelled)
    if left and right:
        return Likeness.DIFFERENT
    if (left or right) and not any(is_distinctive(word) for word in (*shared, *misspelled)):
        return Likeness.DIFFERENT
    if misspelled or (abbreviated and not shared):
        return Likeness.SIMILAR
    return Likeness.PART


def _pair(left: list[str], right: list[str], alike: Callable[[str, str], bool]) -> list[str]:
    """Removes the words that pair from both lists; returns those of the left."""
    paired = []
    for word in tuple(left):
        for other in right:
            if alike(word, other):
                left.remove(word)
                right.remove(other)
                paired.append(word)
                break
    return paired


def is_abbreviation(one: str, other: str) -> bool:
    """Man for Manchester, Nottm for Nottingham; a single letter, too: C Palace."""
    short, long = sorted((one, other), key=len)
    if frozenset((one, other)) in LOOKALIKES or len(short) == len(long):
        return False
    if short in COMMON_WORDS or 1 < len(short) < SHORTEST_ABBREVIATION:
        return False
    return long.startswith(short) or (
        short[0] == long[0]
        and short[-1] == long[-1]
        and len(short) * 2 <= len(long)
        and _is_subsequence(short, long)
    )


def _is_subsequence(short: str, long: str) -> bool:
    letters = iter(long)
    return all(letter in letters for letter in short)


def is_misspelled(one: str, other: str) -> bool:
    """Common words are never misspelled into each other: Athletic is not Atlético."""
    return (
        one[:2] == other[:2]
        and min(len(one), len(other)) >= SHORTEST_MISSPELLED
        and not {one, other} & COMMON_WORDS
        and frozenset((one, other)) not in LOOKALIKES
        and fuzz.ratio(one, other, score_cutoff=SPELLED_ALIKE) > 0
    )
