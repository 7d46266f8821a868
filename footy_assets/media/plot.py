"""Draws what was found: a comparison of two clips, and the frames of a validated clip."""

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from footy_assets.errors import BadInput
from footy_assets.media.compare import Match, agreement_over_time
from footy_assets.media.decode import SAMPLES_PER_SECOND, Gray, Scan, Still
from footy_assets.media.fingerprint import Fingerprint
from footy_assets.media.mirrored_text import mirrored
from footy_assets.media.validation import ValidationResult
from footy_assets.names import plain

Canvas = NDArray[np.uint8]

WIDTH = 1200
CURVE_HEIGHT = 220
COLUMNS = 6
FRAMES = 6
MARGIN = 40
INK, FAINT, SAME, OTHER = (40, 40, 40), (200, 200, 200), (60, 140, 40), (40, 40, 190)
FONT = cv2.FONT_HERSHEY_SIMPLEX


def write_plot(
    path: Path, scans: tuple[Scan, Scan], prints: tuple[Fingerprint, Fingerprint], found: Match
) -> None:
    """Write a picture of the agreement at each moment of the first clip, and some aligned pairs."""
    moments, agreement = agreement_over_time(*prints, found)
    parts = [_headline(found), _curve(moments, agreement, scans[0].probe.duration, found)]
    if len(moments):
        parts.append(_pairs(scans, moments, found))
    _write(path, np.vstack(parts))


def write_frames(path: Path, scanned: Scan, result: ValidationResult) -> None:
    """Write some frames of a clip with the scorebug marked, each with what was read in it."""
    stills = [scanned.stills[round(n)] for n in np.linspace(0, len(scanned.stills) - 1, FRAMES)]
    outcome = "accepted" if result.accepted else "; ".join(result.reasons)
    lines = [f"{outcome}, verified by {result.verified_by}", result.scorebug.text()]
    headline = _blank(80)
    for number, line in enumerate(lines):
        colour = SAME if result.accepted else OTHER
        # The font has no letters beyond ASCII.
        text = plain(line).encode("ascii", "replace").decode()
        cv2.putText(headline, text, (MARGIN, 32 + 32 * number), FONT, 0.6, colour, 1)
    frames = [_marked(still, result) for still in stills]
    rows = [np.hstack(frames[n : n + 2]) for n in range(0, len(frames), 2)]
    parts = [headline, *(_padded(row) for row in rows)]
    _write(path, np.vstack(parts))


