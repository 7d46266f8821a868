"""A fake OCR engine and the stills it reads: each region shows a known text at each moment."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from footy_assets.media.decode import Still
from footy_assets.media.ocr import Image, OcrText, TextBox

TextAtSecond = Callable[[float], str]
HEIGHT, WIDTH = 180, 320


@dataclass
class Screen:
    """Text regions of a clip and the text of each at each moment.

    A still carries its number in its first channel and the number of the region in its second.
    """

    regions: dict[TextBox, TextAtSecond]
    seconds: float = 28.0
    still_count: int = 14
    confidence: float = 0.98
    recognized: int = field(default=0, init=False)

    @property
    def stills(self) -> list[Still]:
        taken = []
        for number in range(self.still_count):
            image = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
            image[:, :, 0], image[:, :, 1] = number, 0
            for region, box in enumerate(self.regions, 1):
                image[box.top : box.bottom, box.left : box.right, 1] = region
            taken.append(Still((number + 0.5) * self.seconds / self.still_count, image))
        return taken

    def detect(self, image: Image) -> list[TextBox]:
        scale = image.shape[1] / WIDTH
        return [TextBox(*(round(side * scale) for side in box)) for box in self.regions]

    def recognize(self, lines: Sequence[Image]) -> list[OcrText]:
        self.recognized += len(lines)
        return [self._recognize(line) for line in lines]

    def _recognize(self, line: Image) -> OcrText:
        number, region, _ = line[line.shape[0] // 2, line.shape[1] // 2].tolist()
        text_at = list(self.regions.values())[region - 1]
        text = text_at((number + 0.5) * self.seconds / self.still_count)
        return OcrText(text, self.confidence if text else 0.0)


def ticking_clock(start: int, rate: float = 1.0, form: str = "{m:02d}:{s:02d}") -> TextAtSecond:
    def text_at(seconds: float) -> str:
        now = int(start + rate * seconds)
        return form.format(m=now // 60, s=now % 60)

    return text_at


def fixed_text(text: str) -> TextAtSecond:
    return lambda _: text
