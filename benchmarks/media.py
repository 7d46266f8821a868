"""What the media engine costs, as ratios within one run.

(a) fingerprinting a file against merely decoding it, and against one ffmpeg process per frame;
(b) one 30 s clip against 10 … 10,000 stored ones: our library, H1's matcher in plain Python loops
and in numpy, and vPDQ where it is installed. CPU time, contenders in turns: other work on the
machine falls on all alike.
"""

import argparse
import math
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median

from benchmarks.figures import Row, add_output_options, machine, publish, say, table, verdict_list
from benchmarks.media_contenders import (
    decode_only,
    ffmpeg_per_frame,
    h1_in_loops,
    h1_in_numpy,
    h1_on_objects,
    vpdq_in_loops,
    vpdq_in_numpy,
)
from benchmarks.media_stored import rendered, stored_clips
from footy_assets.media import compare, fingerprint
from footy_assets.media.library import Library

SIZES = (10, 100, 1_000, 10_000)
ROUNDS = 5
# Python's loops are too slow for ten thousand clips: so many pairs, and the mean.
LOOP_PAIRS = 20
OBJECT_PAIRS = 3
FULL_PAIRS = 10
# Growth is called linear up to this exponent; measuring it is not more exact than that.
LINEAR = 1.1
INTERACTIVE_MS = 100

DECODING, PRINTING, EACH = "merely decoding", "fingerprint", "one ffmpeg per frame"
OURS, FULL, LOOPS, OBJECTS = "ours", "full", "loops", "objects"
NUMPY, VPDQ, VPDQ_NUMPY = "numpy", "vpdq", "vpdq_numpy"

READING_COLUMNS = {
    "what": "of one file",
    "cpu_ms": "CPU ms",
    "to_decoding": "÷ merely decoding",
}
SEARCH_COLUMNS = {
    "stored": "stored clips",
    OURS: "library, CPU ms",
    "us_a_pair": "µs a pair",
    FULL: "`compare` with each, ms",
    NUMPY: "H1 in numpy, ms",
    LOOPS: "H1 in loops on ints, ms",
    OBJECTS: "H1 in loops on ImageHash, ms",
    VPDQ: "vPDQ, ms",
    VPDQ_NUMPY: "vPDQ's distances in numpy, ms",
}
RATIO_COLUMNS = {
    "stored": "stored clips",
    "times_loops": "× loops on ints",
    "times_objects": "× loops on ImageHash",
    "times_numpy": "× H1 in numpy",
    "times_vpdq": "× vPDQ",
    "times_vpdq_numpy": "× vPDQ's distances in numpy",
    "wall_ms": "library, wall ms",
    "memory_mb": "library, MB",
    "built_s": "built in, CPU s",
}
Timings = dict[str, list[float]]


