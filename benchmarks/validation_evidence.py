"""Measures the evidence in each film, and caches it."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import log_progress
from benchmarks.validation_films import Film
from footy_assets.media.content_box import content_box
from footy_assets.media.decode import scan
from footy_assets.media.frame_assessment import FRAMES_AT, frame_evidence
from footy_assets.media.image_model import image_model
from footy_assets.media.motion import motion_evidence
from footy_assets.media.screen import screen_evidence

Floats = NDArray[np.float32]
# Frames that make_variants.py adds to a clip show no scene: they are not used.
END_CARD_SECONDS, LEAD_IN_SECONDS = 1.65, 1.25


@dataclass(frozen=True, slots=True)
class FilmEvidence:
    """One film, three frames: at 25, 50 and 75 %."""

    film: Film
    football_values: Floats
    off_screen_values: Floats
    inner: Floats
    whole: Floats
    flat: NDArray[np.bool_]
    usable: NDArray[np.bool_]


def film_evidence(films: Sequence[Film], folder: Path) -> list[FilmEvidence]:
    """The evidence of each film. `folder` is a cache: empty it when the measuring code changes."""
    folder.mkdir(parents=True, exist_ok=True)
    result = []
    for number, film in enumerate(films):
        name = f"{film.path.stem}-{zlib.crc32(str(film.path).encode()):08x}.npz"
        path = folder / name
        if not path.exists():
            log_progress(
                f"measuring {number + 1} of {len(films)}: {film.path.parent.name}/{film.path.name}"
            )
            part = path.with_suffix(".part.npz")
            np.savez(part, **_measure(film))
            part.replace(path)
        with np.load(path) as kept:
            result.append(FilmEvidence(film, **{key: kept[key] for key in kept.files}))
    return result


def _measure(film: Film) -> dict[str, Floats | NDArray[np.bool_]]:
    scanned = scan(film.path, stills_at=FRAMES_AT)
    box, model = content_box(scanned.samples), image_model()
    screen = screen_evidence(scanned.samples, scanned.stills)
    motion = motion_evidence(scanned.samples)
    frames = [frame_evidence(still, box, model) for still in scanned.stills]
    seconds = np.array([frame.seconds for frame in frames])
    flat = np.array([frame.flat for frame in frames])
    usable = ~flat
    if film.style == "outro":
        usable &= seconds < scanned.probe.duration - END_CARD_SECONDS
    if film.style == "black":
        usable &= seconds > LEAD_IN_SECONDS
    real = np.float32
    return {
        "football_values": np.array([f.football_values(motion) for f in frames], real),
        "off_screen_values": np.array([f.off_screen_values(screen) for f in frames], real),
        "inner": np.array([f.inner.embedding for f in frames], real),
        "whole": np.array([f.whole.embedding for f in frames], real),
        "flat": flat,
        "usable": usable,
    }
