"""Scorebugs drawn in many layouts with real fonts, over moving pictures, and the truth about each.

A layout says where names, score and clock stand; a look says how they are painted. Every layout
with every look is one design. What is drawn depends on the seed and the fonts only.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from footy_assets.sim.scorebug_ground import Footage, write_film

Picture = NDArray[np.uint8]
Colour = tuple[int, int, int]

FINER = 3
SIZES = ((640, 360), (854, 480), (1280, 720))
# h and a are the names, H and A the scores, S the score as one text, C the clock, * a crest,
# T the competition. A slash begins a new row.
LAYOUTS = (
    "C h S a",
    "h S a C",
    "C h H A a",
    "h H A a C",
    "* h S a * C",
    "C * h H A a *",
    "h S a / C",
    "C / h S a",
    "T / C h S a",
    "T / h H A a C",
    "h H / a A / C",
    "C / h H / a A",
    "H h / A a / C",
    "H h V a A C",
    "C h H a A",
)
# Names and score on one strip, or each in a box of its own colour.
LOOKS = ("strip", "boxes", "light score")
SEPARATORS = ("-", " - ", ":", " ")
ABBREVIATIONS = (
    "BOC", "UCA", "FRA", "IRL", "RMA", "SHE", "LIV", "WHU", "BAR", "ATH", "MUN", "NEW", "JUV",
    "INT", "ROM", "PSG", "LYO", "BVB", "FCB", "AJA", "PSV", "POR", "BEN", "CEL", "RAN", "GAL",
    "FLA", "PAL", "RIV", "TIG", "USA", "MEX", "GER", "NED", "KOR", "JPN",
)  # fmt: skip
FULL_NAMES = (
    "LIVERPOOL", "CHELSEA", "MILAN", "NAPOLI", "BENFICA", "SEVILLA", "EVERTON", "TORINO",
    "VALENCIA", "HERTHA", "LA CARRE", "EX HURA", "MAREA VERDE", "EL REAL", "WOLVES", "FULHAM",
)  # fmt: skip
# Parts of names of fonts that no scorebug is set in; symbol fonts draw no Latin letters.
NO_SCOREBUG_FONTS = (
    "Italic", "Oblique", "Mono", "Thin", "Light", "Hairline", "Math", "Symbol",
)  # fmt: skip
COMPETITIONS = ("FINAL 2015", "LEAGUE ROUND 7", "CUP SEMI FINAL")
COLOURS: tuple[tuple[Colour, Colour], ...] = (
    ((255, 255, 255), (20, 20, 30)),
    ((255, 255, 255), (20, 40, 120)),
    ((255, 255, 255), (130, 20, 40)),
    ((20, 20, 20), (240, 240, 240)),
    ((15, 15, 15), (250, 210, 40)),
    ((240, 250, 240), (10, 80, 40)),
)


@dataclass(frozen=True)
class DrawnBug:
    """One scorebug. The score changes after `changes_at`, a part of the film, if a side scores."""

    layout: str
    look: str
    font: Path
    names: tuple[str, str]
    before: tuple[int, int]
    scorer: int | None
    start: int
    capitals: float
    separator: str
    colours: tuple[Colour, Colour]
    score_colours: tuple[Colour, Colour]
    left: float
    top: float
    changes_at: float = 0.5

    @property
    def after(self) -> tuple[int, int]:
        home, away = self.before
        return home + (self.scorer == 0), away + (self.scorer == 1)

    @property
    def scores(self) -> set[tuple[int, int]]:
        return {self.before, self.after}


@dataclass(frozen=True)
class DrawnFilm:
    bug: DrawnBug
    size: tuple[int, int]
    seed: int
    crf: int
    seconds: float = 28.0

    @property
    def minutes(self) -> frozenset[int]:
        return frozenset((self.bug.start + second) // 60 for second in range(int(self.seconds) + 1))

    def pictures(self, fps: int) -> Iterator[Picture]:
        footage = Footage(self.seed, *self.size)
        for number in range(round(self.seconds * fps)):
            seconds = number / fps
            picture = footage.at(seconds)
            after = seconds >= self.bug.changes_at * self.seconds
            score = self.bug.after if after else self.bug.before
            yield draw_bug(picture, self.bug, score, int(self.bug.start + seconds))

    def write(self, path: Path, fps: int = 1) -> Path:
        return write_film(path, self.pictures(fps), fps, self.crf)


def drawn_films(count: int, seed: int, fonts: Sequence[Path]) -> list[DrawnFilm]:
    """Every layout in turn, with every look in turn; the rest by chance."""
    rng = np.random.default_rng(seed)
    films = []
    for number in range(count):
        layout = LAYOUTS[number % len(LAYOUTS)]
        look = LOOKS[number // len(LAYOUTS) % len(LOOKS)]
        size = SIZES[rng.integers(len(SIZES))]
        capitals = max(float(rng.uniform(0.024, 0.042)), 10 / size[1])
        words = ABBREVIATIONS if rng.random() < 0.7 else FULL_NAMES
        home, away = (str(name) for name in rng.choice(words, 2, replace=False))
        bug = DrawnBug(
            layout=layout,
            look=look,
            font=fonts[rng.integers(len(fonts))],
            names=(home, away),
            before=(int(rng.integers(0, 5)), int(rng.integers(0, 5))),
            scorer=(None, 0, 1)[rng.integers(3)],
            start=int(rng.integers(2 * 60, 89 * 60)),
            capitals=capitals,
            separator=SEPARATORS[rng.integers(len(SEPARATORS))],
            colours=COLOURS[rng.integers(len(COLOURS))],
            score_colours=COLOURS[rng.integers(len(COLOURS))],
            left=float(rng.choice([0.05, 0.1, 0.3])),
            top=float(rng.choice([0.06, 0.1, 0.8])),
            changes_at=float(rng.uniform(0.35, 0.65)),
        )
        films.append(DrawnFilm(bug, size, int(rng.integers(1 << 30)), int(rng.integers(23, 31))))
    return films


def find_fonts(folders: Sequence[Path], without: Sequence[str] = ()) -> list[Path]:
    """Upright fonts with Latin digits and capitals, a colon and a hyphen."""
    found = []
    for path in sorted(p for folder in folders for p in folder.rglob("*.[to]tf")):
        skipped = (*NO_SCOREBUG_FONTS, *without)
        if any(word in path.name for word in skipped):
            continue
        try:
            font = ImageFont.truetype(str(path), 40)
        except OSError:
            continue
        drawn = {bytes(font.getmask(character)) for character in "0123456789ABO"}
        if len(drawn) >= 12 and all(font.getmask(mark).getbbox() for mark in ":-"):
            found.append(path)
    return found


def draw_bug(picture: Picture, bug: DrawnBug, score: tuple[int, int], clock: int) -> Picture:
    height = picture.shape[0]
    rows = [
        [_texts(part, bug, score, clock) for part in row.split()] for row in bug.layout.split("/")
    ]
    widths = _columns(rows, bug, height)
    drawn = [_row(row, bug, height, widths) for row in rows]
    width = max(row.shape[1] for row in drawn)
    filled = [np.pad(row, ((0, 0), (0, width - row.shape[1]), (0, 0))) for row in drawn]
    band = np.vstack(filled)
    size = max(1, band.shape[1] // FINER), max(1, band.shape[0] // FINER)
    small = np.asarray(cv2.resize(band, size, interpolation=cv2.INTER_AREA))
    top = min(round(bug.top * height), height - size[1] - 2)
    left = max(2, min(round(bug.left * picture.shape[1]), picture.shape[1] - size[0] - 2))
    small = small[:, : picture.shape[1] - left]
    shown = picture.copy()
    place = shown[top : top + small.shape[0], left : left + small.shape[1]]
    cover = small[:, :, 3:] / 255 * 0.95
    place[:] = (cover * small[:, :, 2::-1] + (1 - cover) * place).astype(np.uint8)
    return shown


def _texts(part: str, bug: DrawnBug, score: tuple[int, int], clock: int) -> tuple[str, str]:
    """The kind of a part and its text."""
    return part, {
        "h": bug.names[0],
        "a": bug.names[1],
        "H": str(score[0]),
        "A": str(score[1]),
        "S": f"{score[0]}{bug.separator}{score[1]}",
        "C": f"{clock // 60:02d}:{clock % 60:02d}",
        "T": COMPETITIONS[bug.start % len(COMPETITIONS)],
        "V": "vs",
        "*": "",
    }[part]


def _columns(
    rows: Sequence[Sequence[tuple[str, str]]], bug: DrawnBug, height: int
) -> dict[str, int]:
    """In stacked layouts both names are as wide as the wider one."""
    if not any(row[0][0] in ["a", "A"] for row in rows):
        return {}
    widths = [
        _cell(text, bug, kind, height).shape[1]
        for row in rows
        for kind, text in row
        if kind in "ha"
    ]
    return {"h": max(widths), "a": max(widths)}


def _row(
    row: Sequence[tuple[str, str]], bug: DrawnBug, height: int, widths: dict[str, int]
) -> Picture:
    cells = []
    for kind, text in row:
        cell = _cell(text, bug, kind, height)
        missing = widths.get(kind, 0) - cell.shape[1]
        if missing > 0:
            paper = cell[0, 0]
            cell = np.hstack([cell, np.tile(paper, (cell.shape[0], missing, 1))])
        cells.append(cell)
    return np.hstack(cells)


def _cell(text: str, bug: DrawnBug, kind: str, height: int) -> Picture:
    ink, paper = bug.colours
    if kind in "HAS" and bug.look == "light score":
        ink, paper = bug.score_colours
    elif kind == "C" and bug.look != "strip":
        ink, paper = (20, 20, 20), (235, 235, 235)
    capitals = round(bug.capitals * height * FINER)
    return _painted(text, str(bug.font), capitals, ink, paper, kind == "*")


@lru_cache(maxsize=4096)
def _painted(
    text: str, path: str, capitals: int, ink: Colour, paper: Colour, crest: bool
) -> Picture:
    font = _font(path, capitals)
    around, tall = round(0.55 * capitals), capitals + 2 * round(0.5 * capitals)
    if crest:
        canvas = Image.new("RGBA", (tall, tall), (*paper, 255))
        ImageDraw.Draw(canvas).ellipse((6, 6, tall - 6, tall - 6), (*ink, 255), (180, 40, 40), 4)
        return np.asarray(canvas)
    fixed = "".join("0" if letter.isdigit() else letter for letter in text)
    width = max(font.getlength(fixed), font.getlength(text))
    canvas = Image.new("RGBA", (int(width) + 2 * around, tall), (*paper, 255))
    top = font.getbbox("8")[1]
    x = around + (width - font.getlength(text)) / 2
    ImageDraw.Draw(canvas).text((x, round(0.5 * capitals) - top), text, (*ink, 255), font)
    return np.asarray(canvas)


@lru_cache(maxsize=512)
def _font(path: str, capitals: int) -> ImageFont.FreeTypeFont:
    _, top, _, bottom = ImageFont.truetype(path, 100).getbbox("8")
    return ImageFont.truetype(path, max(6, round(100 * capitals / max(1, bottom - top))))
