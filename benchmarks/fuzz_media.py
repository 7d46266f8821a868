"""Damaged files of eight containers, read in a decoding cell.

    python -m benchmarks.fuzz_media --files 20000 --seed 0
    python -m benchmarks.fuzz_media --seconds 60 --seed 4711

Each file is a small film, damaged by a seeded random choice: bits flipped, bytes replaced, a range
zeroed, repeated or cut off. Some are also made playable. After every ten files a whole one, the
neighbour, must read as before. Reported are errors that left the cell, neighbours that were lost,
crashes inside the cell, and the most memory and time that a file took. Ends with 1 if anything left
the cell.
"""

import argparse
import math
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import av
import numpy as np

from footy_assets.media.cell import DecodingCell
from footy_assets.media.decode import Scan
from footy_assets.media.errors import UnreadableReason, VideoUnreadable
from footy_assets.media.probe import DecodeLimits

SIZE, FPS, SECONDS = (96, 64), 25, 1.2
STILLS_AT = (0.25, 0.75)
NEIGHBOUR_EVERY = 10
# Of the damaged files that can be read, each n-th is also made playable.
PLAYABLE_EVERY = 5
# Container, video codec, pixel format, audio codec.
Recipe = tuple[str, str, str, str | None]
CONTAINERS: dict[str, Recipe] = {
    "mp4": ("mp4", "libx264", "yuv420p", "aac"),
    "mov": ("mov", "mpeg4", "yuv420p", "aac"),
    "webm": ("webm", "libvpx-vp9", "yuv420p", None),
    "mkv": ("matroska", "libx264", "yuv420p", "aac"),
    "ts": ("mpegts", "mpeg2video", "yuv420p", "mp2"),
    "avi": ("avi", "mjpeg", "yuvj420p", None),
    "flv": ("flv", "flv", "yuv420p", None),
    "gif": ("gif", "gif", "rgb8", None),
}


def write_film(path: Path, container: str) -> Path:
    return encode_film(path, CONTAINERS[container])


def encode_film(
    path: Path, recipe: Recipe, seconds: float = SECONDS, options: Mapping[str, str] | None = None
) -> Path:
    """A small moving texture, with silence where the recipe has sound. `options` are those of
    libx264."""
    name, codec, pixels, sound = recipe
    texture = np.random.default_rng(1).integers(0, 255, (8, 52, 3), np.uint8)
    texture = texture.repeat(8, 0).repeat(8, 1)
    with av.open(str(path), "w", format=name) as output:
        video = output.add_stream(codec, rate=FPS)
        video.width, video.height = SIZE
        video.pix_fmt = pixels
        video.options = dict(options or {"preset": "ultrafast"}) if codec == "libx264" else {}
        audio = output.add_stream(sound, rate=44100) if sound else None
        for number in range(round(seconds * FPS)):
            at = 4 * number % (texture.shape[1] - SIZE[0])
            shown = np.ascontiguousarray(texture[:, at : at + SIZE[0]])
            frame = av.VideoFrame.from_ndarray(shown, format="rgb24").reformat(format=pixels)
            output.mux(video.encode(frame))
        output.mux(video.encode())
        if audio is not None:
            size = audio.codec_context.frame_size or 1024
            for start in range(0, round(seconds * 44100), size):
                silence = np.zeros((1, size), np.float32)
                heard = av.AudioFrame.from_ndarray(silence, "fltp", "mono")
                heard.rate, heard.pts = 44100, start
                output.mux(audio.encode(heard))
            output.mux(audio.encode())
    return path


