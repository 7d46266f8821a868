"""The films that validation is trained and measured on, with what is true of each.

VARIANTS_DIR is what media-eval/make_variants.py makes of real clips; its segments.csv says which
are football. Beside them, into a folder of our own: photographs that pan (any folder of pictures
without football), drawn scenes, and all of these filmed off a screen in other ways than `phone`.
"""

import csv
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from benchmarks.figures import say
from benchmarks.validation_scenes import (
    HAND_HELD,
    NOT_FOOTBALL,
    SCREEN_STYLES,
    Picture,
    ScreenStyle,
    drawn_pitch,
    filmed,
    frames_of,
    panned,
    write_film,
)

PHONE = "phone"
PHOTO_ENDINGS = {".jpg", ".jpeg", ".png", ".webp"}
VIDEO_ENDINGS = {".mp4", ".avi", ".webm"}
# Names under which sample collections keep football.
FOOTBALL_NAMES = ("soccer", "football", "messi", "zidane", "futbol")
SMALLEST_PHOTO = 240
PHOTOS_PER_PACKAGE = 60
SEEDS_PER_SCENE = 10
PITCHES = 30
RECORDINGS_PER_CLIP = 2


@dataclass(frozen=True, slots=True)
class Film:
    """`clip` is what is left out together; `style` tells variants and renderings apart."""

    path: Path
    clip: str
    style: str
    origin: str
    football: bool
    off_screen: bool


def real_films(variants: Path, segments: Path) -> list[Film]:
    kinds = {row["name"]: row["kind"] for row in csv.DictReader(segments.open())}
    films = []
    for path in sorted(variants.glob("*/*.mp4")):
        clip = path.parent.name.rsplit(".", 1)[0]
        football = kinds[clip] != "nf"
        films.append(Film(path, clip, path.stem, "real", football, path.stem == PHONE))
    return films


def rendered_films(
    folder: Path, pictures: Path | None, variants: Path, segments: Path
) -> list[Film]:
    """All films of our own, rendered where they are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    films = []
    for make, film in _wanted(folder, pictures, real_films(variants, segments)):
        if not film.path.exists():
            say(f"rendering {film.path.name}")
            seed = _seed(film.path.name)
            write_film(film.path, make(seed), crf=20 + seed % 14)
        films.append(film)
    return films


Make = Callable[[int], Iterator[Picture]]
Making = tuple[Make, Film]


def _wanted(folder: Path, pictures: Path | None, real: list[Film]) -> Iterator[Making]:
    sources: list[Making] = []
    for scene, draw in NOT_FOOTBALL.items():
        for n in range(SEEDS_PER_SCENE):
            path = folder / f"drawn-{scene}-{n}.mp4"
            sources.append((draw, Film(path, f"drawn-{scene}", scene, "drawn", False, False)))
    for n in range(PITCHES):
        path = folder / f"drawn-pitch-{n}.mp4"
        sources.append((drawn_pitch, Film(path, f"drawn-pitch-{n}", "pitch", "drawn", True, False)))
    if pictures is not None:
        sources += list(_photographs(folder, pictures))
    yield from sources
    for n, (make, film) in enumerate(sources):
        if n % 3 == 0:
            yield _recording(folder, film, make, film.path.stem, n)
        elif n % 12 == 1:
            yield _hand_held(folder, film, make, film.path.stem)
    for film in real:
        if film.style == "base":
            name, make = film.path.parent.name, partial(_frames_of, film.path)
            for n in range(RECORDINGS_PER_CLIP):
                yield _recording(folder, film, make, name, n)
            yield _hand_held(folder, film, make, name)


def _recording(folder: Path, film: Film, make: Make, name: str, n: int) -> Making:
    """The film again, off a screen: styles take turns, from another one for each film."""
    styles = list(SCREEN_STYLES)
    style = styles[(_seed(name) + n) % len(styles)]
    path = folder / f"filmed-{name}-{style}.mp4"
    again = Film(path, film.clip, style, f"{film.origin}, filmed", film.football, True)
    return partial(_filmed, make, _seed(name), SCREEN_STYLES[style]), again


def _hand_held(folder: Path, film: Film, make: Make, name: str) -> Making:
    """The film again as if the scene itself had been taken by a shaking hand."""
    path = folder / f"hand-held-{name}.mp4"
    again = Film(path, film.clip, "hand_held", f"{film.origin}, hand-held", film.football, False)
    return partial(_filmed, make, _seed(name), HAND_HELD), again


def _filmed(make: Make, made_from: int, style: ScreenStyle, seed: int) -> Iterator[Picture]:
    return filmed(make(made_from), style, seed)


def _frames_of(path: Path, _: int) -> Iterator[Picture]:
    for picture in frames_of(path):
        height, width = picture.shape[0] // 2 * 2, picture.shape[1] // 2 * 2
        yield np.ascontiguousarray(picture[:height, :width])


def _photographs(folder: Path, pictures: Path) -> Iterator[Making]:
    """At most so many from each folder below, and videos as they are."""
    for package in sorted(path for path in pictures.iterdir() if path.is_dir()):
        found = [path for path in package.rglob("*") if _usable(path)]
        found.sort(key=lambda path: _seed(str(path.relative_to(pictures))))
        for path in found[:PHOTOS_PER_PACKAGE]:
            name = f"{_seed(str(path.relative_to(pictures))):08x}"
            film = Film(
                folder / f"photo-{name}.mp4", f"photo-{name}", "photo", "photo", False, False
            )
            if path.suffix.lower() in VIDEO_ENDINGS:
                yield partial(_frames_of, path), film
            elif _photo(path) is not None:
                yield partial(_panned, path), film


def _panned(path: Path, seed: int) -> Iterator[Picture]:
    photo = _photo(path)
    assert photo is not None
    return panned(photo, seed)


def _usable(path: Path) -> bool:
    if path.suffix.lower() not in PHOTO_ENDINGS | VIDEO_ENDINGS or path.stat().st_size < 20_000:
        return False
    return not any(name in str(path).lower() for name in FOOTBALL_NAMES)


def _photo(path: Path) -> Picture | None:
    """A coloured photograph of some size; drawings with few colours are left out."""
    photo = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if photo is None or min(photo.shape[:2]) < SMALLEST_PHOTO:
        return None
    small = cv2.resize(photo, (64, 64), interpolation=cv2.INTER_AREA)
    colours = len(np.unique(small.reshape(-1, 3) // 16, axis=0))
    return np.asarray(photo, np.uint8) if colours > 60 else None


def _seed(name: str) -> int:
    return zlib.crc32(name.encode())
