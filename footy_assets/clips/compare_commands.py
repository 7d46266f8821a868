"""`footy clip compare`: two videos by our matcher and the original's, or hashes by the latter."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from footy_assets.cli.arguments import usable_path, usable_picture
from footy_assets.cli.output import Json, print_json, progress
from footy_assets.cli.output import stdout as console
from footy_assets.errors import BadInput
from footy_assets.media import Match, Scan, compare, fingerprint_of
from footy_assets.media.cell import DecodingCell
from footy_assets.media.dense_hash import (
    SCHEME,
    DenseHash,
    DenseMatch,
    dense_string,
    match_dense,
    parse_dense,
)
from footy_assets.media.plot import write_plot

# A longer file is no hash: a clip of an hour has a tenth of this.
MAX_HASH_BYTES = 4 * 1024**2


@dataclass(frozen=True, slots=True)
class ComparedClip:
    """One of the two. `scanned` is None if it was given as a hash."""

    name: str
    dense: DenseHash
    scanned: Scan | None = None


def compare_files(
    a: Annotated[str, typer.Argument(help="A video file, a hash, or a file that holds a hash.")],
    b: Annotated[str, typer.Argument(help="Another one.")],
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="PNG",
            callback=usable_picture,
            help="Plot the agreement over time and the aligned frames.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Decide whether two files show the same footage, and at which offset.

    A hash is what `footy clip hash --format dense` prints, or the original system stored. Two
    videos are compared by both matchers, and ours decides.
    """
    with progress("comparing", as_json), DecodingCell() as cell:
        left, right = _read(cell, a, "the first"), _read(cell, b, "the second")
        original = match_dense(left.dense, right.dense)
        if left.scanned is None or right.scanned is None:
            if plot is not None:
                raise BadInput("a hash has no pictures to plot", "Give two video files to --plot")
            _print_hashes(left, right, original, as_json)
            return
        prints = fingerprint_of(left.scanned), fingerprint_of(right.scanned)
        found = compare(*prints)
        if plot is not None:
            write_plot(plot, (left.scanned, right.scanned), prints, found)
    if as_json:
        print_json(_match_row(found) | {"original": asdict(original)})
        return
    console().print(
        f"{_verdict(found.match)} (score {found.score:.2f}, {found.overlap_seconds:.1f} s in "
        "common)"
    )
    if found.match:
        mirrored = ", mirrored" if found.mirrored else ""
        console().print(
            f"{right.name} starts {found.offset_seconds:+.2f} s into {left.name}, "
            f"at {found.speed:.2f} times its speed{mirrored}"
        )
    console().print(f"the original matcher: {_describe(original)}")
    if plot is not None:
        console().print(f"plot: {plot}")


def _read(cell: DecodingCell, given: str, name: str) -> ComparedClip:
    if given.startswith(SCHEME):
        return ComparedClip(name, parse_dense(given))
    path = Path(given)
    usable_path(path)
    if text := _hash_in(path):
        return ComparedClip(path.name, parse_dense(text))
    scanned = cell.scan(path)
    return ComparedClip(path.name, parse_dense(dense_string(scanned.samples)), scanned)


def _hash_in(path: Path) -> str | None:
    """The text of a file that holds a hash; None for any other, which may be a video."""
    try:
        with path.open("rb") as file:
            if file.read(len(SCHEME)) != SCHEME.encode():
                return None
            rest = file.read(MAX_HASH_BYTES)
    except OSError:
        return None
    return SCHEME + rest.decode("ascii", errors="replace")


def _print_hashes(
    left: ComparedClip, right: ComparedClip, found: DenseMatch, as_json: bool
) -> None:
    if as_json:
        print_json(asdict(found))
        return
    console().print(_describe(found))
    if found.match:
        console().print(f"{right.name} starts {found.offset_seconds:+.2f} s into {left.name}")


def _describe(found: DenseMatch) -> str:
    return f"{_verdict(found.match)} ({found.frames} frames in a row)"


def _verdict(match: bool) -> str:
    return "the same footage" if match else "not the same footage"


def _match_row(found: Match) -> dict[str, Any]:
    return {
        "match": found.match,
        "score": found.score,
        "offset_seconds": found.offset_seconds,
        "overlap_seconds": found.overlap_seconds,
        "mirrored": found.mirrored,
        "speed": found.speed,
    }
