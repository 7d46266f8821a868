"""The order of an MP4's top-level boxes, read without FFmpeg."""

import io
import os
import struct
from typing import BinaryIO

MAX_BOXES = 100


def is_faststart(file: BinaryIO | io.FileIO) -> bool:
    """Whether an MP4 is whole and has its index (`moov`) before its media (`mdat`), so that a
    player starts before it has everything. Not one in fragments."""
    names = _box_names(file)
    return b"moov" in names and b"mdat" in names[names.index(b"moov") :] and b"moof" not in names


def _box_names(file: BinaryIO | io.FileIO) -> list[bytes]:
    """The names of all boxes; none if the last one does not end with the file."""
    size, at = os.fstat(file.fileno()).st_size, 0
    names: list[bytes] = []
    while at < size and len(names) < MAX_BOXES:
        file.seek(at)
        header = file.read(16) or b""
        if len(header) < 8:
            return []
        length, name = struct.unpack(">I4s", header[:8])
        if length == 1 and len(header) == 16:
            (length,) = struct.unpack(">Q", header[8:])
        if length < 8:
            return []
        names.append(name)
        at += length
    return names if at == size else []
