"""A broadcast's scorebug, drawn: names, score and a match clock in the styles that are seen.

Also what is not a match clock but looks like one: the time of day, a countdown, a player's timer.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

Picture = NDArray[np.uint8]
Mask = NDArray[np.float32]
Colour = tuple[int, int, int]

# Drawn larger and scaled down, so that edges are smooth.
FINER = 4
PERIOD_ENDS = tuple(minute * 60 for minute in (45, 90, 105, 120))
HERSHEY = {
    "simplex": cv2.FONT_HERSHEY_SIMPLEX,
    "duplex": cv2.FONT_HERSHEY_DUPLEX,
    "complex": cv2.FONT_HERSHEY_COMPLEX,
    "triplex": cv2.FONT_HERSHEY_TRIPLEX,
}
FONTS = ("pillow", *HERSHEY)


class Style(StrEnum):
    """What the clock's place shows. From `TIME_OF_DAY` on it is no readable match clock."""

    PLAIN = "23:41"
    ADDED_BESIDE = "45:00 +2:13"
    ADDED_BELOW = "45:00 above 2:13"
    ADDED_ANNOUNCED = "45:00 +3 2:13"
    JOINED = "90+4:58"
    ANNOUNCED = "91:20 +4"
    SECOND_HALF = "2H 12:30"
    EXTRA_TIME = "ET 12:30"
    TIME_OF_DAY = "time of day"
    COUNTDOWN = "countdown"
    PLAYER_TIMER = "player timer"
    ADVERT = "90:00 min"
    DATE = "date"
    PHONE = "phone number"
    SCORE = "score only"
    STANDING = "45:00 +3, standing"


class Words(NamedTuple):
    """The texts of the clock's cells: before, the clock, beside it, below it."""

    before: str
    clock: str
    beside: str = ""
    below: str = ""


@dataclass(frozen=True)
class Design:
    """How a scorebug looks. Sizes are parts of the frame's height, places parts of the frame."""

    font: str = "pillow"
    digits: float = 0.035
    stretch: float = 1.0
    weight: int = 1
    slant: float = 0.0
    ink: Colour = (255, 255, 255)
    paper: Colour = (40, 20, 20)
    opacity: float = 0.9
    names_ink: Colour = (20, 20, 20)
    names_paper: Colour = (235, 235, 235)
    left: float = 0.05
    top: float = 0.06
    clock_first: bool = True
    names: tuple[str, str] | None = ("ARS", "CHE")
    score: tuple[int, int] = (1, 0)
    score_mark: str = "-"


@dataclass(frozen=True)
class Scorebug:
    """A design and what its clock says: `start` is the match time, in seconds, as the film begins.

    `rate` is how fast the match runs in the film; `hidden` the part of the film without the bug.
    """

    design: Design = Design()
    style: Style = Style.PLAIN
    start: int = 1421
    rate: float = 1.0
    hidden: tuple[float, float] | None = None

    def match_seconds(self, seconds: float) -> float:
        return self.start + self.rate * seconds

    def draw(self, picture: Picture, seconds: float) -> Picture:
        """The picture with the scorebug over it."""
        if self.hidden is not None and self.hidden[0] <= seconds < self.hidden[1]:
            return picture
        moment = Moment(self.start, int(self.match_seconds(seconds)), seconds)
        words = WORDS[self.style](moment)
        return _laid_over(picture, _bug(self.design, words, picture.shape[0]), self.design)


class Moment(NamedTuple):
    """Seconds of the match as the film begins and now, and seconds of the film."""

    start: int
    now: int
    film: float


def _clock(seconds: int) -> str:
    return f"{seconds // 60:02d}:{seconds % 60:02d}"


def _short(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02d}"


def _split(moment: Moment) -> tuple[int, str]:
    """The end of the period that is over, and how long ago it was."""
    end = max(end for end in PERIOD_ENDS if end <= max(moment.now, PERIOD_ENDS[0]))
    return end, _short(max(0, moment.now - end))


def _beside(moment: Moment) -> Words:
    end, added = _split(moment)
    return Words("", _clock(end), f"+{added}")


def _below(moment: Moment) -> Words:
    end, added = _split(moment)
    return Words("", _clock(end), "", added)


def _added_announced(moment: Moment) -> Words:
    end, added = _split(moment)
    return Words("", _clock(end), "+3", added)


def _joined(moment: Moment) -> Words:
    end, added = _split(moment)
    return Words("", f"{end // 60}+{added}")


def _time_of_day(moment: Moment) -> Words:
    """Hours and minutes; the minute turns 20 s into the film."""
    minutes = moment.start + (moment.film >= 20)
    return Words("", f"{minutes // 60 % 24:02d}:{minutes % 60:02d}")


WORDS: dict[Style, Callable[[Moment], Words]] = {
    Style.PLAIN: lambda moment: Words("", _clock(moment.now)),
    Style.ADDED_BESIDE: _beside,
    Style.ADDED_BELOW: _below,
    Style.ADDED_ANNOUNCED: _added_announced,
    Style.JOINED: _joined,
    Style.ANNOUNCED: lambda moment: Words("", _clock(moment.now), "+4"),
    Style.SECOND_HALF: lambda moment: Words("2H", _clock(moment.now - PERIOD_ENDS[0])),
    Style.EXTRA_TIME: lambda moment: Words("ET", _clock(moment.now - PERIOD_ENDS[1])),
    Style.TIME_OF_DAY: _time_of_day,
    Style.COUNTDOWN: lambda moment: Words("", _clock(max(0, moment.start - int(moment.film)))),
    Style.PLAYER_TIMER: lambda moment: Words("", f"{_short(int(moment.film))} / 0:30"),
    Style.ADVERT: lambda _: Words("", "90:00", "MIN"),
    Style.DATE: lambda _: Words("", "16.11.2026"),
    Style.PHONE: lambda _: Words("", "0800 123456"),
    Style.SCORE: lambda _: Words("", ""),
    Style.STANDING: lambda moment: Words("", _clock(_split(moment)[0]), "+3"),
}
CLOCKS = tuple(Style)[: tuple(Style).index(Style.TIME_OF_DAY)]
NO_CLOCKS = tuple(Style)[tuple(Style).index(Style.TIME_OF_DAY) :]


