"""What the media engine costs, as ratios within one run.

(a) fingerprinting a file against merely decoding it, and against one ffmpeg process per frame;
(b) one 30 s clip against 10 … 10,000 stored ones: our library, H1's matcher in plain Python loops
and in numpy, and vPDQ where it is installed.

usage: python -m benchmarks.media [--video FILE] [--stored 10 100 1000 10000] [--json] [--into FILE]
"""

import argparse
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import av
import imagehash
import numpy as np

from benchmarks.figures import Row, add_output_options, machine, publish, say, table, verdict_list
from benchmarks.media_stored import SECONDS, Stored, moving_picture, stored_clips
from footy_assets.media import compare, fingerprint
from footy_assets.media.baseline import CONSECUTIVE, NEAR, baseline_match_in_loops
from footy_assets.media.library import Library

SIZES = (10, 100, 1_000, 10_000)
ROUNDS = 5
# The loops are too slow for ten thousand clips: this many pairs, and the mean.
LOOP_PAIRS = 20
OBJECT_PAIRS = 3
VPDQ_DISTANCE = 31
FRAME_INTERVAL = 0.25

COST_COLUMNS = {
    "what": "of one file",
    "cpu_ms": "CPU ms",
    "ratio": "÷ merely decoding",
}
SEARCH_COLUMNS = {
    "stored": "stored clips",
    "ours_ms": "library, ms",
    "ours_us": "µs a pair",
    "every_ms": "all compared in full, ms",
    "numpy_ms": "H1 in numpy, ms",
    "loops_ms": "H1 in loops on ImageHash, ms",
    "int_loops_ms": "H1 in loops on ints, ms",
    "vpdq_ms": "vPDQ, ms",
    "vpdq_numpy_ms": "vPDQ in numpy, ms",
    "times_loops": "× loops on ImageHash",
    "times_int_loops": "× loops on ints",
    "memory_mb": "index, MB",
    "index_ms": "built in, ms",
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--video", type=Path, help="a file to read; without it one is rendered")
    parser.add_argument("--stored", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    add_output_options(parser)
    asked = parser.parse_args(arguments)
    where = machine()
    with tempfile.TemporaryDirectory() as folder:
        video = asked.video or rendered(Path(folder) / "goal.mp4")
        costs = reading_costs(video, asked.rounds)
    searches = [search_costs(count, asked.rounds) for count in asked.stored]
    verdicts = judged(costs, searches)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    result = {"machine": where, "reading": costs, "search": searches, "verdicts": verdicts}
    tables = [
        f"{where} Peak memory {peak} MB.",
        table(costs, COST_COLUMNS),
        table(searches, SEARCH_COLUMNS),
        verdict_list(verdicts),
    ]
    publish("media", result | {"peak_mb": peak}, tables, asked)


def rendered(path: Path, seconds: int = 10) -> Path:
    """1080p at 25 frames a second, as a broadcast clip comes."""
    say("rendering a 1080p file")
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 1920, 1080, "yuv420p"
        stream.options = {"preset": "veryfast", "crf": "21"}
        for picture in moving_picture(seconds * 25):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="gray")))
        container.mux(stream.encode())
    return path


def reading_costs(video: Path, rounds: int) -> list[Row]:
    """Rounds are interleaved, so that a busy moment falls on all alike."""
    say(f"reading {video.name}")
    contenders: dict[str, Callable[[], None]] = {
        "merely decoding": lambda: decode_only(video),
        "fingerprint": lambda: void(fingerprint(video)),
    }
    used: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, work in contenders.items():
            used[name].append(cpu_ms(work))
    each = "one ffmpeg per frame"
    used[each] = [cpu_ms(lambda: ffmpeg_per_frame(video), children=True)]
    # The least disturbed round of each: other work on the machine only ever adds.
    decoding = min(used["merely decoding"])
    return [
        {"what": name, "cpu_ms": min(times), "ratio": min(times) / decoding}
        for name, times in used.items()
    ]


def decode_only(video: Path) -> None:
    with av.open(str(video)) as container:
        container.streams.video[0].codec_context.thread_count = 1
        for _ in container.decode(video=0):
            pass


def ffmpeg_per_frame(video: Path) -> None:
    """The usual way: seek to each quarter second with a new process."""
    import imageio_ffmpeg

    program = imageio_ffmpeg.get_ffmpeg_exe()
    with av.open(str(video)) as container:
        seconds = (container.duration or 0) / av.time_base
    for number in range(math.ceil(seconds / FRAME_INTERVAL)):
        at = f"{number * FRAME_INTERVAL:.2f}"
        command = [program, "-v", "error", "-nostdin", "-threads", "1", "-ss", at, "-i", str(video)]
        command += ["-frames:v", "1", "-vf", "scale=9:8,format=gray", "-f", "rawvideo", "-"]
        subprocess.run(command, check=True, capture_output=True)


