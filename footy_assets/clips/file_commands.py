"""Commands for clip files: hash, compare, dedup, validate."""

from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from footy_assets.cli.arguments import usable_path, usable_paths, usable_picture
from footy_assets.cli.invocation import invocation_settings
from footy_assets.cli.output import Json, print_json, print_rows, progress, stderr
from footy_assets.cli.output import stdout as console
from footy_assets.clips.compare_commands import compare_files
from footy_assets.clips.explain import EVIDENCE_WORDS
from footy_assets.clips.operator_commands import remove, repair
from footy_assets.errors import BadInput, NotFound, Stalled
from footy_assets.media import (
    Fingerprint,
    Quality,
    Scan,
    ValidationResult,
    VideoUnreadable,
    clusters,
    compare,
    fingerprint_of,
    rejections,
    validate_scan,
)
from footy_assets.media.cell import DecodingCell
from footy_assets.media.dense_hash import dense_string
from footy_assets.media.examine import STILLS_AT
from footy_assets.media.fingerprint import VERSION
from footy_assets.media.goal_facts import GoalFacts, parse_score
from footy_assets.media.goal_minute import GoalMinute
from footy_assets.media.plot import write_frames
from footy_assets.media.probe import all_errors_unreadable
from footy_assets.media.vision_model import VisionModel
from resources.language_model.vision_connection import open_vision
from resources.mongo.connection import open_mongo

VIDEO_SUFFIXES = frozenset({".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".ts", ".flv"})

Files = Annotated[
    list[Path],
    typer.Argument(metavar="FILE...", callback=usable_paths, help="Video files."),
]

app = typer.Typer(
    name="clip", help="Inspect clip files; remove or repair stored clips.", no_args_is_help=True
)
app.command("compare")(compare_files)
app.command("remove")(remove)
app.command("repair")(repair)


class HashFormat(StrEnum):
    """How `footy clip hash` prints a file."""

    ALL = "all"
    DENSE = "dense"


@app.command("hash")
def hash_files(
    files: Files,
    as_format: Annotated[
        HashFormat,
        typer.Option(
            "--format",
            help="With dense, print nothing but the hash string that `footy clip compare` and "
            "other systems read, one line for each file.",
        ),
    ] = HashFormat.ALL,
    as_json: Json = False,
) -> None:
    """Print the fingerprint and properties of each file."""

    def show(file: Path, scanned: Scan) -> dict[str, Any]:
        fingerprint = fingerprint_of(scanned)
        row = _hash_row(file, scanned, fingerprint)
        if as_format is HashFormat.DENSE:
            row = {"file": row["file"], "dense": row["dense"]}
            if not as_json:
                typer.echo(row["dense"])
        elif not as_json:
            _print_hash(row, len(fingerprint.to_bytes()))
        return row

    _for_each(files, (), show, as_json)


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
    with (
        DecodingCell() as cell,
        console_.status("reading") if interactive else progress("", True) as status,
    ):
        for number, path in enumerate(files, 1):
            if interactive and status is not None:
                status.update(Text(f"reading {number} of {len(files)}: {path.name}"))
            try:
                scanned = cell.scan(path)
            except (VideoUnreadable, Stalled) as error:
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
def validate_files(
    files: Files,
    minute: Annotated[
        str | None,
        typer.Option("--minute", metavar="M", help="The goal's minute, for example 23 or 45+2."),
    ] = None,
    home: Annotated[
        list[str] | None,
        typer.Option("--home", metavar="NAME", help="The home side; repeat for other names."),
    ] = None,
    away: Annotated[
        list[str] | None,
        typer.Option("--away", metavar="NAME", help="The away side; repeat for other names."),
    ] = None,
    score: Annotated[
        str | None,
        typer.Option("--score", metavar="S", help="The score after the goal, for example 2-1."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="PNG",
            callback=usable_picture,
            help="Draw the frames of one file with what was read in them.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Decide whether each file is football, filmed off a screen, and of the right match, score and
    minute."""
    if plot is not None and len(files) > 1:
        raise BadInput("--plot draws one file", "Give one file, or leave --plot out")
    wanted = GoalFacts(
        minute=GoalMinute.parse(minute) if minute else None,
        home=tuple(home or ()),
        away=tuple(away or ()),
        score_after=parse_score(score) if score else None,
    )
    with _vision_model() as (model, vision_only):

        def show(file: Path, scanned: Scan) -> dict[str, Any]:
            result = validate_scan(scanned, wanted, model, vision_only=vision_only)
            broken = [rejection.sentence() for rejection in rejections(scanned.probe)]
            if plot is not None:
                write_frames(plot, scanned, result)
            if not as_json:
                _print_validation(file, result, broken)
            return result.as_json() | {"rejections": broken}

        _for_each(files, STILLS_AT, show, as_json)


def _for_each(
    files: list[Path],
    stills_at: Sequence[float],
    show: Callable[[Path, Scan], dict[str, Any]],
    as_json: bool,
) -> None:
    """Read files one after the other. One that cannot be read is a sentence on stderr and the exit
    code; the others go on. JSON is one object for one file, and a list for several."""
    rows, refused = [], 0
    with DecodingCell() as cell:
        for file in files:
            try:
                with progress(f"reading {file.name}", as_json):
                    scanned = cell.scan(file, stills_at)
                    with all_errors_unreadable(file):
                        row = {"file": file.name} | show(file, scanned)
            except (VideoUnreadable, NotFound, Stalled) as error:
                if len(files) == 1:
                    raise
                typer.echo(f"footy: {error.sentence()}", err=True)
                row, refused = {"file": file.name, "unreadable": error.sentence()}, refused + 1
            rows.append(row)
    if as_json:
        print_json(rows if len(files) > 1 else rows[0])
    if refused:
        raise typer.Exit(VideoUnreadable.exit_code)


def _print_hash(row: Mapping[str, Any], fingerprint_bytes: int) -> None:
    console().print(
        f"{row['file']}: {row['width']}×{row['height']}, {row['duration']:.2f} s, "
        f"{row['fps']:g} fps, {row['codec']}, {row['bitrate'] // 1000} kbit/s"
    )
    for reason in row["rejections"]:
        console().print(f"rejected: {reason}")
    console().print(f"fingerprint version {VERSION}, {fingerprint_bytes} bytes")
    console().print(row["dense"], soft_wrap=True)


def _print_validation(file: Path, result: ValidationResult, broken: Sequence[str]) -> None:
    outcome = "accepted" if result.accepted else f"rejected: {', '.join(result.reasons)}"
    console().print(f"{file.name}: {outcome}")
    for reason in broken:
        console().print(f"not accepted as a clip: {reason}")
    if result.clock_minutes:
        minutes = ", ".join(map(str, result.clock_minutes))
        verdict = {True: ", verified", False: ", wrong minute", None: ""}[result.clock_matches]
        console().print(f"clock: minute {minutes}{verdict}")
    if text := result.scorebug.text():
        console().print(f"scorebug: {text}; teams {result.match.teams}")
    if result.verified:
        console().print(f"verified by: {EVIDENCE_WORDS[result.verified_by]}")
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
