"""V6: which texts of a scorebug are the two sides, and where their scores stand."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from footy_assets.media.clock_text import parse_period, parse_times
from footy_assets.media.ocr import OcrText, TextBox, surround

# The height of capitals in parts of the height of a detected box.
CAPITALS = 0.72
# Distances in heights of the names' boxes: from name to name, from a name to its score.
MAX_BETWEEN, MAX_BESIDE = 16.0, 6.0
# From the middle of one letter to the next: in a word, and over the space within a name.
MAX_LETTER_SPACE, MAX_WORD_SPACE = 1.3, 1.35
MIN_NAME_CONFIDENCE = 0.8
MIN_LETTERS, MAX_LETTERS = 2, 24
# Words of scorebugs that are no names of sides.
NO_NAMES = frozenset(
    {
        "VS", "V", "LIVE", "HT", "FT", "AET", "PEN", "PENS", "AGG", "GOAL", "GOL", "GOOOL",
        "REPLAY", "VAR", "HD", "UHD", "EN", "VIVO", "DIRECT", "DIRECTO", "DIRETTA", "AO", "MIN",
        "ET", "OT", "HALF", "TIME", "FULL", "EXTRA",
    }
)  # fmt: skip


# How OCR writes a 0 or a 1 that stands alone.
LONE_DIGITS = frozenset("OОΟ○〇◯ØI|Ⅰ")


class ScoreLayout(StrEnum):
    """Where the two numbers stand."""

    BETWEEN = "between the names"
    OUTSIDE = "at the outer ends"
    AFTER = "after each name"
    BEFORE = "before each name"


@dataclass(frozen=True, slots=True)
class Cell:
    """A text of the scorebug as it was read."""

    box: TextBox
    text: str
    confidence: float


@dataclass(frozen=True, slots=True)
class NamePair:
    """The two sides: beside each other, or the home side above the other."""

    home: Cell
    away: Cell
    stacked: bool

    @property
    def height(self) -> float:
        return (self.home.box.height + self.away.box.height) / 2

    @property
    def box(self) -> TextBox:
        return surround((self.home.box, self.away.box))


def clean_name(text: str) -> str:
    """A name as it is compared: capitals without marks at the ends, single spaces."""
    letters = unicodedata.normalize("NFKC", text).upper()
    kept = re.sub(r"[^\w.&' -]|\d|_", " ", letters)
    return re.sub(r"\s+", " ", kept).strip(" .&'-")


def split_line(box: TextBox, line: OcrText) -> list[Cell]:
    """The words of a line that was detected as one text: names and numbers apart, and names with
    room for a score between them. The words of one name stay together."""
    characters = [character for character in line.text if not character.isspace()]
    if len(characters) != len(line.places) or len(characters) < 2:
        return [Cell(box, line.text, line.confidence)]
    middles = [box.left + place * box.width for place in line.places]
    spaces = _spaces_before(line.text)
    tokens = [token for token in line.text.split() for _ in token]
    words: list[tuple[str, float, float]] = []
    for number, (character, middle) in enumerate(zip(characters, middles, strict=True)):
        apart = spaces[number] and any(
            _is_no_name(token) for token in tokens[number - 1 : number + 1]
        )
        if words and not (
            apart or _parts_words(words[-1], character, middle, spaces[number], box.height)
        ):
            text, first, _ = words[-1]
            gap = " " if spaces[number] else ""
            words[-1] = f"{text}{gap}{character}", first, middle
        else:
            words.append((character, middle, middle))
    half = 0.42 * box.height
    return [
        Cell(
            TextBox(
                max(box.left, round(first - half)),
                box.top,
                min(box.right, round(last + half)),
                box.bottom,
            ),
            text,
            line.confidence,
        )
        for text, first, last in words
    ]


def _is_no_name(token: str) -> bool:
    """A word of scorebugs, or what OCR makes of digits that stand alone."""
    word = token.upper().strip(".")
    return word in NO_NAMES or LONE_DIGITS.issuperset(re.split("[-:–]", word))


def _spaces_before(text: str) -> list[bool]:
    """For each character that is no space, whether a space is before it."""
    return [
        number > 0 and text[number - 1].isspace()
        for number, character in enumerate(text)
        if not character.isspace()
    ]


def _parts_words(
    word: tuple[str, float, float], character: str, middle: float, space: bool, height: int
) -> bool:
    text, _, last = word
    if text[-1].isalpha() and character.isalpha():
        return middle - last > (MAX_WORD_SPACE if space else MAX_LETTER_SPACE) * height
    if text[-1].isalpha() or character.isalpha():
        return True
    return space or middle - last > MAX_LETTER_SPACE * height


def is_cut_off(box: TextBox, place: TextBox) -> bool:
    """Whether a text reaches the left or right end of the place: it may go on there."""
    return box.left <= place.left + 1 or box.right >= place.right - 1


def is_name(cell: Cell) -> bool:
    """Whether a text can be the name or abbreviation of a side."""
    name = clean_name(cell.text)
    letters = sum(map(str.isalpha, name))
    if cell.confidence < MIN_NAME_CONFIDENCE or not MIN_LETTERS <= letters <= MAX_LETTERS:
        return False
    if letters < 0.7 * len(cell.text.replace(" ", "")):
        return False
    if set(name.split()) <= NO_NAMES or parse_period(cell.text) is not None:
        return False
    return not parse_times(cell.text)


def name_pairs(cells: Sequence[Cell]) -> Iterator[NamePair]:
    """Every two names that can be the sides of one scorebug."""
    names = [cell for cell in cells if is_name(cell)]
    for home in names:
        for away in names:
            if home is away or not _same_size(home.box, away.box):
                continue
            if _in_one_row(home.box, away.box) and not _name_between(home, away, names):
                yield NamePair(home, away, stacked=False)
            elif _one_above_the_other(home.box, away.box):
                yield NamePair(home, away, stacked=True)


def score_spots(pair: NamePair, layout: ScoreLayout, width: int) -> tuple[TextBox, TextBox] | None:
    """Where the score of each side is looked for; None if the names leave no room there. For
    `BETWEEN` both are the same place."""
    home, away, height = pair.home.box, pair.away.box, pair.height
    reach = round(MAX_BESIDE * height)
    after_home = home.right, home.right + reach
    before_home = home.left - reach, home.left
    after_away = away.right, away.right + reach
    before_away = away.left - reach, away.left
    if not pair.stacked:
        gap = home.right, away.left
        after_home, before_away = gap, gap
    if layout is ScoreLayout.BETWEEN:
        if pair.stacked:
            return None
        spots = (after_home, before_away)
    elif layout is ScoreLayout.OUTSIDE:
        if pair.stacked:
            return None
        spots = (before_home, after_away)
    elif layout is ScoreLayout.AFTER:
        spots = (after_home, after_away)
    else:
        spots = (before_home, before_away)
    found = []
    for (left, right), name in zip(spots, (home, away), strict=True):
        middle, reach_up = (name.top + name.bottom) / 2, round(1.05 * name.height)
        left, right = max(0, left), min(width, right)
        if right - left < 0.5 * height:
            return None
        found.append(TextBox(left, round(middle - reach_up), right, round(middle + reach_up)))
    return found[0], found[1]


def _same_size(one: TextBox, other: TextBox) -> bool:
    return 0.68 <= one.height / max(1, other.height) <= 1.47


def _in_one_row(home: TextBox, away: TextBox) -> bool:
    height = (home.height + away.height) / 2
    level = abs(home.top + home.bottom - away.top - away.bottom) / 2 <= 0.35 * height
    return level and 0.4 * height <= away.left - home.right <= MAX_BETWEEN * height


def _name_between(home: Cell, away: Cell, names: Sequence[Cell]) -> bool:
    return any(
        other is not home
        and other is not away
        and _in_one_row(home.box, other.box)
        and _in_one_row(other.box, away.box)
        for other in names
    )


def _one_above_the_other(home: TextBox, away: TextBox) -> bool:
    height = (home.height + away.height) / 2
    aligned = (
        abs(home.left - away.left) <= 0.7 * height
        or abs(home.right - away.right) <= 0.7 * height
        or abs(home.left + home.right - away.left - away.right) / 2 <= 0.7 * height
    )
    return aligned and -0.25 * height <= away.top - home.bottom <= 1.2 * height
