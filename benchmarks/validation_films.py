"""The labelled films that validation is trained and measured on.

VARIANTS_DIR is the output of media-eval/make_variants.py; its segments.csv labels football. Into a
folder of our own we render panning photographs (any folder of pictures without football), drawn
scenes, and all of these filmed off a screen in other ways than the variant `phone`.
"""

import csv
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from benchmarks.figures import log_progress
from benchmarks.validation_scenes import (
    HAND_HELD,
    NOT_FOOTBALL,
    SCREEN_STYLES,
    Picture,
    ScreenStyle,
    drawn_pitch,
    frames_of,
    pan_photo,
    record_off_screen,
    write_film,
)

PHONE = "phone"
PHOTO_SUFFIXES = {".jpg", ".jpeg", ".png", ".webp"}
VIDEO_SUFFIXES = {".mp4", ".avi", ".webm"}
# Names of football pictures in sample collections.
FOOTBALL_NAMES = ("soccer", "football", "messi", "zidane", "futbol")
MIN_PHOTO_EDGE = 240
PHOTOS_PER_PACKAGE = 60
SEEDS_PER_SCENE = 10
PITCHES = 30
RECORDINGS_PER_CLIP = 2


@dataclass(frozen=True, slots=True)
class Film:
    """One film with its labels. Films of one `clip` are left out together."""

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
    """Our own films; renders those that are missing."""
    folder.mkdir(parents=True, exist_ok=True)
    films = []
    for render, film in _all_films(folder, pictures, real_films(variants, segments)):
        if not film.path.exists():
            log_progress(f"rendering {film.path.name}")
            seed = _seed(film.path.name)
            write_film(film.path, render(seed), crf=20 + seed % 14)
        films.append(film)
    return films


Renderer = Callable[[int], Iterator[Picture]]
FilmRecipe = tuple[Renderer, Film]


def _all_films(folder: Path, pictures: Path | None, real: list[Film]) -> Iterator[FilmRecipe]:
    sources: list[FilmRecipe] = []
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
    for n, (render, film) in enumerate(sources):
        if n % 3 == 0:
            yield _screen_recording(folder, film, render, film.path.stem, n)
        elif n % 12 == 1:
            yield _hand_held(folder, film, render, film.path.stem)
    for film in real:
        if film.style == "base":
            name, render = film.path.parent.name, partial(_render_frames, film.path)
            for n in range(RECORDINGS_PER_CLIP):
                yield _screen_recording(folder, film, render, name, n)
            yield _hand_held(folder, film, render, name)


def _screen_recording(folder: Path, film: Film, render: Renderer, name: str, n: int) -> FilmRecipe:
    """The film recorded off a screen; the style depends on the film's name and on `n`."""
    styles = list(SCREEN_STYLES)
    style = styles[(_seed(name) + n) % len(styles)]
    path = folder / f"filmed-{name}-{style}.mp4"
    recording = Film(path, film.clip, style, f"{film.origin}, filmed", film.football, True)
    return partial(_render_recording, render, _seed(name), SCREEN_STYLES[style]), recording


def _hand_held(folder: Path, film: Film, render: Renderer, name: str) -> FilmRecipe:
    """The film as if a hand-held camera had filmed the scene itself."""
    path = folder / f"hand-held-{name}.mp4"
    recording = Film(
        path, film.clip, "hand_held", f"{film.origin}, hand-held", film.football, False
    )
    return partial(_render_recording, render, _seed(name), HAND_HELD), recording


def _render_recording(
    render: Renderer, source_seed: int, style: ScreenStyle, seed: int
) -> Iterator[Picture]:
    return record_off_screen(render(source_seed), style, seed)


def _render_frames(path: Path, _: int) -> Iterator[Picture]:
    for picture in frames_of(path):
        height, width = picture.shape[0] // 2 * 2, picture.shape[1] // 2 * 2
        yield np.ascontiguousarray(picture[:height, :width])


def _photographs(folder: Path, pictures: Path) -> Iterator[FilmRecipe]:
    """Up to PHOTOS_PER_PACKAGE photographs and videos of each subfolder."""
    for package in sorted(path for path in pictures.iterdir() if path.is_dir()):
        found = [path for path in package.rglob("*") if _is_usable(path)]
        found.sort(key=lambda path: _seed(str(path.relative_to(pictures))))
        for path in found[:PHOTOS_PER_PACKAGE]:
            name = f"{_seed(str(path.relative_to(pictures))):08x}"
            film = Film(
                folder / f"photo-{name}.mp4", f"photo-{name}", "photo", "photo", False, False
            )
            if path.suffix.lower() in VIDEO_SUFFIXES:
                yield partial(_render_frames, path), film
            elif _photo(path) is not None:
                yield partial(_render_pan, path), film


def _render_pan(path: Path, seed: int) -> Iterator[Picture]:
    photo = _photo(path)
    assert photo is not None
    return pan_photo(photo, seed)


def _is_usable(path: Path) -> bool:
    if path.suffix.lower() not in PHOTO_SUFFIXES | VIDEO_SUFFIXES or path.stat().st_size < 20_000:
        return False
    return not any(name in str(path).lower() for name in FOOTBALL_NAMES)


def _photo(path: Path) -> Picture | None:
    """The photograph, or None if it is small or has few colours, as drawings do."""
    photo = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if photo is None or min(photo.shape[:2]) < MIN_PHOTO_EDGE:
        return None
    small = cv2.resize(photo, (64, 64), interpolation=cv2.INTER_AREA)
    colours = len(np.unique(small.reshape(-1, 3) // 16, axis=0))
    return np.asarray(photo, np.uint8) if colours > 60 else None


def _seed(name: str) -> int:
    return zlib.crc32(name.encode())