def damaged(whole: bytes, rng: random.Random) -> bytes:
    changed = bytearray(whole)
    at = rng.randrange(len(changed))
    # Headers are where a container's numbers are: half of the damage is there.
    header = max(changed.find(b"moov"), 0) if rng.random() < 0.5 else None

    def position() -> int:
        if header is None:
            return rng.randrange(len(changed))
        return min(len(changed) - 1, header + rng.randrange(1500))

    match rng.choice(("cut", "flip", "replace", "zero", "repeat")):
        case "cut":
            return bytes(changed[:at])
        case "flip":
            for _ in range(rng.randrange(1, 40)):
                changed[position()] ^= 1 << rng.randrange(8)
        case "replace":
            for _ in range(rng.randrange(1, 12)):
                changed[position()] = rng.choice((0, 0x7F, 0xFF, rng.randrange(256)))
        case "zero":
            length = min(rng.randrange(1, 2000), len(changed) - at)
            changed[at : at + length] = bytes(length)
        case _:
            changed[at:at] = changed[at : at + rng.randrange(1, 3000)]
    return bytes(changed)


@dataclass
class FuzzReport:
    files: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    escaped: list[str] = field(default_factory=list)
    lost_neighbours: int = 0
    neighbours: int = 0
    slowest_seconds: float = 0.0
    peak_memory: int = 0

    def lines(self) -> Iterator[str]:
        yield f"{self.files} damaged files: {dict(self.outcomes.most_common())}"
        yield f"left the cell: {len(self.escaped)} {self.escaped[:5]}"
        yield f"crashes inside the cell: {self.outcomes[UnreadableReason.DECODER_CRASHED]}"
        yield f"neighbours lost: {self.lost_neighbours} of {self.neighbours}"
        memory, seconds = f"{self.peak_memory / 1e6:.0f} MB", f"{self.slowest_seconds:.1f} s"
        yield f"a file took at most {memory} and {seconds}"


def fuzz(
    folder: Path, files: int, seed: int, show: bool = False, seconds: float = math.inf
) -> FuzzReport:
    """Read `files` damaged files in one cell, or as many as `seconds` allow. File number n is the
    same for the same seed."""
    whole = {name: write_film(folder / f"whole.{name}", name).read_bytes() for name in CONTAINERS}
    report, names = FuzzReport(), list(CONTAINERS)
    neighbour = folder / "whole.mp4"
    with DecodingCell(DecodeLimits(max_wall_seconds=10)) as cell:
        expected, ends_at = cell.scan(neighbour, STILLS_AT), time.monotonic() + seconds
        for number in range(files):
            if time.monotonic() >= ends_at:
                break
            name = names[number % len(names)]
            path = folder / f"damaged.{name}"
            path.write_bytes(damaged(whole[name], random.Random(f"{seed}-{number}")))
            began = time.monotonic()
            try:
                cell.scan(path, STILLS_AT)
                report.outcomes["read"] += 1
                if report.outcomes["read"] % PLAYABLE_EVERY == 0:
                    cell.make_playable(path, folder / "playable.mp4")
                    report.outcomes["made playable"] += 1
            except VideoUnreadable as error:
                report.outcomes[str(error.reason)] += 1
            except Exception as error:
                report.escaped.append(f"{seed}-{number} {name}: {type(error).__name__}: {error}")
            report.slowest_seconds = max(report.slowest_seconds, time.monotonic() - began)
            report.files += 1
            if number % NEIGHBOUR_EVERY == NEIGHBOUR_EVERY - 1:
                report.neighbours += 1
                report.lost_neighbours += not _is_same(cell, neighbour, expected)
            if show and report.files % 1000 == 0:
                sys.stderr.write(f"{report.files} of {files}\n")
        report.peak_memory = cell.peak_memory
    return report


def _is_same(cell: DecodingCell, neighbour: Path, expected: Scan) -> bool:
    try:
        found = cell.scan(neighbour, STILLS_AT)
    except Exception:
        return False
    return np.array_equal(found.samples, expected.samples)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--files", type=int, help="default: 2000, or as many as --seconds allow")
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    files = options.files or (2000 if math.isinf(options.seconds) else sys.maxsize)
    with tempfile.TemporaryDirectory() as folder:
        report = fuzz(Path(folder), files, options.seed, show=True, seconds=options.seconds)
    sys.stdout.write("\n".join(report.lines()) + "\n")
    return 1 if report.escaped or report.lost_neighbours else 0


if __name__ == "__main__":
    sys.exit(main())
