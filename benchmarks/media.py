"""The cost of the media engine, as ratios within one run.

(a) fingerprinting a file, against decoding alone and against one ffmpeg process per frame;
(b) comparing a 30 s clip with another: `compare`, H1's matcher in Python loops and in numpy, and
vPDQ if it is installed. CPU time; contenders take turns, so that other work on the machine
affects all of them alike.
"""

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median

from benchmarks.figures import (
    Row,
    add_output_options,
    log_progress,
    machine,
    publish,
    table,
    verdict_list,
)
from benchmarks.media_contenders import (
    decode_only,
    ffmpeg_per_frame,
    h1_in_loops,
    h1_in_numpy,
    h1_on_objects,
    vpdq_in_loops,
    vpdq_in_numpy,
)
from benchmarks.media_samples import render_video, synthetic_clips
from footy_assets.media import compare, fingerprint

ROUNDS = 5
CLIPS = 20
# ImageHash objects are so slow that only a few pairs are compared.
OBJECT_PAIRS = 3
# A goal has about twenty clips, and a new one is compared with all of them.
MAX_MS_PER_PAIR = 10

DECODE, FINGERPRINT, PROCESS_PER_FRAME = "decoding alone", "fingerprint", "one ffmpeg per frame"
COMPARE = "`compare`: every offset, crop, speed and mirroring"

FILE_COLUMNS = {
    "what": "per file",
    "cpu_ms": "CPU ms",
    "to_decoding": "÷ decoding alone",
}
PAIR_COLUMNS = {
    "what": "per pair of 30 s clips",
    "cpu_ms": "CPU ms",
    "to_compare": "÷ `compare`",
}
Timings = dict[str, list[float]]


def main() -> int:
    arguments = parse_arguments()
    machine_note = machine()
    with tempfile.TemporaryDirectory() as folder:
        video = arguments.video or render_video(Path(folder) / "goal.mp4")
        files = file_costs(video, arguments.rounds)
    pairs, only_copies_match = pair_costs(arguments.clips, arguments.rounds)
    verdicts = evaluate(files, pairs, only_copies_match)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    result = {"machine": machine_note, "rounds": arguments.rounds, "peak_mb": peak}
    result |= {"files": files, "pairs": pairs, "verdicts": verdicts}
    tables = [
        f"{machine_note} Medians of {arguments.rounds} rounds of CPU time. Peak memory {peak} MB.",
        table(files, FILE_COLUMNS),
        table(pairs, PAIR_COLUMNS),
        verdict_list(verdicts),
    ]
    publish("media", result, tables, arguments)
    return 0 if all(verdicts.values()) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.media", description=__doc__)
    parser.add_argument("--video", type=Path, help="a file to read; without it one is rendered")
    parser.add_argument("--clips", type=int, default=CLIPS, help="clips to compare one with")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    add_output_options(parser)
    arguments = parser.parse_args()
    if not 1 <= arguments.rounds < arguments.clips:
        parser.error("--rounds is at least 1 and less than --clips: each round has its own query")
    return arguments


def file_costs(video: Path, rounds: int) -> list[Row]:
    log_progress(f"reading {video.name}")
    used = in_turns(
        {
            DECODE: lambda: decode_only(video),
            FINGERPRINT: lambda: fingerprint(video),
            PROCESS_PER_FRAME: lambda: ffmpeg_per_frame(video),
        },
        rounds,
    )
    decoding = median(used[DECODE])
    return [
        {"what": name, "cpu_ms": median(times), "to_decoding": median(times) / decoding}
        for name, times in used.items()
    ]


def pair_costs(count: int, rounds: int) -> tuple[list[Row], bool]:
    """Each round has a query of its own, so that no cache of the round before helps.

    Also returns whether `compare` matched each query's copy and no other clip.
    """
    log_progress(f"comparing one clip with {count}")
    clips = synthetic_clips(count, rounds)
    found: list[list[int]] = []

    def compare_with_all() -> None:
        query = clips.queries[len(found)]
        found.append([n for n, clip in enumerate(clips.clips) if compare(query, clip).match])

    # The work, and for how many pairs it is done.
    contenders: dict[str, tuple[Callable[[], object], int]] = {
        COMPARE: (compare_with_all, count),
        "H1 in numpy": (h1_in_numpy(clips), count),
        "H1 in loops on ints": (h1_in_loops(clips), count),
        "H1 in loops on ImageHash": (h1_on_objects(clips, OBJECT_PAIRS), OBJECT_PAIRS),
        "vPDQ's distances in numpy": (vpdq_in_numpy(count), count),
    }
    vpdq = vpdq_in_loops(count)
    if vpdq is not None:
        contenders["vPDQ"] = (vpdq, count)
    used = in_turns({name: work for name, (work, _) in contenders.items()}, rounds)
    cost = {name: median(used[name]) / pairs for name, (_, pairs) in contenders.items()}
    rows = [
        {"what": name, "cpu_ms": cpu_ms, "to_compare": cpu_ms / cost[COMPARE]}
        for name, cpu_ms in cost.items()
    ]
    return rows, found == [[copy] for copy in clips.copies]


def evaluate(files: list[Row], pairs: list[Row], only_copies_match: bool) -> dict[str, bool]:
    cpu = {row["what"]: row["cpu_ms"] for row in files + pairs}
    return {
        "a fingerprint costs at most 1.15 × decoding": cpu[FINGERPRINT] <= 1.15 * cpu[DECODE],
        "a fingerprint costs at least 8 × less CPU than one ffmpeg per frame": (
            cpu[PROCESS_PER_FRAME] >= 8 * cpu[FINGERPRINT]
        ),
        "`compare` finds the copy and nothing else": only_copies_match,
        f"`compare` takes under {MAX_MS_PER_PAIR} ms per pair": cpu[COMPARE] < MAX_MS_PER_PAIR,
    }


def in_turns(contenders: Mapping[str, Callable[[], object]], rounds: int) -> Timings:
    """CPU milliseconds of each contender in each round, its child processes included."""
    used: Timings = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, work in contenders.items():
            before, children = time.process_time(), child_seconds()
            work()
            spent = time.process_time() - before + child_seconds() - children
            used[name].append(spent * 1e3)
    return used


def child_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
