"""What a decoding cell and the process that uses it say to each other.

Messages are lines of JSON, pictures lie in a file in memory. A damaged file may have taken the cell
over, so nothing it says is believed unchecked, and nothing is unpickled.
"""

import json
import mmap
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, fields
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from footy_assets.media.decode import (
    SAMPLE_EDGE,
    SAMPLES_PER_SECOND,
    STILL_EDGE,
    Gray,
    Scan,
    Still,
)
from footy_assets.media.errors import OutputUnwritable, UnreadableReason, VideoUnreadable
from footy_assets.media.mp4_output import MAX_OUTPUT_BYTES
from footy_assets.media.playable import PlayableMethod
from footy_assets.media.probe import DecodeLimits, Probe
from footy_assets.media.rendition import RenditionCodec

# A scan of 20 stills says about 1 KB.
MAX_ANSWER_BYTES = 100_000
MAX_DETAIL = 300
# The pictures first, then the sound if there is any.
CODECS = re.compile(r"[a-z0-9]{4}(\.[0-9A-Z]{1,10}){1,12}(,mp4a\.40\.[0-9]{1,2})?")
SAMPLE_BYTES = SAMPLE_EDGE * SAMPLE_EDGE
STILL_BYTES = STILL_EDGE * STILL_EDGE * 3


class AnswerInvalid(Exception):
    """A cell gave an answer that no honest one gives."""


def to_line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def scan_bytes(limits: DecodeLimits, stills: int) -> int:
    """The most that the pictures of a scan can take."""
    return (
        round((limits.max_seconds + 2) * SAMPLES_PER_SECOND) * SAMPLE_BYTES + stills * STILL_BYTES
    )


def probe_answer(probe: Probe) -> dict[str, Any]:
    return {"probe": asdict(probe)}


def unreadable_answer(error: VideoUnreadable) -> dict[str, Any]:
    return {"unreadable": str(error.reason), "detail": error.detail[:MAX_DETAIL]}


def unwritable_answer(error: OutputUnwritable) -> dict[str, Any]:
    return {"unwritable": str(error)[:MAX_DETAIL]}


def scan_answer(scanned: Scan, pictures: int) -> dict[str, Any]:
    """Writes the pictures to an open file, and returns the rest of the answer."""
    at = 0
    for image in (scanned.samples, *(still.image for still in scanned.stills)):
        content = np.ascontiguousarray(image).data.cast("B")
        while content:
            written = os.pwrite(pictures, content, at)
            at, content = at + written, content[written:]
    return {
        **probe_answer(scanned.probe),
        "samples": len(scanned.samples),
        "stills": [[still.seconds, *still.image.shape[:2]] for still in scanned.stills],
    }


def playable_answer(method: PlayableMethod, size: int) -> dict[str, Any]:
    return {"playable": str(method), "size": size}


def read_playable(answer: Mapping[str, Any], written: int) -> tuple[PlayableMethod, int]:
    """How it was made, and how many of the bytes `written` to the output count."""
    try:
        method, size = PlayableMethod(answer["playable"]), _whole(answer, "size")
    except (KeyError, ValueError) as error:
        raise AnswerInvalid("not an MP4") from error
    if size > min(written, MAX_OUTPUT_BYTES) or (method.writes and not size):
        raise AnswerInvalid("an MP4 of an impossible size")
    return method, size


def written_answer(size: int) -> dict[str, Any]:
    return {"size": size}


def read_written(answer: Mapping[str, Any], written: int) -> int:
    """How many of the bytes `written` to the output count."""
    if "size" not in answer or not 0 < _whole(answer, "size") <= min(written, MAX_OUTPUT_BYTES):
        raise AnswerInvalid("an MP4 of an impossible size")
    return int(answer["size"])


def rendition_answer(probe: Probe, codecs: str) -> dict[str, Any]:
    return {**probe_answer(probe), "codecs": codecs}


