"""V3: a mirrored clip is noticed by its clock, and only then read in a mirror."""

import numpy as np

from footy_assets.media.decode import Still
from footy_assets.media.mirrored_text import mirrored, shows_mirrored_time
from footy_assets.media.ocr import Image, OcrText, TextBox
from footy_assets.media.text_regions import TextRegion

BOX = TextBox(200, 20, 260, 36)


class MirrorReader:
    """Reads a clock where the bright side of a text is on its left."""

    def __init__(self) -> None:
        self.read = 0

    def detect(self, image: Image) -> list[TextBox]:
        return [BOX]

    def recognize(self, lines: list[Image]) -> list[OcrText]:
        self.read += len(lines)
        half = [line.shape[1] // 2 for line in lines]
        bright = [
            line[:, :n].mean() > line[:, n:].mean() for line, n in zip(lines, half, strict=True)
        ]
        return [OcrText("23:41" if one else "I4:ES", 0.99) for one in bright]


def stills(bright_left: bool) -> list[Still]:
    image = np.zeros((180, 320, 3), np.uint8)
    middle = (BOX.left + BOX.right) // 2
    if bright_left:
        image[BOX.top : BOX.bottom, BOX.left : middle] = 255
    else:
        image[BOX.top : BOX.bottom, middle : BOX.right] = 255
    return [Still(float(second), image) for second in range(3)]


def region(text: str, seen_in: int = 3) -> TextRegion:
    return TextRegion(BOX, (OcrText(text, 0.9),), seen_in)


def test_v3_a_clock_that_reads_in_a_mirror_only_shows_that_a_clip_is_mirrored() -> None:
    assert shows_mirrored_time(stills(bright_left=False), [region("I4:ES")], MirrorReader())
    assert not shows_mirrored_time(stills(bright_left=True), [region("I4:ES")], MirrorReader())


def test_v3_a_clip_whose_clock_reads_and_text_that_does_not_stay_cost_nothing() -> None:
    reader = MirrorReader()
    assert not shows_mirrored_time(stills(bright_left=False), [region("23:41")], reader)
    assert not shows_mirrored_time(stills(bright_left=False), [region("I4:ES", 1)], reader)
    assert not shows_mirrored_time([], [region("I4:ES")], reader)
    assert reader.read == 0


def test_v3_mirrored_twice_is_as_before() -> None:
    (before, *_) = stills(bright_left=True)
    (after,) = mirrored(mirrored([before]))
    assert np.array_equal(after.image, before.image)
    assert not np.array_equal(mirrored([before])[0].image, before.image)
