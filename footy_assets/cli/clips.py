"""Commands about single clip files: hash, compare, dedup, validate."""

from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import typer

from footy_assets.cli.by_hand import remove
from footy_assets.cli.output import Json, print_json, print_rows, progress, stderr
from footy_assets.cli.output import stdout as console
from footy_assets.errors import BadInput, NotFound
from footy_assets.media import (
    Fingerprint,
    Match,
    Quality,
    Scan,
    VideoUnreadable,
    clusters,
    compare,
    fingerprint_of,
    rejections,
    scan,
    validate_scan,
)
from footy_assets.media.baseline import dense_string
from footy_assets.media.examine import STILLS_AT
from footy_assets.media.fingerprint import VERSION
from footy_assets.media.goal_minute import GoalMinute
from footy_assets.media.opinion import SecondOpinion
from footy_assets.media.plot import write_plot
from footy_assets.settings import load_settings
from resources.mongo_connection import open_mongo
from resources.vision.connection import open_vision

VIDEO_SUFFIXES = frozenset({".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".ts", ".flv"})

app = typer.Typer(
    name="clip", help="Look at single clip files, or remove a stored clip.", no_args_is_help=True
)
app.command("remove")(remove)


@app.command("hash")
def hash_file(
    file: Annotated[Path, typer.Argument(help="A video file.")], as_json: Json = False
) -> None:
    """Print a clip's fingerprint, and what the file is."""
    with progress(f"reading {file.name}", as_json):
        scanned = scan(file)
        made = fingerprint_of(scanned)
    row = _hash_row(file, scanned, made)
    if as_json:
        print_json(row)
        return
    seen = scanned.probe
    console().print(
        f"{file.name}: {seen.width}×{seen.height}, {seen.duration:.2f} s at {seen.fps:g} frames "
        f"a second, {seen.codec}, {seen.bitrate // 1000} kbit/s"
    )
    for reason in row["rejections"]:
        console().print(f"not taken: {reason}")
    console().print(f"fingerprint version {VERSION}, {len(made.to_bytes())} bytes")
    console().print(row["dense"], soft_wrap=True)


@app.command("compare")
def compare_files(
    a: Annotated[Path, typer.Argument(help="A video file.")],
    b: Annotated[Path, typer.Argument(help="Another one.")],
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="PNG", help="Draw the agreement and the aligned frames."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Tell whether two files show the same footage, and how they lie against each other."""
    if plot is not None and plot.suffix.lower() not in (".png", ".jpg"):
        raise BadInput(f"{plot.name} is not a picture's name", "Name it .png")
    with progress("comparing", as_json):
        left, right = scan(a), scan(b)
        prints = fingerprint_of(left), fingerprint_of(right)
        found = compare(*prints)
        if plot is not None:
            write_plot(plot, (left, right), prints, found)
    if as_json:
        print_json(_match_row(found))
        return
    told = "the same footage" if found.match else "not the same footage"
    console().print(f"{told} (score {found.score:.2f}, {found.overlap_seconds:.1f} s in common)")
    if found.match:
        mirrored = ", mirrored" if found.mirrored else ""
        console().print(
            f"{b.name} starts {found.offset_seconds:+.2f} s into {a.name}, "
            f"at {found.speed:.2f} times its speed{mirrored}"
        )
    if plot is not None:
        console().print(f"drawn: {plot}")


@app.command()
def dedup(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder with video files.")],
    as_json: Json = False,
) -> None:
    """Group the copies of the same clip in a folder, and name the best of each group."""
    if not folder.is_dir():
        raise NotFound(f"{folder} is not a folder")
    files = sorted(p for p in folder.iterdir() if p.suffix.lower() in VIDEO_SUFFIXES)
    prints: dict[str, Fingerprint] = {}
    quality: dict[str, Quality] = {}
    unreadable: dict[str, str] = {}
    console_ = stderr()
    shows = console_.is_terminal and not as_json
    with console_.status("reading") if shows else progress("", True) as status:
        for number, path in enumerate(files, 1):
            if shows and status is not None:
                status.update(f"reading {number} of {len(files)}: {path.name}")
            try:
                scanned = scan(path)
            except VideoUnreadable as error:
                unreadable[path.name] = error.sentence()
                continue
            prints[path.name] = fingerprint_of(scanned)
            quality[path.name] = Quality.of(scanned.probe)
        if shows and status is not None:
            status.update(f"comparing {len(prints)} clips")
        same = [(a, b) for a, b in combinations(prints, 2) if compare(prints[a], prints[b]).match]
    groups = clusters(list(prints), same, quality)
    for name, reason in unreadable.items():
        typer.echo(f"footy: {name} left out: {reason}", err=True)
    if as_json:
        print_json(
            {
                "clusters": [list(group.members) for group in groups],
                "winners": [group.winner for group in groups],
                "unreadable": unreadable,
            }
        )
        return
    rows = [
        {
            "winner": group.winner,
            "copies": ", ".join(name for name in group.members if name != group.winner) or "none",
            "seconds": f"{quality[group.winner].duration:.1f}",
        }
        for group in groups
    ]
    columns = {"winner": "keep", "seconds": "seconds", "copies": "copies of it"}
    print_rows(rows, columns, f"No video files in {folder}.")


@app.command("validate")
def validate_file(
    file: Annotated[Path, typer.Argument(help="A video file.")],
    minute: Annotated[
        str | None,
        typer.Option("--minute", metavar="M", help="The goal's minute, as 23 or 45+2."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Tell whether a file shows football, filmed how, and whether its clock fits the goal."""
    wanted = GoalMinute.parse(minute) if minute else None
    with progress(f"looking at {file.name}", as_json), _second_opinion() as (eyes, instead):
        scanned = scan(file, STILLS_AT)
        verdict = validate_scan(scanned, wanted, eyes, instead=instead)
        row = verdict.as_json() | {
            "rejections": [broken.sentence() for broken in rejections(scanned.probe)]
        }
    if as_json:
        print_json(row)
        return
    told = "accepted" if verdict.accepted else f"refused: {', '.join(verdict.reasons)}"
    console().print(f"{file.name}: {told}")
    for reason in row["rejections"]:
        console().print(f"not taken as a clip: {reason}")
    if verdict.clock_minutes:
        shown = ", ".join(map(str, verdict.clock_minutes))
        fits = {True: ", verified", False: ", not this goal's", None: ""}[verdict.verified]
        console().print(f"clock: minute {shown}{fits}")
    for note in verdict.notes:
        console().print(note)
    for frame in verdict.frames:
        seen = {name: value for name, value in frame.items() if name not in ("seconds", "judge")}
        said = "; ".join(f"{name} {_shown(value)}" for name, value in seen.items() if value)
        console().print(f"  {frame['seconds']:6.2f} s  {frame['judge']}: {said}", soft_wrap=True)


@contextmanager
def _second_opinion() -> Iterator[tuple[SecondOpinion | None, bool]]:
    """The configured vision model; its queue and budget need the database, so only then."""
    settings = load_settings()
    if settings.vision_url is None:
        yield None, False
        return
    with open_mongo(settings) as database, open_vision(settings, database) as eyes:
        yield eyes, settings.vision_mode == "instead"


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {part:.2f}" for name, part in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _hash_row(file: Path, scanned: Scan, made: Fingerprint) -> dict[str, Any]:
    seen = scanned.probe
    return {
        "file": file.name,
        "version": VERSION,
        "fingerprint": b64encode(made.to_bytes()).decode(),
        "dense": dense_string(scanned.samples),
        "duration": seen.duration,
        "width": seen.width,
        "height": seen.height,
        "fps": seen.fps,
        "codec": seen.codec,
        "bitrate": seen.bitrate,
        "size": seen.size,
        "has_audio": seen.has_audio,
        "rejections": [rejection.sentence() for rejection in rejections(seen)],
    }


def _match_row(found: Match) -> dict[str, Any]:
    return {
        "match": found.match,
        "score": found.score,
        "offset_seconds": found.offset_seconds,
        "overlap_seconds": found.overlap_seconds,
        "mirrored": found.mirrored,
        "speed": found.speed,
    }
