"""The top-level boxes of an MP4, read without FFmpeg."""

import io
import os
import struct
from typing import BinaryIO

MAX_BOXES = 100


def is_faststart(file: BinaryIO | io.FileIO) -> bool:
    """Whether an MP4 is whole and has its index (`moov`) before its media (`mdat`), so that a
    player starts before it has everything. Not one in fragments."""
    names = [name for name, _, _ in _boxes(file)]
    return b"moov" in names and b"mdat" in names[names.index(b"moov") :] and b"moof" not in names


def read_box(file: BinaryIO | io.FileIO, wanted: bytes, most: int) -> bytes:
    """What is inside the first box of this name; nothing if there is none, or if it is larger."""
    for name, start, end in _boxes(file):
        if name == wanted and end - start <= most:
            file.seek(start)
            return file.read(end - start) or b""
    return b""


def _boxes(file: BinaryIO | io.FileIO) -> list[tuple[bytes, int, int]]:
    """The name of every box, where its content starts, and where it ends; none if the last one
    does not end with the file."""
    size, at = os.fstat(file.fileno()).st_size, 0
    found: list[tuple[bytes, int, int]] = []
    while at < size and len(found) < MAX_BOXES:
        file.seek(at)
        header = file.read(16) or b""
        if len(header) < 8:
            return []
        length, name = struct.unpack(">I4s", header[:8])
        inside = 8
        if length == 1 and len(header) == 16:
            (length,) = struct.unpack(">Q", header[8:])
            inside = 16
        if length < inside:
            return []
        found.append((name, at + inside, at + length))
        at += length
    return found if at == size else []
