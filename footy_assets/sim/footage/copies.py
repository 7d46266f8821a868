"""What fans do to a broadcast before they post it: smaller, cropped, marked, turned, filmed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from footy_assets.sim.footage import encode
from footy_assets.sim.footage.planes import Colour, Picture, Planes, Sprite

Edit = Callable[[Planes, float], Planes]

HANDLES = ("@goalclips", "@footy_daily", "@ultras_tv", "@matchday_hd", "@netbusters")
SHOUTS = ("WHAT A GOAL", "HE DID IT AGAIN", "ABSOLUTE SCENES", "UNREAL FINISH", "GOOOAL")


class Change(StrEnum):
    """How the picture differs from the broadcast's."""

    NONE = "none"
    CROPPED = "cropped"
    WATERMARKED = "watermarked"
    MIRRORED = "mirrored"
    CAPTIONED = "captioned"
    LETTERBOXED = "letterboxed"
    UPRIGHT = "upright"
    FILMED = "filmed"


@dataclass(frozen=True)
class Copy:
    """A copy of a film: which part of it, how large, how fast, how changed, how squeezed."""

    start: float
    end: float
    width: int
    height: int
    fps: Fraction = Fraction(encode.FPS)
    crf: int = 30
    change: Change = Change.NONE
    seed: int = 0

    @property
    def seconds(self) -> float:
        """As long as its frames."""
        return float(self.frames / self.fps)

    @property
    def frames(self) -> int:
        return max(1, int((self.end - self.start) * self.fps))


def write(path: Path, film: Path, copy: Copy) -> None:
    """Make a copy of the film in a file."""
    encode.write(path, _pictures(film, copy), copy.fps, copy.crf)


def _pictures(film: Path, copy: Copy) -> Iterator[Planes]:
    edit = EDITS[copy.change](copy)
    moments = [copy.start + float(number / copy.fps) for number in range(copy.frames)]
    made, last = 0, None
    for seconds, picture in encode.read(film):
        last = picture
        # A frame stands until the next one: take it for the moments it is nearest to.
        while made < len(moments) and moments[made] <= seconds + 0.5 / encode.FPS:
            yield edit(picture, moments[made] - copy.start)
            made += 1
        if made == len(moments):
            return
    while last is not None and made < len(moments):
        yield edit(last, moments[made] - copy.start)
        made += 1


def _resized(picture: Planes, width: int, height: int) -> Planes:
    if picture.size == (width, height):
        return picture
    small = Planes.blank(width, height)
    for plane, source in zip(small.each, picture.each, strict=True):
        cv2.resize(
            source, (plane.shape[1], plane.shape[0]), dst=plane, interpolation=_way(picture, width)
        )
    return small


def _way(picture: Planes, width: int) -> int:
    return cv2.INTER_AREA if width <= picture.size[0] * 0.6 else cv2.INTER_LINEAR


def _plain(copy: Copy) -> Edit:
    return lambda picture, _: _resized(picture, copy.width, copy.height)


def _cropped(copy: Copy) -> Edit:
    """The edges are gone, up to where the scorebug begins."""
    rng = np.random.default_rng(copy.seed)
    cut = rng.uniform(0.035, 0.055)
    aside, down = rng.uniform(0.4, 0.6, 2)

    def edit(picture: Planes, _: float) -> Planes:
        smaller = Planes.blank(copy.width, copy.height)
        for plane, source in zip(smaller.each, picture.each, strict=True):
            height, width = source.shape
            top, left = round(2 * cut * height * down), round(2 * cut * width * aside)
            rows, columns = round(height * (1 - 2 * cut)), round(width * (1 - 2 * cut))
            part = source[top : top + rows, left : left + columns]
            cv2.resize(part, (plane.shape[1], plane.shape[0]), dst=plane)
        return smaller

    return edit


def _watermarked(copy: Copy) -> Edit:
    rng = np.random.default_rng(copy.seed)
    handle = str(rng.choice(HANDLES))
    mark = _words(handle, copy.height * 0.085, (255, 255, 255), 120)
    box = _words(handle[1:].upper(), copy.height * 0.05, (255, 255, 255), 255, (30, 30, 200))
    x, y = rng.uniform(0.25, 0.5), rng.uniform(0.42, 0.6)

    def edit(picture: Planes, _: float) -> Planes:
        marked = _resized(picture, copy.width, copy.height)
        mark.onto(marked, x * copy.width, y * copy.height)
        box.onto(marked, copy.width * 0.97 - box.width, copy.height * 0.88)
        return marked

    return edit


def _mirrored(copy: Copy) -> Edit:
    def edit(picture: Planes, _: float) -> Planes:
        small = _resized(picture, copy.width, copy.height)
        turned = Planes.blank(copy.width, copy.height)
        for plane, source in zip(turned.each, small.each, strict=True):
            cv2.flip(source, 1, dst=plane)
        return turned

    return edit


def _captioned(copy: Copy) -> Edit:
    """A white band with words above the picture."""
    rng = np.random.default_rng(copy.seed)
    text = str(rng.choice(SHOUTS))
    band = copy.height // 5 // 4 * 4
    words = _words(text, band * 0.42, (20, 20, 20), 255)

    def edit(picture: Planes, _: float) -> Planes:
        page = Planes.blank(copy.width, copy.height, 235)
        _placed(page, picture, (0, band, copy.width, copy.height))
        words.onto(page, (copy.width - words.width) / 2, band * 0.27)
        return page

    return edit


