"""V6: when the digits of a score are certain."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from footy_assets.media.digit_model import Digit
from footy_assets.media.median_image import median_image
from footy_assets.media.ocr import Image, TextBox, TextReader
from footy_assets.media.scorebug_layout import ScoreLayout

# A digit is told from this probability on, and if no other digit is likelier than that in its
# place; a weaker one still shows where the score stands.
SURE_DIGIT, MAX_RIVAL = 0.82, 0.05
# A 1 between the names, beside a digit that is sure: all it may be confused with is a bar, and a
# bar would stand between two digits.
SURE_ONE = 0.5
# Small digits are read by OCR, too: with these margins, in heights of the digit, alone and as a
# line of three, enlarged to this height.
OCR_MARGINS, OCR_COPIES, OCR_HEIGHT = (0.35, 0.6), (1, 3), 48
# What of OCR counts, and how many readings must agree with the digit model.
MIN_OCR_CONFIDENCE, MIN_AGREEING = 0.5, 2
# Ones and sevens look alike: all readings must agree, and below this height in pixels, where OCR
# takes one for the other in every view, the digit model must be this sure, too.
ALIKE = frozenset({1, 7})
ALIKE_HEIGHT, SURE_ALIKE = 14, 0.9
DIGITS, NO_DIGIT = frozenset("0123456789"), -1
# How many stills must show digits for OCR to be asked.
MIN_STILLS = 3


@dataclass(frozen=True, slots=True)
class ScoreDigits:
    """The score's digits in one still."""

    seconds: float
    home: Digit
    away: Digit

    @property
    def values(self) -> tuple[int, int]:
        return self.home.value, self.away.value

    def is_sure(self, layout: ScoreLayout) -> bool:
        digits = self.home, self.away
        if any(digit.rival > MAX_RIVAL for digit in digits):
            return False
        weaker, stronger = sorted(digits, key=lambda digit: digit.probability)
        is_one = layout is ScoreLayout.BETWEEN and weaker.value == 1
        least = SURE_ONE if is_one else SURE_DIGIT
        return stronger.probability >= SURE_DIGIT and weaker.probability >= least


def confirmed_by_ocr(
    stills: Sequence[tuple[ScoreDigits, Image]], reader: TextReader
) -> list[ScoreDigits]:
    """The stills whose digits are not sure one by one, but read by OCR in the average of all that
    show the same. Both models must agree on both digits."""
    confirmed = []
    for values, count in Counter(digits.values for digits, _ in stills).items():
        if count < MIN_STILLS:
            continue
        same = [(digits, image) for digits, image in stills if digits.values == values]
        images = [image for _, image in same]
        sides = ([digits.home for digits, _ in same], [digits.away for digits, _ in same])
        if all(_is_confirmed(images, side, reader) for side in sides):
            confirmed += [digits for digits, _ in same]
    return confirmed


def read_by_ocr(images: Sequence[Image], box: TextBox, reader: TextReader) -> int | None:
    """The digit in the average of the images that every view of it shows."""
    found = {value for value in _readings(images, box, reader) if value is not None}
    return found.pop() if len(found) == 1 and min(found) >= 0 else None


def _is_confirmed(images: Sequence[Image], digits: Sequence[Digit], reader: TextReader) -> bool:
    sure = [one for one in digits if one.probability >= SURE_DIGIT and one.rival <= MAX_RIVAL]
    if len(sure) > len(digits) / 2:
        return True
    value = digits[0].value
    box = TextBox(*(round(float(side)) for side in np.median([one.box for one in digits], axis=0)))
    # Without the digit model, or where small digits look alike, every view must be certain.
    every = value in ALIKE or all(digit.probability == 0 for digit in digits)
    small = value in ALIKE and box.height < ALIKE_HEIGHT
    if small and float(np.median([one.probability for one in digits])) < SURE_ALIKE:
        return False
    agree = 0
    for reading in _readings(images, box, reader):
        if reading not in ((value,) if every else (value, None)):
            return False
        agree += reading == value
    return agree >= MIN_AGREEING


def _readings(images: Sequence[Image], box: TextBox, reader: TextReader) -> Iterator[int | None]:
    """What OCR reads in each view: a digit, NO_DIGIT, or None if it is not certain."""
    for picture, copies in _views(images, box):
        (line,) = reader.recognize([picture])
        text = "".join(line.text.split())
        if line.confidence < MIN_OCR_CONFIDENCE:
            yield None
        elif text == text[:1] * copies and text[:1] in DIGITS:
            yield int(text[0])
        else:
            yield NO_DIGIT


def _views(images: Sequence[Image], box: TextBox) -> Iterator[tuple[Image, int]]:
    """A digit in the average of the images, in several crops, and how often it stands there."""
    for margin in OCR_MARGINS:
        reach = round(margin * box.height)
        top, left = max(0, box.top - reach), max(0, box.left - reach)
        crop = median_image(
            [image[top : box.bottom + reach, left : box.right + reach] for image in images]
        )
        if min(crop.shape[:2]) < 3:
            continue
        size = max(8, round(crop.shape[1] * OCR_HEIGHT / crop.shape[0])), OCR_HEIGHT
        grown = np.asarray(cv2.resize(crop, size, interpolation=cv2.INTER_CUBIC), np.uint8)
        for copies in OCR_COPIES:
            yield np.hstack([grown] * copies), copies
