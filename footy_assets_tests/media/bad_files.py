"""Small files that are damaged in one known way."""

import struct
import zlib
from fractions import Fraction
from pathlib import Path

import av

from benchmarks.fuzz_media import write_film

TS_PACKET = 188


def without_start(path: Path) -> Path:
    """An mp4 whose table of pictures to start from names one that does not exist, so that no seek
    succeeds: FFmpeg says "operation not permitted"."""
    stored = bytearray(write_film(path, "mp4").read_bytes())
    at = stored.index(b"stss") + 12
    assert stored[at : at + 4] == struct.pack(">I", 1)
    stored[at : at + 4] = struct.pack(">I", 99)
    path.write_bytes(stored)
    return path


def late_stream(path: Path) -> Path:
    """A transport stream in which one late packet belongs to a stream that is not announced."""
    stored = bytearray(write_film(path, "ts").read_bytes())
    starts = [
        at
        for at in range(0, len(stored), TS_PACKET)
        if stored[at + 1] & 0x40 and stored[at + 1 : at + 3] == b"\x41\x00"
    ]
    stored[starts[-3] + 2] = 0x2A
    path.write_bytes(stored)
    return path


def upside_down(path: Path) -> Path:
    """Uncompressed pictures that are stored from the last row to the first."""
    with av.open(str(path), "w", format="matroska") as output:
        stream = output.add_stream("rawvideo", rate=25)
        stream.width, stream.height, stream.pix_fmt = 96, 64, "yuv420p"
        stream.codec_context.extradata = b"BottomUp\0"
        for _ in range(30):
            output.mux(stream.encode(av.VideoFrame(96, 64, "yuv420p")))
        output.mux(stream.encode())
    return path


def memory_bomb(path: Path, edge: int = 12_000) -> Path:
    """A PNG stream of 150 KB whose one gray picture takes 144 MB."""
    rows = zlib.compressobj(1)
    row = bytes(edge + 1)
    packed = b"".join([*(rows.compress(row) for _ in range(edge)), rows.flush()])
    chunks = {
        b"IHDR": struct.pack(">IIBBBBB", edge, edge, 8, 0, 0, 0, 0),
        b"IDAT": packed,
        b"IEND": b"",
    }
    picture = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + name + content
        + struct.pack(">I", zlib.crc32(name + content))
        for name, content in chunks.items()
    )  # fmt: skip
    with av.open(str(path), "w", format="mov") as output:
        stream = output.add_stream("png", rate=5)
        stream.width, stream.height, stream.pix_fmt = edge, edge, "gray"
        for number in range(3):
            packet = av.Packet(picture)
            packet.stream, packet.pts, packet.dts = stream, number, number
            packet.time_base = Fraction(1, 5)
            output.mux(packet)
    return path
