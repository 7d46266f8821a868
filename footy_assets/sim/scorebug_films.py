"""Short films with scorebugs of all kinds, and the truth about each clock."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from footy_assets.sim.scorebug import CLOCKS, FONTS, NO_CLOCKS, Design, Scorebug, Style
from footy_assets.sim.scorebug_ground import HEIGHT, WIDTH, Footage, Picture, write_film

# Frames a second: a film of these is looked at in a dozen stills, not watched.
FPS = 2
# Digits this high or lower, in parts of the frame, are small: 9 pixels of 360.
SMALL, MIDDLING = 0.027, 0.034
NAMES = ("ARS", "CHE", "LIV", "MCI", "BAR", "RMA", "PSG", "BVB", "JUV", "INT", "AJA", "POR")
WHITE, BLACK, YELLOW, NAVY, RED = (
    (255, 255, 255),
    (10, 10, 10),
    (40, 220, 250),
    (90, 30, 20),
    (30, 20, 170),
)
# Ink and paper, blue first.
COLOURS = (
    (WHITE, (30, 20, 15)),
    (WHITE, NAVY),
    (WHITE, RED),
    (WHITE, (110, 40, 90)),
    (BLACK, (240, 240, 240)),
    (BLACK, YELLOW),
    (NAVY, WHITE),
    (YELLOW, (40, 25, 20)),
    ((200, 255, 200), (30, 60, 20)),
)
# Left and top, in parts of the frame: corners, edges and places short of them.
PLACES = (
    (0.04, 0.05),
    (0.07, 0.09),
    (0.12, 0.14),
    (0.36, 0.05),
    (0.55, 0.06),
    (0.60, 0.10),
    (0.05, 0.86),
    (0.34, 0.88),
    (0.55, 0.84),
    (0.03, 0.20),
)
FIRST_SECOND: dict[Style, tuple[int, int]] = {
    Style.PLAIN: (30, 95 * 60),
    Style.JOINED: (0, 8 * 60),
    Style.ADDED_BESIDE: (0, 8 * 60),
    Style.ADDED_BELOW: (0, 8 * 60),
    Style.ADDED_ANNOUNCED: (0, 4 * 60),
    Style.STANDING: (0, 4 * 60),
    Style.ANNOUNCED: (90 * 60, 95 * 60),
    Style.SECOND_HALF: (45 * 60, 89 * 60),
    Style.EXTRA_TIME: (90 * 60, 119 * 60),
}
AFTER_AN_END = (Style.JOINED, Style.ADDED_BESIDE, Style.ADDED_BELOW, Style.ADDED_ANNOUNCED)


@dataclass(frozen=True)
class ScorebugFilm:
    """One film. Its clock shows `minutes`; empty if it has no match clock."""

    bug: Scorebug | None
    seed: int
    seconds: float = 30.0
    crf: int = 28
    mirrored: bool = False

    @property
    def kind(self) -> str:
        if self.mirrored:
            return "mirrored"
        if self.bug is None:
            return "no scorebug"
        three_digits = self.bug.style is Style.PLAIN and self.bug.start >= 100 * 60
        return "105:30" if three_digits else self.bug.style.value

    @property
    def size(self) -> str:
        if self.bug is None:
            return "none"
        digits = self.bug.design.digits
        return "small" if digits <= SMALL else "middling" if digits <= MIDDLING else "large"

    @property
    def minutes(self) -> frozenset[int]:
        """What the clock shows in the film, as V3 counts: added time on top."""
        if self.bug is None or self.mirrored or self.bug.style in NO_CLOCKS:
            return frozenset()
        return frozenset(
            int(self.bug.match_seconds(second)) // 60 for second in range(int(self.seconds) + 1)
        )

    def pictures(self, fps: int = FPS) -> Iterator[Picture]:
        footage = Footage(self.seed, WIDTH, HEIGHT)
        for number in range(round(self.seconds * fps)):
            picture = footage.at(number / fps)
            if self.bug is not None:
                picture = self.bug.draw(picture, number / fps)
            yield np.ascontiguousarray(picture[:, ::-1]) if self.mirrored else picture

    def write(self, path: Path, fps: int = FPS) -> Path:
        return write_film(path, self.pictures(fps), fps, self.crf)


def varied_films(count: int, seed: int = 1, seconds: float = 30.0) -> list[ScorebugFilm]:
    """Films with a clock, all styles in turn, every look by chance."""
    rng = np.random.default_rng(seed)
    turns: list[Style | None] = [*CLOCKS, Style.PLAIN, None]
    return [_film(rng, turns[number % len(turns)], seconds) for number in range(count)]


def films_without_clock(count: int, seed: int = 2, seconds: float = 30.0) -> list[ScorebugFilm]:
    """Decoys in turn, mirrored scorebugs, and no scorebug at all."""
    rng = np.random.default_rng(seed)
    films: list[ScorebugFilm] = []
    turns = (*NO_CLOCKS, "mirrored", "mirrored", "bare")
    for number in range(count):
        turn = turns[number % len(turns)]
        if turn == "bare":
            films.append(ScorebugFilm(None, int(rng.integers(1 << 30)), seconds))
        elif turn == "mirrored":
            film = _film(rng, CLOCKS[number % len(CLOCKS)], seconds)
            films.append(ScorebugFilm(film.bug, film.seed, seconds, film.crf, mirrored=True))
        else:
            films.append(_film(rng, Style(turn), seconds))
    return films


def _film(rng: np.random.Generator, style: Style | None, seconds: float) -> ScorebugFilm:
    """None is a clock of three digits."""
    low, high = (100 * 60, 124 * 60) if style is None else FIRST_SECOND.get(style, (60, 89 * 60))
    start = int(rng.integers(low, high))
    style = style or Style.PLAIN
    if style in AFTER_AN_END or style is Style.STANDING:
        start += int(rng.choice([45, 45, 90, 90, 105])) * 60
    if style is Style.SECOND_HALF:
        start = min(start, 90 * 60 - int(seconds) - 1)
    if style is Style.EXTRA_TIME:
        start = min(start, 120 * 60 - int(seconds) - 1)
    rate = float(rng.choice([1.0, 1.0, 1.0, 1.0, 1.1]))
    hidden = None
    if rng.random() < 0.2:
        begin = float(rng.uniform(0, 0.6)) * seconds
        hidden = begin, begin + 0.4 * seconds
    bug = Scorebug(_design(rng), style, start, rate, hidden)
    return ScorebugFilm(bug, int(rng.integers(1 << 30)), seconds, int(rng.integers(24, 33)))


def _design(rng: np.random.Generator) -> Design:
    ink, paper = COLOURS[rng.integers(len(COLOURS))]
    left, top = PLACES[rng.integers(len(PLACES))]
    names = tuple(str(name) for name in rng.choice(NAMES, 2, replace=False))
    digits = float(rng.uniform(0.023, 0.046))
    light = bool(rng.integers(2))
    return Design(
        font=FONTS[rng.integers(len(FONTS))],
        digits=digits,
        stretch=float(rng.uniform(0.75, 1.1)),
        weight=int(rng.integers(1, 4)) if digits > SMALL else int(rng.integers(1, 3)),
        slant=float(rng.choice([0.0, 0.0, 0.0, 0.15])),
        ink=ink,
        paper=paper,
        opacity=float(rng.choice([1.0, 0.9, 0.8, 0.65])),
        names_ink=BLACK if light else WHITE,
        names_paper=(230, 230, 230) if light else (70, 40, 30),
        left=left,
        top=top,
        clock_first=bool(rng.integers(2)),
        names=(names[0], names[1]) if rng.random() < 0.85 else None,
        score=(int(rng.integers(5)), int(rng.integers(5))),
        score_mark=str(rng.choice(["-", " ", ":", " - "])),
    )