def _marked(still: Still, result: ValidationResult) -> Canvas:
    """One frame with a box around the scorebug, and the clock's text below it."""
    image = (mirrored([still])[0] if result.mirrored else still).image.copy()
    if result.scorebug.box is not None:
        left, top, right, bottom = result.scorebug.box
        cv2.rectangle(image, (left, top), (right, bottom), SAME, 2)
    width = (WIDTH - 2 * MARGIN) // 2
    height = max(1, round(image.shape[0] * width / image.shape[1]))
    canvas = np.full((height + 30, width + MARGIN // 2, 3), 255, np.uint8)
    canvas[:height, :width] = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)
    read = [
        str(frame["text"])
        for frame in result.frames
        if frame.get("judge") == "clock" and abs(frame["seconds"] - still.seconds) < 0.01
    ]
    scores = [
        f"{score.home}-{score.away}"
        for score in result.scorebug.scores
        if score.first <= still.seconds <= score.last
    ]
    words = "  ".join([f"{still.seconds:.1f} s", *read, *scores])
    text = plain(words).encode("ascii", "replace").decode()
    cv2.putText(canvas, text, (2, height + 20), FONT, 0.5, INK, 1)
    return canvas


def _padded(row: Canvas) -> Canvas:
    canvas = _blank(row.shape[0])
    canvas[:, MARGIN : MARGIN + row.shape[1]] = row[:, : WIDTH - MARGIN]
    return canvas


def _write(path: Path, picture: Canvas) -> None:
    drawn, encoded = cv2.imencode(path.suffix or ".png", picture)
    try:
        path.write_bytes(encoded.tobytes() if drawn else b"")
    except OSError as error:
        raise BadInput(f"{path} cannot be written ({error.strerror})") from error


def _headline(found: Match) -> Canvas:
    outcome = "same footage" if found.match else "not the same footage"
    mirrored = ", mirrored" if found.mirrored else ""
    line = (
        f"{outcome}: score {found.score:.2f}, offset {found.offset_seconds:+.2f} s, overlap "
        f"{found.overlap_seconds:.1f} s, speed x{found.speed:.2f}{mirrored}"
    )
    canvas = _blank(50)
    cv2.putText(canvas, line, (MARGIN, 32), FONT, 0.7, SAME if found.match else OTHER, 2)
    return canvas


def _curve(
    moments: NDArray[np.float64], agreement: NDArray[np.float64], duration: float, found: Match
) -> Canvas:
    canvas = _blank(CURVE_HEIGHT)
    floor, height = CURVE_HEIGHT - 30, CURVE_HEIGHT - 50

    def x_of(seconds: float) -> int:
        return int(MARGIN + seconds / max(duration, 1e-6) * (WIDTH - 2 * MARGIN))

    for level in (0.0, 0.5, 1.0):
        y = int(floor - level * height)
        cv2.line(canvas, (MARGIN, y), (WIDTH - MARGIN, y), FAINT, 1)
        cv2.putText(canvas, f"{level:g}", (8, y + 5), FONT, 0.4, INK, 1)
    for second in range(int(duration) + 1):
        cv2.putText(canvas, str(second), (x_of(second) - 4, CURVE_HEIGHT - 8), FONT, 0.4, INK, 1)
    points = [
        (x_of(at), int(floor - max(0.0, value) * height))
        for at, value in zip(moments.tolist(), agreement.tolist(), strict=True)
    ]
    if points:
        colour = SAME if found.match else OTHER
        cv2.polylines(canvas, [np.array(points, np.int32)], False, colour, 2, cv2.LINE_AA)
    return canvas


def _pairs(scans: tuple[Scan, Scan], moments: NDArray[np.float64], found: Match) -> Canvas:
    chosen = moments[np.linspace(0, len(moments) - 1, COLUMNS).astype(int)]
    rows = []
    for scanned, times in zip(scans, (chosen, _to_second_clip(chosen, found)), strict=True):
        flip = scanned is scans[1] and found.mirrored
        rows.append(_strip(scanned, times, flip))
    return np.vstack(rows)


def _strip(scanned: Scan, times: NDArray[np.float64], mirrored: bool) -> Canvas:
    width = (WIDTH - 2 * MARGIN) // COLUMNS - 8
    height = max(1, min(2 * width, round(width / scanned.probe.aspect)))
    canvas = _blank(height + 30)
    for column, seconds in enumerate(times.tolist()):
        sample = _sample_at(scanned.samples, seconds)
        shown = cv2.resize(sample[:, ::-1] if mirrored else sample, (width, height))
        left = MARGIN + column * (width + 8)
        canvas[4 : 4 + height, left : left + width] = shown[:, :, None]
        cv2.putText(canvas, f"{seconds:.2f} s", (left, height + 20), FONT, 0.45, INK, 1)
    return canvas


def _to_second_clip(seconds: NDArray[np.float64], found: Match) -> NDArray[np.float64]:
    return (seconds - found.offset_seconds) / found.speed


def _sample_at(samples: Gray, seconds: float) -> Gray:
    number = round(seconds * SAMPLES_PER_SECOND)
    return np.ascontiguousarray(samples[min(max(number, 0), len(samples) - 1)])


def _blank(height: int) -> Canvas:
    return np.full((height, WIDTH, 3), 255, np.uint8)
