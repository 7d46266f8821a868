"""V7: are the sides that a scorebug names those of the match?

Deliberately careful: a scorebug abbreviates as it likes (BVB, RMA, U. CATÓLICA), so that only names
that clearly belong to nobody in the match speak against a clip.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from rapidfuzz import fuzz

from footy_assets.names import plain

# A single word up to this long is an abbreviation.
LONGEST_ABBREVIATION = 4
# Likeness of longer names, from 0 to 100: from here on the same, and below this another.
SAME_NAME, OTHER_NAME = 86, 55
# Letters with which abbreviations of clubs begin that say nothing about the rest of their name.
CLUB_FORMS = (
    "FC", "AFC", "SV", "SG", "SC", "TS", "VF", "BV", "RB", "AS", "AC", "CF", "CA", "CD", "CR",
    "RC", "UD", "SS", "US", "IF", "FK", "NK", "SK", "SP", "GE", "OG", "OL", "OM", "EC", "AD",
)  # fmt: skip


# National sides: scorebugs write them in their own language, so that ALE may be Germany.
NATIONS = frozenset(
    {
        "africa", "arabia", "emirates", "states", "zealand",
        "albania", "algeria", "andorra", "angola", "argentina", "armenia", "australia", "austria",
        "azerbaijan", "bahrain", "belarus", "belgium", "benin", "bolivia", "bosnia", "brazil",
        "bulgaria", "cameroon", "canada", "chile", "china", "colombia", "congo", "croatia",
        "cuba", "cyprus", "czechia", "denmark", "ecuador", "egypt", "england", "estonia",
        "finland", "france", "gabon", "gambia", "georgia", "germany", "ghana", "gibraltar",
        "greece", "guatemala", "guinea", "haiti", "holland", "honduras", "hungary", "iceland",
        "india", "indonesia", "iran", "iraq", "ireland", "israel", "italy", "jamaica", "japan",
        "jordan", "kazakhstan", "kenya", "korea", "kosovo", "kuwait", "latvia", "lebanon",
        "libya", "liechtenstein", "lithuania", "luxembourg", "malaysia", "mali", "malta",
        "mauritania", "mexico", "moldova", "montenegro", "morocco", "mozambique", "namibia",
        "netherlands", "nigeria", "norway", "oman", "palestine", "panama", "paraguay", "peru",
        "philippines", "poland", "portugal", "qatar", "romania", "russia", "scotland", "senegal",
        "serbia", "singapore", "slovakia", "slovenia", "spain", "sudan", "suriname", "sweden",
        "switzerland", "syria", "tanzania", "thailand", "togo", "tunisia", "turkey", "turkiye",
        "uganda", "ukraine", "uruguay", "usa", "uzbekistan", "venezuela", "vietnam", "wales",
        "zambia", "zimbabwe",
    }
)  # fmt: skip


class TeamsShown(StrEnum):
    SAME = "same"
    OTHER = "other"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class TeamsVerdict:
    """`swapped` if the away side is named first, None if the order is not certain. `learned` if one
    side is known by a learned abbreviation only."""

    shown: TeamsShown
    swapped: bool | None = None
    learned: bool = False


def teams_shown(
    names: Sequence[str],
    home: Sequence[str],
    away: Sequence[str],
    learned: tuple[Sequence[str], Sequence[str]] = ((), ()),
) -> TeamsVerdict:
    """V7: the two names as read against all known names of each side. It is another pair if neither
    name is that of a side, and one of them cannot be. A `learned` abbreviation of a side counts
    beside a known name of the other one; alone it only keeps a clip from being refused."""
    if len(names) != 2 or not home or not away:
        return TeamsVerdict(TeamsShown.UNCLEAR)
    fits = [[fits_side(name, side) for side in (home, away)] for name in names]
    straight = fits[0][0] is True and fits[1][1] is True
    swapped = fits[0][1] is True and fits[1][0] is True
    if straight or swapped:
        order = None if straight and swapped else swapped
        return TeamsVerdict(TeamsShown.SAME, order)
    taught = [[letters_of(name) in side for side in learned] for name in names]
    straight = _is_one_taught(fits[0][0], taught[0][0], fits[1][1], taught[1][1])
    swapped = _is_one_taught(fits[0][1], taught[0][1], fits[1][0], taught[1][0])
    if straight != swapped:
        return TeamsVerdict(TeamsShown.SAME, swapped, learned=True)
    if _are_nations(home) and _are_nations(away):
        return TeamsVerdict(TeamsShown.UNCLEAR)
    nobodys = any(
        all(fit is False for fit in row) and not any(known)
        for row, known in zip(fits, taught, strict=True)
    )
    if nobodys and not any(fit is True for row in fits for fit in row):
        return TeamsVerdict(TeamsShown.OTHER)
    return TeamsVerdict(TeamsShown.UNCLEAR)


def _is_one_taught(
    first: bool | None, first_taught: bool, second: bool | None, second_taught: bool
) -> bool:
    """Whether one name is a side's, and the other a learned one of the other side."""
    return (first is True and second_taught) or (second is True and first_taught)


def _are_nations(names: Sequence[str]) -> bool:
    return any(word in NATIONS for word in re.findall(r"[a-z]+", plain(names[0]).lower()))


def fits_side(shown: str, known: Sequence[str]) -> bool | None:
    """Whether a text names this side; None if it may."""
    text = letters_of(shown)
    if len(text) < 2 or not text.isascii():
        return None
    answers = [_fits_name(text, name) for name in known]
    if True in answers:
        return True
    return None if None in answers else False


def _fits_name(text: str, name: str) -> bool | None:
    words = re.findall(r"[A-Z]+", plain(name).upper())
    joined = "".join(words)
    if not joined:
        return None
    if text == joined or text in words:
        return True
    if len(text) <= LONGEST_ABBREVIATION:
        return _abbreviates(text, words)
    likeness = max(fuzz.ratio(text, joined), *(fuzz.ratio(text, word) for word in words))
    if likeness >= SAME_NAME or (len(text) >= 5 and (joined.startswith(text) or text in joined)):
        return True
    return None if fuzz.partial_ratio(text, joined) >= OTHER_NAME else False


def _abbreviates(text: str, words: Sequence[str]) -> bool | None:
    """True for begins of words, also with a United or City that the name leaves out (WHU
    and WEST HAM); None if the first two letters stand in the name in this order (AVL
    and ASTON VILLA), or if clubs of any name begin so."""
    if any(word.startswith(text) for word in words) and len(text) >= 3:
        return True
    if any(word[0] == text[0] for word in words) and _from_begins(text, words):
        return True
    if len(words) > 1 and text[:-1] == "".join(word[0] for word in words) and text[-1] in "UCFT":
        return True
    return None if text.startswith(CLUB_FORMS) or _in_order(text[:2], words) else False


def _in_order(text: str, words: Sequence[str]) -> bool:
    """Whether these letters stand in the name in this order, the first at the begin of a word."""
    return any(
        re.match(".*?".join(text), "".join(words[number:])) is not None
        for number in range(len(words))
    )


def _from_begins(text: str, words: Sequence[str]) -> bool:
    """RMA of REAL MADRID, WHU of WEST HAM UNITED: begins of words, in their order."""
    if not text:
        return True
    return any(
        word.startswith(text[:length]) and _from_begins(text[length:], words[number + 1 :])
        for number, word in enumerate(words)
        for length in range(min(len(text), len(word)), 0, -1)
    )


def letters_of(text: str) -> str:
    """As abbreviations are compared: capitals, nothing but letters."""
    return "".join(letter for letter in plain(text).upper() if letter.isalpha())