def _letterboxed(copy: Copy) -> Edit:
    """Black above and below."""
    tall = round(copy.width * 9 / 16) // 4 * 4
    top = (copy.height - tall) // 2 // 2 * 2

    def edit(picture: Planes, _: float) -> Planes:
        page = Planes.blank(copy.width, copy.height)
        _placed(page, picture, (0, top, copy.width, top + tall))
        return page

    return edit


def _upright(copy: Copy) -> Edit:
    """The middle of the picture, for a phone held upright."""

    def edit(picture: Planes, _: float) -> Planes:
        page = Planes.blank(copy.width, copy.height)
        for plane, source in zip(page.each, picture.each, strict=True):
            height, width = source.shape
            wide = round(height * copy.width / copy.height)
            left = (width - wide) // 2
            part = source[:, left : left + wide]
            cv2.resize(part, (plane.shape[1], plane.shape[0]), dst=plane)
        return page

    return edit


def _filmed(copy: Copy) -> Edit:
    """A television filmed by hand: its frame, askew and shaking, moiré, glare, blur and noise."""
    rng = np.random.default_rng(copy.seed)
    width, height = copy.width, copy.height
    fill = rng.uniform(0.8, 0.9)
    askew = rng.uniform(-0.045, 0.045, (4, 2))
    phase, pace = rng.uniform(0, 6, 4), rng.uniform(1.2, 2.9, 4)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    moire = rng.uniform(4, 7) * np.sin(x * rng.uniform(0.8, 1.1) + y * rng.uniform(0.1, 0.2))
    glare = 40 * np.exp(-(((x / width - 0.7) / 0.12) ** 2 + ((y / height - 0.3) / 0.2) ** 2))
    light = 1.05 - 0.75 * ((x / width - 0.5) ** 2 + (y / height - 0.5) ** 2)
    laid_over = moire + glare + 8
    noise = [(rng.normal(0, 2.5, y.shape) + laid_over).astype(np.float32) for _ in range(4)]

    def edit(picture: Planes, t: float) -> Planes:
        page = Planes.blank(width, height, 24)
        sway = 0.01 * np.sin(pace[:2] * t + phase[:2])
        size = fill + 0.012 * np.sin(pace[2] * t + phase[2])
        unit = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float64)
        corners = (0.5 + (unit / 2) * size + sway + askew / 2) * [width, height]
        rim = (0.5 + (unit / 2) * (size + 0.05) + sway + askew / 2) * [width, height]
        page.fill(rim, (16, 14, 14))
        source = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * picture.size
        matrix = cv2.getPerspectiveTransform(source.astype(np.float32), corners.astype(np.float32))
        page.warp(picture, np.asarray(matrix, np.float64))
        soft = cv2.GaussianBlur(page.y, (0, 0), 1.1).astype(np.float32)
        flicker = 1 + 0.02 * np.sin(9 * t + phase[3])
        shown = soft * light * flicker + noise[int(t * 29) % len(noise)]
        page.y[:] = np.clip(shown, 0, 255)
        page.u += np.uint8(4)
        page.v -= np.uint8(3)
        return page

    return edit


EDITS: dict[Change, Callable[[Copy], Edit]] = {
    Change.NONE: _plain,
    Change.CROPPED: _cropped,
    Change.WATERMARKED: _watermarked,
    Change.MIRRORED: _mirrored,
    Change.CAPTIONED: _captioned,
    Change.LETTERBOXED: _letterboxed,
    Change.UPRIGHT: _upright,
    Change.FILMED: _filmed,
}


def _placed(page: Planes, picture: Planes, box: tuple[int, int, int, int]) -> None:
    left, top, right, bottom = box
    for plane, source, half in zip(page.each, picture.each, (1, 2, 2), strict=True):
        part = plane[top // half : bottom // half, left // half : right // half]
        cv2.resize(source, (part.shape[1], part.shape[0]), dst=part)


@lru_cache(maxsize=64)
def _words(
    text: str, height: float, ink: Colour, cover: int, paper: Colour | None = None
) -> Sprite:
    """Words on nothing, or on a box."""
    face, scale, thick = cv2.FONT_HERSHEY_DUPLEX, height / 22, max(1, round(height / 14))
    (width, tall), base = cv2.getTextSize(text, face, scale, thick)
    bgra: Picture = np.zeros((tall + base + 12, width + 16, 4), np.uint8)
    mask: NDArray[np.uint8] = np.zeros(bgra.shape[:2], np.uint8)
    cv2.putText(mask, text, (8, tall + 4), face, scale, 255, thick, cv2.LINE_AA)
    share = mask[:, :, None].astype(np.float32) / 255
    under = np.array(paper if paper is not None else ink, np.float32)
    bgra[:, :, :3] = share * np.array(ink, np.float32) + (1 - share) * under
    bgra[:, :, 3] = 235 if paper is not None else (mask * (cover / 255)).astype(np.uint8)
    return Sprite(bgra)
