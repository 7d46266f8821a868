"""The codecs of an MP4's tracks as browsers name them (RFC 6381), read without FFmpeg.

`hvc1.1.6.L93.90,mp4a.40.2` is HEVC of the main profile, level 3.1, with AAC.
"""

import io
import struct
from collections.abc import Callable, Iterator
from typing import BinaryIO

from footy_assets.media.mp4_boxes import read_box

# The index of the longest video that is read is below 2 MB.
MAX_INDEX_BYTES = 8 << 20
TRACK = (b"mdia", b"minf", b"stbl", b"stsd")
FULL_BOX, ENTRY_COUNT = 4, 4
# How far the boxes inside a sample entry are behind its name.
VISUAL_FIELDS, SOUND_FIELDS = 78, 28
HEVC_FIXED, PARAMETER_SETS = 22, {32, 33, 34}
MPEG4_AUDIO, ES, DECODER_CONFIG, DECODER_SPECIFIC = 0x40, 0x03, 0x04, 0x05


class CodecsUnknown(Exception):
    """An MP4 does not say what its tracks need, or says it in a form that players refuse."""


def codecs_of(file: BinaryIO | io.FileIO) -> str:
    """One name for each track, in their order, separated by commas."""
    try:
        index = read_box(file, b"moov", MAX_INDEX_BYTES)
        tracks = [_track(content) for name, content in _boxes(index) if name == b"trak"]
    except (struct.error, IndexError, KeyError) as error:
        raise CodecsUnknown("an index in another form") from error
    if not tracks:
        raise CodecsUnknown("no tracks")
    return ",".join(tracks)


def _track(content: bytes) -> str:
    for name in TRACK:
        content = _child(content, name)
    entry, fields = next(_boxes(content[FULL_BOX + ENTRY_COUNT :]))
    if entry not in READERS:
        raise CodecsUnknown(f"a track of the kind {entry!r}")
    skipped, configuration, read = READERS[entry]
    return f"{entry.decode()}.{read(_child(fields[skipped:], configuration))}"


def _boxes(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while at < len(content):
        length, name = struct.unpack_from(">I4s", content, at)
        if not 8 <= length <= len(content) - at:
            raise CodecsUnknown("a box that does not end inside its own")
        yield name, content[at + 8 : at + length]
        at += length


def _child(content: bytes, wanted: bytes) -> bytes:
    for name, inside in _boxes(content):
        if name == wanted:
            return inside
    raise CodecsUnknown(f"no {wanted!r}")


def _hevc(stated: bytes) -> str:
    """Of `hvcC`. As `hvc1`, all parameter sets must be here: Apple's players look nowhere else."""
    profile, compatible, level = stated[1], struct.unpack_from(">I", stated, 2)[0], stated[12]
    if not _parameter_sets(stated) >= PARAMETER_SETS:
        raise CodecsUnknown("parameter sets that are only among the pictures")
    constraints = [f"{byte:X}" for byte in stated[6:12].rstrip(b"\0")]
    space = ("", "A", "B", "C")[profile >> 6]
    reversed_bits = int(f"{compatible:032b}"[::-1], 2)
    tier = "H" if profile & 0x20 else "L"
    return ".".join(
        [f"{space}{profile & 0x1F}", f"{reversed_bits:X}", f"{tier}{level}", *constraints]
    )


def _parameter_sets(stated: bytes) -> set[int]:
    kinds, at = set(), HEVC_FIXED + 1
    for _ in range(stated[HEVC_FIXED]):
        kind, units = struct.unpack_from(">BH", stated, at)
        at += 3
        for _ in range(units):
            at += 2 + int(struct.unpack_from(">H", stated, at)[0])
        if units:
            kinds.add(kind & 0x3F)
    return kinds


def _vp9(stated: bytes) -> str:
    profile, level, depth = stated[4], stated[5], stated[6] >> 4
    if not level:
        raise CodecsUnknown("VP9 of no level")
    return f"{profile:02}.{level:02}.{depth:02}"


def _av1(stated: bytes) -> str:
    profile, level, flags = stated[1] >> 5, stated[1] & 0x1F, stated[2]
    depth = 12 if flags & 0x20 else 10 if flags & 0x40 else 8
    return f"{profile}.{level:02}{'H' if flags & 0x80 else 'M'}.{depth:02}"


def _aac(stated: bytes) -> str:
    """The kind of AAC: 2 is the usual one."""
    content, found = stated[FULL_BOX:], b""
    for tag, fixed in ((ES, 3), (DECODER_CONFIG, 13), (DECODER_SPECIFIC, 0)):
        if content[0] != tag:
            raise CodecsUnknown("sound in another form")
        at = 1
        while content[at] & 0x80:
            at += 1
        found, content = content[at + 1 :], content[at + 1 + fixed :]
        if tag == DECODER_CONFIG and found[0] != MPEG4_AUDIO:
            raise CodecsUnknown("sound that is not AAC")
    kind = found[0] >> 3
    if kind == 31:
        kind = 32 + ((found[0] & 0x07) << 3 | found[1] >> 5)
    return f"40.{kind}"


# By sample entry: where its boxes start, the box with what a player needs, and how it is read.
READERS: dict[bytes, tuple[int, bytes, Callable[[bytes], str]]] = {
    b"hvc1": (VISUAL_FIELDS, b"hvcC", _hevc),
    b"vp09": (VISUAL_FIELDS, b"vpcC", _vp9),
    b"av01": (VISUAL_FIELDS, b"av1C", _av1),
    b"mp4a": (SOUND_FIELDS, b"esds", _aac),
}