def _bug(design: Design, words: Words, frame_height: int) -> tuple[Picture, Mask]:
    """The bug and its opacity, at the frame's scale."""
    clock = [(text, design.ink, design.paper) for text in words[:3] if text]
    names = []
    if design.names is not None:
        mark = f"{design.score[0]}{design.score_mark}{design.score[1]}"
        texts = (design.names[0], mark, design.names[1])
        names = [(text, design.names_ink, design.names_paper) for text in texts]
    row = clock + names if design.clock_first else names + clock
    height = round(design.digits * frame_height * FINER)
    drawn = [_cell(design, text, ink, paper, height) for text, ink, paper in row]
    band = np.hstack(drawn) if drawn else np.zeros((1, 1, 3), np.uint8)
    cover = np.full(band.shape[:2], design.opacity, np.float32)
    if words.below:
        cell = _cell(design, words.below, design.ink, design.paper, height)
        offset = 0 if design.clock_first or not names else band.shape[1] - cell.shape[1]
        band, cover = _with_row(band, cover, cell, max(0, offset), design.opacity)
    size = max(1, band.shape[1] // FINER), max(1, band.shape[0] // FINER)
    small = cv2.resize(band, size, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8), np.asarray(cv2.resize(cover, size), np.float32)


def _with_row(
    band: Picture, cover: Mask, cell: Picture, offset: int, opacity: float
) -> tuple[Picture, Mask]:
    width = max(band.shape[1], offset + cell.shape[1])
    height = band.shape[0] + cell.shape[0]
    canvas, mask = np.zeros((height, width, 3), np.uint8), np.zeros((height, width), np.float32)
    canvas[: band.shape[0], : band.shape[1]] = band
    mask[: band.shape[0], : band.shape[1]] = cover
    canvas[band.shape[0] :, offset : offset + cell.shape[1]] = cell
    mask[band.shape[0] :, offset : offset + cell.shape[1]] = opacity
    return canvas, mask


def _cell(design: Design, text: str, ink: Colour, paper: Colour, height: int) -> Picture:
    """One box with its text in the middle. A box is as wide as its widest digits need."""
    mask = text_mask(text, design.font, height, design.stretch, design.weight, design.slant)
    widest = "".join("8" if letter.isdigit() else letter for letter in text)
    room = text_mask(widest, design.font, height, design.stretch, design.weight, design.slant)
    across, around = max(mask.shape[1], room.shape[1]), round(0.45 * height)
    canvas = np.zeros((height + 2 * around, across + 2 * around), np.float32)
    left = around + (across - mask.shape[1]) // 2
    canvas[around : around + height, left : left + mask.shape[1]] = mask
    inked = canvas[:, :, None] * np.array(ink, np.float32)
    return np.asarray(inked + (1 - canvas[:, :, None]) * np.array(paper, np.float32), np.uint8)


@lru_cache(maxsize=4096)
def text_mask(text: str, font: str, height: int, stretch: float, weight: int, slant: float) -> Mask:
    """How much of each pixel is ink, with digits `height` pixels high."""
    drawn = _pillow(text, weight) if font == "pillow" else _hershey(text, HERSHEY[font], weight)
    tall = drawn.shape[0]
    width = max(1, round(drawn.shape[1] * stretch * height / tall))
    mask = cv2.resize(drawn, (width, height), interpolation=cv2.INTER_AREA)
    if slant:
        shift = np.array([[1, -slant, slant * height], [0, 1, 0]], np.float32)
        mask = cv2.warpAffine(mask, shift, (width + round(slant * height) + 1, height))
    return np.asarray(mask / 255, np.float32)


def _pillow(text: str, weight: int) -> Mask:
    font = ImageFont.load_default(96)
    stroke = 3 * (weight - 1)
    left, _, right, _ = font.getbbox(text, stroke_width=stroke)
    _, top, _, bottom = font.getbbox("8", stroke_width=stroke)
    canvas = Image.new("L", (int(right - left) + 4, int(bottom - top)))
    ImageDraw.Draw(canvas).text((2 - left, -top), text, 255, font, stroke_width=stroke)
    return np.asarray(canvas, np.float32)


def _hershey(text: str, face: int, weight: int) -> Mask:
    thickness = 2 + 3 * weight
    (width, height), baseline = cv2.getTextSize(text, face, 3.0, thickness)
    canvas = np.zeros((height + baseline + 2 * thickness, width + 2 * thickness), np.uint8)
    cv2.putText(
        canvas, text, (thickness, height + thickness // 2), face, 3.0, 255, thickness, cv2.LINE_AA
    )
    return canvas[: height + thickness].astype(np.float32)


def _laid_over(picture: Picture, bug: tuple[Picture, Mask], design: Design) -> Picture:
    small, cover = bug
    height, width = picture.shape[:2]
    rows, columns = min(small.shape[0], height), min(small.shape[1], width)
    top = min(round(design.top * height), height - rows)
    left = min(round(design.left * width), width - columns)
    shown = picture.copy()
    under = shown[top : top + rows, left : left + columns].astype(np.float32)
    share = cover[:rows, :columns, None]
    over = share * small[:rows, :columns] + (1 - share) * under
    shown[top : top + rows, left : left + columns] = over.astype(np.uint8)
    return shown