def read_rendition(answer: Mapping[str, Any]) -> tuple[Probe, RenditionCodec, str]:
    """The codecs become part of a page."""
    codecs = answer.get("codecs")
    if not isinstance(codecs, str) or not CODECS.fullmatch(codecs):
        raise AnswerInvalid("not the codecs of a rendition")
    by_entry = {codec.sample_entry: codec for codec in RenditionCodec}
    codec = by_entry.get(codecs.partition(".")[0])
    if codec is None:
        raise AnswerInvalid("pictures of another codec")
    return read_probe(answer), codec, codecs


def read_unreadable(answer: Mapping[str, Any], path: Path) -> VideoUnreadable:
    try:
        reason = UnreadableReason(answer["unreadable"])
    except ValueError as error:
        raise AnswerInvalid("an unknown reason") from error
    return VideoUnreadable(path, reason, _text(answer.get("detail")))


def read_unwritable(answer: Mapping[str, Any]) -> OutputUnwritable:
    return OutputUnwritable(_text(answer["unwritable"]))


def read_probe(answer: Mapping[str, Any]) -> Probe:
    found = answer.get("probe")
    if not isinstance(found, dict) or found.keys() != {field.name for field in fields(Probe)}:
        raise AnswerInvalid("not a probe")
    probe = Probe(
        duration=_number(found, "duration"),
        width=_whole(found, "width"),
        height=_whole(found, "height"),
        fps=_number(found, "fps"),
        rotation=_whole(found, "rotation"),
        sample_aspect=_number(found, "sample_aspect"),
        bitrate=_whole(found, "bitrate"),
        size=_whole(found, "size"),
        frames=_whole(found, "frames"),
        codec=_text(found["codec"]),
        has_audio=found["has_audio"] is True,
    )
    if min(probe.width, probe.height, probe.duration, probe.fps) <= 0:
        raise AnswerInvalid("a probe without a picture")
    return probe


def read_scan(answer: Mapping[str, Any], pictures: int, limits: DecodeLimits, stills: int) -> Scan:
    """The pictures stay in the file's memory. Only of a cell that has ended: it could shorten the
    file, and reading behind its end would end this process."""
    probe, samples = read_probe(answer), answer.get("samples")
    if not isinstance(samples, int) or not 0 < samples * SAMPLE_BYTES <= scan_bytes(limits, 0):
        raise AnswerInvalid("an impossible number of samples")
    shapes = [_shape(one) for one in answer.get("stills") or ()]
    if len(shapes) != stills:
        raise AnswerInvalid(f"{len(shapes)} stills instead of {stills}")
    length = samples * SAMPLE_BYTES + sum(3 * height * width for _, height, width in shapes)
    if os.fstat(pictures).st_size < length:
        raise AnswerInvalid("fewer pictures than it says")
    memory = np.frombuffer(mmap.mmap(pictures, length, access=mmap.ACCESS_COPY), np.uint8)
    at = samples * SAMPLE_BYTES
    gray: Gray = memory[:at].reshape(samples, SAMPLE_EDGE, SAMPLE_EDGE)
    images = []
    for seconds, height, width in shapes:
        size = 3 * height * width
        images.append(Still(seconds, memory[at : at + size].reshape(height, width, 3)))
        at += size
    return Scan(probe, gray, tuple(images))


def _shape(still: Any) -> tuple[float, int, int]:
    if not isinstance(still, list) or len(still) != 3:
        raise AnswerInvalid("not a still")
    named = dict(zip(("seconds", "height", "width"), still, strict=True))
    height, width = _whole(named, "height"), _whole(named, "width")
    if not (0 < height <= STILL_EDGE and 0 < width <= STILL_EDGE):
        raise AnswerInvalid("a still of an impossible size")
    return _number(named, "seconds"), height, width


def _number(found: Mapping[str, Any], name: str) -> float:
    value = found[name]
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
        raise AnswerInvalid(f"{name} is not a number")
    return float(value)


def _whole(found: Mapping[str, Any], name: str) -> int:
    value = found[name]
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 53:
        raise AnswerInvalid(f"{name} is not a whole number")
    return value


def _text(value: Any) -> str:
    """What a file made the decoder say is shown to people: printable, and not long."""
    return "".join(c for c in str(value)[:MAX_DETAIL] if c.isprintable())
