"""Renders video files on first use and caches them by their recipe."""

import fcntl
import hashlib
import os
import struct
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from footy_assets.sim.footage import copies, encode, film, other_scenes
from footy_assets.sim.footage.film import GoalFilm
from footy_assets.sim.footage.video import Damage, FanVideo, Recipe

# Part of every file's name: raise it when the same recipe gives other pictures.
RENDERING = 1


class NoFile(LookupError):
    """The video is geo-blocked, removed or private: it has no file."""


class Library:
    """A folder of rendered files, shared by any number of processes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, video: FanVideo) -> Path:
        """The video's file, rendered if it is not there yet."""
        if video.recipe is None:
            raise NoFile(f"{video.video_id} is {video.kind}")
        return self.made(video.recipe)

    def film(self, shown: GoalFilm) -> Path:
        """A goal as it was broadcast."""
        return self._cached(shown, lambda path: encode.write(path, film.pictures(shown)))

    def made(self, recipe: Recipe) -> Path:
        if recipe.damage is not None:
            return self._cached(recipe, lambda path: path.write_bytes(_damaged(self, recipe)))
        if recipe.elsewhere is not None:
            scene = recipe.elsewhere
            shown = other_scenes.pictures(scene.place, scene.seed, scene.seconds)
            return self._cached(
                recipe, lambda path: encode.write(path, shown, other_scenes.FPS, 27)
            )
        if recipe.film is None:
            raise ValueError("a recipe without a film or a place")
        source, copy = self.film(recipe.film), recipe.copy
        if copy is None:
            return source
        return self._cached(recipe, lambda path: copies.write(path, source, copy))

    def _cached(self, recipe_or_film: object, make: Callable[[Path], object]) -> Path:
        key = hashlib.sha256(f"{RENDERING} {recipe_or_film!r}".encode()).hexdigest()[:24]
        path = self._folder / key[:2] / f"{key}.mp4"
        if path.exists():
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
        with _exclusive(path.with_suffix(".lock")):
            if not path.exists():
                _write_atomically(path, make)
        return path


@contextmanager
def _exclusive(lock: Path) -> Iterator[None]:
    """One process renders the file; others wait for it."""
    with lock.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _write_atomically(path: Path, make: Callable[[Path], object]) -> None:
    """Write to a temporary file and rename it, so that nobody reads half a file."""
    handle, part = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".part")
    os.close(handle)
    try:
        make(Path(part))
        Path(part).replace(path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def _damaged(library: Library, recipe: Recipe) -> bytes:
    whole = library.made(Recipe(recipe.film, recipe.copy, recipe.elsewhere)).read_bytes()
    if recipe.damage is Damage.GARBAGE:
        return Random(len(whole)).randbytes(60_000)
    return _without_index(whole)


def _without_index(whole: bytes) -> bytes:
    """As a broken download leaves it: cut off before the index, which many files have last."""
    boxes, at = b"", 0
    while at + 8 <= len(whole):
        length, name = struct.unpack_from(">I4s", whole, at)
        if length < 8:
            break
        boxes += b"" if name == b"moov" else whole[at : at + length]
        at += length
    return boxes[: len(boxes) * 2 // 3]