def search_costs(count: int, rounds: int) -> Row:
    say(f"one clip against {count:,}")
    stored: Stored = stored_clips(count)
    began = time.perf_counter()
    library = Library(enumerate(stored.prints))
    index_ms = (time.perf_counter() - began) * 1e3
    ours = best_ms(lambda: void(library.search(stored.query)), rounds)
    some = stored.prints[: min(count, 50)]
    every = best_ms(lambda: void([compare(stored.query, p) for p in some]), 2) * count / len(some)
    pairs = [h.tolist() for h in stored.hashes[:LOOP_PAIRS]]
    mine = stored.query_hashes.tolist()
    on_ints = best_ms(lambda: void([baseline_match_in_loops(mine, p) for p in pairs]), 2)
    objects, others = image_hashes(mine), [image_hashes(p) for p in pairs[:OBJECT_PAIRS]]
    looped = best_ms(lambda: void([h1_on_objects(objects, p) for p in others]), 1)
    loops = looped * count / len(others)
    int_loops = on_ints * count / len(pairs)
    arrays = best_ms(lambda: void(h1_in_numpy(stored.query_hashes, stored.hashes)), 2)
    return {
        "stored": count,
        "ours_ms": ours,
        "ours_us": ours * 1e3 / count,
        "every_ms": every,
        "numpy_ms": arrays,
        "loops_ms": loops,
        "int_loops_ms": int_loops,
        "vpdq_ms": vpdq_ms(count),
        "vpdq_numpy_ms": vpdq_in_numpy_ms(count),
        "times_loops": loops / ours,
        "times_int_loops": int_loops / ours,
        "memory_mb": library.nbytes / 1e6,
        "index_ms": index_ms,
        "found": [hit.key for hit in library.search(stored.query)] == [stored.same],
    }


def image_hashes(values: list[int]) -> list[imagehash.ImageHash]:
    return [imagehash.hex_to_hash(f"{value:016x}") for value in values]


def h1_on_objects(a: list[imagehash.ImageHash], b: list[imagehash.ImageHash]) -> bool:
    """H1 as the library's readme shows it: `hash - hash` is the distance."""
    for offset in range(-len(b) + 1, len(a)):
        run = 0
        for i in range(max(0, offset), min(len(a), len(b) + offset)):
            run = run + 1 if a[i] - b[i - offset] <= NEAR else 0
            if run >= CONSECUTIVE:
                return True
    return False


def h1_in_numpy(query: np.ndarray, stored: list[np.ndarray]) -> list[bool]:
    found = []
    for hashes in stored:
        near = np.bitwise_count(query[:, None] ^ hashes[None, :]) <= NEAR
        found.append(bool((near[:-2, :-2] & near[1:-1, 1:-1] & near[2:, 2:]).any()))
    return found


def vpdq_ms(count: int) -> float | str:
    """vPDQ's own distance on its usual hash a second: every frame against every frame."""
    try:
        import vpdq
    except ImportError:
        return "not installed"
    rng = np.random.default_rng(1)

    def clip() -> list[object]:
        made = rng.integers(0, 256, (SECONDS, 32), dtype=np.uint8)
        return [vpdq.str_to_hash(row.tobytes().hex()) for row in made]

    def matched(mine: list[object], theirs: list[object]) -> int:
        return sum(
            any(vpdq.hamming_distance(frame, other) <= VPDQ_DISTANCE for other in theirs)
            for frame in mine
        )

    query, some = clip(), [clip() for _ in range(LOOP_PAIRS)]
    return best_ms(lambda: void([matched(query, other) for other in some]), 2) * count / len(some)


def vpdq_in_numpy_ms(count: int) -> float:
    """The same distances as vectors: what a careful user of vPDQ would write."""
    rng = np.random.default_rng(1)
    query = rng.integers(0, 2**63, (SECONDS, 4)).astype(np.uint64)
    stored = rng.integers(0, 2**63, (count * SECONDS, 4)).astype(np.uint64)

    def search() -> None:
        for frame in query:
            distance = np.bitwise_count(stored ^ frame).sum(axis=1, dtype=np.uint16)
            (distance <= VPDQ_DISTANCE).reshape(count, SECONDS).any(axis=1)

    return best_ms(search, 2)


def judged(costs: list[Row], searches: list[Row]) -> dict[str, bool]:
    ratio = {row["what"]: row["ratio"] for row in costs}
    verdicts = {
        "a fingerprint costs at most 1.15 × merely decoding": ratio["fingerprint"] <= 1.15,
        "and at least 8 × less CPU than one ffmpeg per frame": ratio["one ffmpeg per frame"]
        >= 8 * ratio["fingerprint"],
        "the stored copy is found at every size": all(row["found"] for row in searches),
    }
    if searches:
        last = searches[-1]
        many = f"{last['stored']:,} stored"
        verdicts[f"{many}: under a second"] = last["ours_ms"] < 1000
        verdicts[f"{many}: 1,000 × faster than loops on ImageHash"] = last["times_loops"] >= 1000
        verdicts[f"{many}: 1,000 × faster than loops on ints"] = last["times_int_loops"] >= 1000
        if isinstance(last["vpdq_ms"], float):
            verdicts[f"{many}: faster than vPDQ"] = last["ours_ms"] < last["vpdq_ms"]
            verdicts["faster than vPDQ at every size"] = all(
                row["ours_ms"] < row["vpdq_ms"] for row in searches
            )
    return verdicts


def cpu_ms(work: Callable[[], None], children: bool = False) -> float:
    who = resource.RUSAGE_CHILDREN if children else resource.RUSAGE_SELF
    before = resource.getrusage(who)
    work()
    after = resource.getrusage(who)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return used * 1e3


def best_ms(work: Callable[[], None], rounds: int) -> float:
    """The quickest of some rounds: the one that others disturbed least. CPU, not wall."""
    return min(cpu_ms(work) for _ in range(max(1, rounds)))


def void(_: object) -> None:
    """For work whose result is not looked at."""


if __name__ == "__main__":
    sys.exit(main())
