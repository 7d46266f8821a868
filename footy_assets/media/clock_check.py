"""V3: a second reading of the clock's digits, by the digit model.

OCR may misread a small or slanted clock in the same way in every still, so that the wrong time
runs on with the video too. A clock that the digit model contradicts is not told.
"""

from collections.abc import Sequence
from dataclasses import replace

from footy_assets.media.clock import ClockReading
from footy_assets.media.decode import Still
from footy_assets.media.digit_glyphs import find_glyphs
from footy_assets.media.digit_model import Digit, read_digits
from footy_assets.media.ocr import TextBox
from footy_assets.media.scorebug_layout import CAPITALS
from footy_assets.media.text_regions import crop

# A digit speaks against the clock from this probability on.
SURE_DIGIT, MAX_RIVAL = 0.9, 0.03
# In how many stills the clock is checked, and how many must contradict it.
CHECKED_STILLS, MIN_CONTRADICTIONS = 6, 2


def checked_clock(clock: ClockReading, stills: Sequence[Still]) -> ClockReading:
    """The clock, or none if its minutes look like other digits more often than not."""
    if not clock.minutes or clock.region is None:
        return clock
    texts = {frame.seconds: frame.text for frame in clock.frames if frame.match_seconds is not None}
    read = [still for still in stills if still.seconds in texts][:CHECKED_STILLS]
    agree = [agrees(texts[still.seconds], _digits(still, clock.region)) for still in read]
    against = agree.count(False)
    if against < MIN_CONTRADICTIONS or against <= agree.count(True):
        return clock
    reason = f"{clock.reason}, but its digits look like others in {against} stills"
    return replace(clock, minutes=(), ticks=False, reason=reason)


def agrees(text: str, digits: Sequence[Digit]) -> bool | None:
    """Whether the minutes of a clock's text are the digits found; None if there are more or fewer
    digits, or none is sure."""
    shown = [int(character) for character in text if character.isdecimal()]
    if len(shown) != len(digits) or len(shown) < 3:
        return None
    sure = [
        digit.value == value
        for value, digit in list(zip(shown, digits, strict=True))[:-2]
        if digit.probability >= SURE_DIGIT and digit.rival <= MAX_RIVAL
    ]
    return all(sure) if sure else None


def _digits(still: Still, region: TextBox) -> list[Digit]:
    line = crop(still.image, region)
    return read_digits(find_glyphs(line, CAPITALS * region.height))
