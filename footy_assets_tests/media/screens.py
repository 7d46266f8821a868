"""Stills whose text is known: a reader that reads them without looking, for tests of the vote."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from footy_assets.media.decode import Still
from footy_assets.media.ocr import Image, Said, Spot

Says = Callable[[float], str]
HEIGHT, WIDTH = 180, 320


@dataclass
class Screen:
    """Places on a screen and what each says at each moment of a clip.

    A still carries its number in its first channel and the place's number in its second one.
    """

    places: dict[Spot, Says]
    seconds: float = 28.0
    stills_taken: int = 14
    confidence: float = 0.98
    reads: int = field(default=0, init=False)

    @property
    def stills(self) -> list[Still]:
        taken = []
        for number in range(self.stills_taken):
            image = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
            image[:, :, 0], image[:, :, 1] = number, 0
            for place, spot in enumerate(self.places, 1):
                image[spot.top : spot.bottom, spot.left : spot.right, 1] = place
            taken.append(Still((number + 0.5) * self.seconds / self.stills_taken, image))
        return taken

    def spots(self, image: Image) -> list[Spot]:
        scale = image.shape[1] / WIDTH
        return [Spot(*(round(side * scale) for side in spot)) for spot in self.places]

    def read(self, lines: Sequence[Image]) -> list[Said]:
        self.reads += len(lines)
        return [self._read(line) for line in lines]

    def _read(self, line: Image) -> Said:
        number, place, _ = line[line.shape[0] // 2, line.shape[1] // 2].tolist()
        says = list(self.places.values())[place - 1]
        text = says((number + 0.5) * self.seconds / self.stills_taken)
        return Said(text, self.confidence if text else 0.0)


def ticking(start: int, rate: float = 1.0, form: str = "{m:02d}:{s:02d}") -> Says:
    def says(seconds: float) -> str:
        now = int(start + rate * seconds)
        return form.format(m=now // 60, s=now % 60)

    return says


def standing(text: str) -> Says:
    return lambda _: text
