"""Commands for clip files: hash, compare, dedup, validate."""

from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from footy_assets.cli.arguments import usable_path
from footy_assets.cli.invocation import invocation_settings
from footy_assets.cli.output import Json, print_json, print_rows, progress, stderr
from footy_assets.cli.output import stdout as console
from footy_assets.clips.operator_commands import remove
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
from footy_assets.media.dense_hash import dense_string
from footy_assets.media.examine import STILLS_AT
from footy_assets.media.fingerprint import VERSION
from footy_assets.media.goal_minute import GoalMinute
from footy_assets.media.plot import write_plot
from footy_assets.media.vision_model import VisionModel
from resources.language_model.vision_connection import open_vision
from resources.mongo.connection import open_mongo

VIDEO_SUFFIXES = frozenset({".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".ts", ".flv"})

app = typer.Typer(
    name="clip", help="Inspect clip files, or remove a stored clip.", no_args_is_help=True
)
app.command("remove")(remove)


@app.command("hash")
def hash_file(
    file: Annotated[Path, typer.Argument(callback=usable_path, help="A video file.")],
    as_json: Json = False,
) -> None:
    """Print a file's fingerprint and properties."""
    with progress(f"reading {file.name}", as_json):
        scanned = scan(file)
        fingerprint = fingerprint_of(scanned)
    row = _hash_row(file, scanned, fingerprint)
    if as_json:
        print_json(row)
        return
    probe = scanned.probe
    console().print(
        f"{file.name}: {probe.width}×{probe.height}, {probe.duration:.2f} s, {probe.fps:g} fps, "
        f"{probe.codec}, {probe.bitrate // 1000} kbit/s"
    )
    for reason in row["rejections"]:
        console().print(f"rejected: {reason}")
    console().print(f"fingerprint version {VERSION}, {len(fingerprint.to_bytes())} bytes")
    console().print(row["dense"], soft_wrap=True)


@app.command("compare")
def compare_files(
    a: Annotated[Path, typer.Argument(callback=usable_path, help="A video file.")],
    b: Annotated[Path, typer.Argument(callback=usable_path, help="Another video file.")],
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="PNG",
            callback=usable_path,
            help="Plot the agreement over time and the aligned frames.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Decide whether two files show the same footage, and at which offset."""
    if plot is not None and plot.suffix.lower() not in (".png", ".jpg"):
        raise BadInput(f"{plot.name} is not an image file", "Use a name that ends with .png")
    with progress("comparing", as_json):
        left, right = scan(a), scan(b)
        prints = fingerprint_of(left), fingerprint_of(right)
        found = compare(*prints)
        if plot is not None:
            write_plot(plot, (left, right), prints, found)
    if as_json:
        print_json(_match_row(found))
        return
    verdict_text = "the same footage" if found.match else "not the same footage"
    console().print(
        f"{verdict_text} (score {found.score:.2f}, {found.overlap_seconds:.1f} s in common)"
    )
    if found.match:
        mirrored = ", mirrored" if found.mirrored else ""
        console().print(
            f"{b.name} starts {found.offset_seconds:+.2f} s into {a.name}, "
            f"at {found.speed:.2f} times its speed{mirrored}"
        )
    if plot is not None:
        console().print(f"plot: {plot}")


@app.command()
def dedup(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", callback=usable_path, help="A folder with video files.")
    ],
    as_json: Json = False,
) -> None:
    """Group copies of the same clip in a folder, and pick the best of each group."""
    if not folder.is_dir():
        raise NotFound(f"{folder} is not a folder")
    files = sorted(p for p in folder.iterdir() if p.suffix.lower() in VIDEO_SUFFIXES)
    prints: dict[str, Fingerprint] = {}
    quality: dict[str, Quality] = {}
    unreadable: dict[str, str] = {}
    console_ = stderr()
    interactive = console_.is_terminal and not as_json
    with console_.status("reading") if interactive else progress("", True) as status:
        for number, path in enumerate(files, 1):
            if interactive and status is not None:
                status.update(Text(f"reading {number} of {len(files)}: {path.name}"))
            try:
                scanned = scan(path)
            except VideoUnreadable as error:
                unreadable[path.name] = error.sentence()
                continue
            prints[path.name] = fingerprint_of(scanned)
            quality[path.name] = Quality.of(scanned.probe)
        if interactive and status is not None:
            status.update(f"comparing {len(prints)} clips")
        same = [(a, b) for a, b in combinations(prints, 2) if compare(prints[a], prints[b]).match]
    groups = clusters(list(prints), same, quality)
    for name, reason in unreadable.items():
        typer.echo(f"footy: {name} skipped: {reason}", err=True)
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
    columns = {"winner": "keep", "seconds": "seconds", "copies": "copies"}
    print_rows(rows, columns, f"No video files in {folder}.")


@app.command("validate")
def validate_file(
    file: Annotated[Path, typer.Argument(callback=usable_path, help="A video file.")],
    minute: Annotated[
        str | None,
        typer.Option("--minute", metavar="M", help="The goal's minute, for example 23 or 45+2."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Decide whether a file is football, filmed off a screen, and of the right minute."""
    wanted = GoalMinute.parse(minute) if minute else None
    with progress(f"validating {file.name}", as_json), _vision_model() as (model, vision_only):
        scanned = scan(file, STILLS_AT)
        result = validate_scan(scanned, wanted, model, vision_only=vision_only)
        row = result.as_json() | {
            "rejections": [rejection.sentence() for rejection in rejections(scanned.probe)]
        }
    if as_json:
        print_json(row)
        return
    outcome = "accepted" if result.accepted else f"rejected: {', '.join(result.reasons)}"
    console().print(f"{file.name}: {outcome}")
    for reason in row["rejections"]:
        console().print(f"not accepted as a clip: {reason}")
    if result.clock_minutes:
        minutes = ", ".join(map(str, result.clock_minutes))
        verdict = {True: ", verified", False: ", wrong minute", None: ""}[result.clock_matches]
        console().print(f"clock: minute {minutes}{verdict}")
    for note in result.notes:
        console().print(note)
    for frame in result.frames:
        findings = {k: v for k, v in frame.items() if k not in ("seconds", "judge")}
        text = "; ".join(f"{name} {_format(value)}" for name, value in findings.items() if value)
        console().print(f"  {frame['seconds']:6.2f} s  {frame['judge']}: {text}", soft_wrap=True)


@contextmanager
def _vision_model() -> Iterator[tuple[VisionModel | None, bool]]:
    """Open the configured vision model; only then is the database needed.

    The second value says whether the model replaces our own assessment.
    """
    settings = invocation_settings()
    if settings.vision_url is None:
        yield None, False
        return
    clock = settings.make_clock()
    with open_mongo(settings) as database, open_vision(settings, database, clock) as model:
        yield model, settings.vision_mode == "instead"


def _format(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {part:.2f}" for name, part in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _hash_row(file: Path, scanned: Scan, fingerprint: Fingerprint) -> dict[str, Any]:
    probe = scanned.probe
    return {
        "file": file.name,
        "version": VERSION,
        "fingerprint": b64encode(fingerprint.to_bytes()).decode(),
        "dense": dense_string(scanned.samples),
        "duration": probe.duration,
        "width": probe.width,
        "height": probe.height,
        "fps": probe.fps,
        "codec": probe.codec,
        "bitrate": probe.bitrate,
        "size": probe.size,
        "has_audio": probe.has_audio,
        "rejections": [rejection.sentence() for rejection in rejections(probe)],
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
