"""V6: when the names of a scorebug are certain."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from footy_assets.media.decode import Still
from footy_assets.media.ocr import TextBox, TextReader
from footy_assets.media.scorebug_layout import Cell, NamePair, clean_name

# In how many stills a name is read, and how many must agree with the average of all.
NAME_STILLS, MIN_NAME_STILLS = 3, 2
# The least confidence of a name in the average.
SURE_NAME = 0.9
# The part of all readings of the name's place, these stills and others, that must agree.
MIN_AGREEING = 0.7


def certain_names(
    stills: Sequence[Still], pair: NamePair, others: Iterable[Cell], reader: TextReader
) -> tuple[str, ...]:
    """Both names, if most single stills read as the average of all does, and so do most `others`:
    what was read at these places before."""
    others = list(others)
    names = []
    for cell in (pair.home, pair.away):
        wanted = _joined(cell.text)
        in_stills = list(_in_stills(stills, cell.box, reader))
        agree = in_stills.count(wanted)
        if agree < MIN_NAME_STILLS or cell.confidence < SURE_NAME:
            return ()
        before = [
            _joined(other.text)
            for other in others
            if other.confidence >= SURE_NAME and _same_place(other.box, cell.box)
        ]
        readings = [wanted, *in_stills, *before]
        if readings.count(wanted) < MIN_AGREEING * len(readings):
            return ()
        names.append(clean_name(cell.text))
    return tuple(names)


def _in_stills(stills: Sequence[Still], box: TextBox, reader: TextReader) -> Iterator[str]:
    above, beside = round(0.2 * box.height) // 2, round(0.2 * box.height)
    step = max(1, len(stills) // (NAME_STILLS + 1))
    for still in stills[step::step][:NAME_STILLS]:
        crop = still.image[
            max(0, box.top - above) : box.bottom + above,
            max(0, box.left - beside) : box.right + beside,
        ]
        (line,) = reader.recognize([np.ascontiguousarray(crop)])
        yield _joined(line.text)


def _joined(text: str) -> str:
    return clean_name(text).replace(" ", "")


def _same_place(one: TextBox, other: TextBox) -> bool:
    across = min(one.right, other.right) - max(one.left, other.left)
    down = min(one.bottom, other.bottom) - max(one.top, other.top)
    if across <= 0 or down <= 0:
        return False
    return across > 0.8 * max(one.width, other.width) and down > 0.5 * min(one.height, other.height)