def main() -> int:
    asked = parse_arguments()
    where = machine()
    with tempfile.TemporaryDirectory() as folder:
        video = asked.video or rendered(Path(folder) / "goal.mp4")
        reading = reading_costs(video, asked.rounds)
    searches = [search_costs(count, asked.rounds) for count in sorted(asked.stored)]
    verdicts = judged(reading, searches)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    result = {"machine": where, "rounds": asked.rounds, "peak_mb": peak}
    result |= {"reading": reading, "search": searches, "verdicts": verdicts}
    tables = [
        f"{where} Medians of {asked.rounds} rounds of CPU time. Peak memory {peak} MB.",
        table(reading, READING_COLUMNS),
        table(searches, SEARCH_COLUMNS),
        table(searches, RATIO_COLUMNS),
        verdict_list(verdicts),
    ]
    publish("media", result, tables, asked)
    return 0 if all(verdicts.values()) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.media", description=__doc__)
    parser.add_argument("--video", type=Path, help="a file to read; without it one is rendered")
    parser.add_argument("--stored", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    add_output_options(parser)
    asked = parser.parse_args()
    if not 1 <= asked.rounds < min(asked.stored):
        parser.error("--rounds is at least 1 and less than the fewest stored: each has its query")
    return asked


def reading_costs(video: Path, rounds: int) -> list[Row]:
    say(f"reading {video.name}")
    used = in_turns(
        {
            DECODING: lambda: decode_only(video),
            PRINTING: lambda: fingerprint(video),
            EACH: lambda: ffmpeg_per_frame(video),
        },
        rounds,
    )
    decoding = median(used[DECODING])
    return [
        {"what": name, "cpu_ms": median(times), "to_decoding": median(times) / decoding}
        for name, times in used.items()
    ]


def search_costs(count: int, rounds: int) -> Row:
    """Every round has a query of its own, so that nothing is remembered from the last."""
    say(f"one clip against {count:,}")
    stored = stored_clips(count, rounds + 1)
    began = time.process_time()
    library = Library(enumerate(stored.prints))
    built = time.process_time() - began
    library.search(stored.queries[-1])
    queries, asked_in_full = iter(stored.queries), iter(stored.queries)
    found: list[bool] = []
    walls: list[float] = []

    def search() -> None:
        started = time.perf_counter()
        hits = library.search(next(queries))
        walls.append((time.perf_counter() - started) * 1e3)
        found.append([hit.key for hit in hits] == [stored.same[len(found)]])

    def in_full() -> None:
        query = next(asked_in_full)
        for other in stored.prints[:FULL_PAIRS]:
            compare(query, other)

    # The work, and how many of the stored clips it is done for.
    contenders: dict[str, tuple[Callable[[], object], int]] = {
        OURS: (search, count),
        FULL: (in_full, min(count, FULL_PAIRS)),
        NUMPY: (h1_in_numpy(stored), count),
        LOOPS: (h1_in_loops(stored, LOOP_PAIRS), min(count, LOOP_PAIRS)),
        OBJECTS: (h1_on_objects(stored, OBJECT_PAIRS), OBJECT_PAIRS),
        VPDQ_NUMPY: (vpdq_in_numpy(count), count),
    }
    in_package = vpdq_in_loops(LOOP_PAIRS)
    if in_package is not None:
        contenders[VPDQ] = (in_package, LOOP_PAIRS)
    used = in_turns({name: work for name, (work, _) in contenders.items()}, rounds)
    cost: Row = {
        name: median(used[name]) * count / done_for for name, (_, done_for) in contenders.items()
    }
    row: Row = {VPDQ: "not installed", "times_vpdq": "not installed"} | cost
    row |= {f"times_{name}": cost[name] / cost[OURS] for name in cost if name not in (OURS, FULL)}
    return row | {
        "stored": count,
        "us_a_pair": cost[OURS] * 1e3 / count,
        "wall_ms": median(walls),
        "memory_mb": library.nbytes / 1e6,
        "built_s": built,
        "found": all(found),
    }


def judged(reading: list[Row], searches: list[Row]) -> dict[str, bool]:
    cpu = {row["what"]: row["cpu_ms"] for row in reading}
    few, many = searches[0], searches[-1]
    growth = math.log(many[OURS] / few[OURS])
    growth /= math.log(many["stored"] / few["stored"]) if many is not few else 1
    at = f"{many['stored']:,} stored"
    verdicts = {
        "a fingerprint costs at most 1.15 × merely decoding": cpu[PRINTING] <= 1.15 * cpu[DECODING],
        "and at least 8 × less CPU than one ffmpeg per frame": cpu[EACH] >= 8 * cpu[PRINTING],
        "the stored copy and nothing else is found, at every size": all(
            row["found"] for row in searches
        ),
        f"{at}: under {INTERACTIVE_MS} ms of CPU": many[OURS] < INTERACTIVE_MS,
        f"{at}: 1,000 × faster than H1 in loops on ints": many["times_loops"] >= 1000,
        f"linear or better, exponent {growth:.2f}": growth <= LINEAR,
    }
    if isinstance(many[VPDQ], float):
        verdicts["faster than vPDQ at every size"] = all(row["times_vpdq"] > 1 for row in searches)
    return verdicts


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
