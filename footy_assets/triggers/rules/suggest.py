"""T19: the nearest right answers to a wrong one."""

from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz, utils

from footy_assets.triggers.rules.sports import SPORTS, VOCABULARY
from footy_assets.triggers.rules.term import Choice, Value

MOST = 3
# Of 100: "yelow" for "yellow" has 91, two unrelated names rarely more than 50.
ALIKE = 60.0
# All values are named instead where there are no more.
FEW = 6


def nearest(given: Value, choices: Sequence[Choice]) -> list[Choice]:
    """The choices most like what was given, best first; a few are all right answers."""
    if isinstance(given, int | float):
        numbers = [one for one in choices if isinstance(one.value, int | float)]
        return sorted(numbers, key=lambda one: abs(float(one.value) - given))[:1]
    scored = [(max(_likeness(given, text) for text in _texts(one)), one) for one in choices]
    alike = sorted((one for one in scored if one[0] >= ALIKE), key=lambda one: -one[0])
    if not alike and len(choices) <= FEW:
        return list(choices)
    return [one for _, one in alike[:MOST]]


def question(choices: Iterable[Choice]) -> str:
    """`; did you mean "home" (Liverpool) or "away" (Chelsea)?`; nothing if there are none."""
    names = [_quoted(one) for one in choices]
    if not names:
        return ""
    *first, last = names
    return f"; did you mean {', '.join(first)} or {last}?" if first else f"; did you mean {last}?"


def suggest_event(given: str) -> str:
    """Events are compared by their names, and among those of the same sport if it has one."""
    sport = SPORTS.get(given.partition(".")[0])
    events = sport.terms if sport else VOCABULARY
    return question(nearest(given, [Choice(event, event) for event in events]))


def _texts(choice: Choice) -> Iterable[str]:
    return {str(choice.value), choice.label}


def _likeness(one: str, other: str) -> float:
    """The order of words does not matter, nor whether a first name is there."""
    ratio = fuzz.ratio(one, other, processor=utils.default_process)
    words = fuzz.token_set_ratio(one, other, processor=utils.default_process)
    return max(ratio, 0.95 * words)


def _quoted(choice: Choice) -> str:
    value = f'"{choice.value}"' if isinstance(choice.value, str) else str(choice.value)
    return value if choice.label in ("", str(choice.value)) else f"{value} ({choice.label})"
