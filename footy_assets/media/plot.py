"""Plots a comparison: agreement over time, and the aligned frames side by side."""

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from footy_assets.errors import BadInput
from footy_assets.media.compare import Match, agreement_over_time
from footy_assets.media.decode import SAMPLES_PER_SECOND, Gray, Scan
from footy_assets.media.fingerprint import Fingerprint

Canvas = NDArray[np.uint8]

WIDTH = 1200
CURVE_HEIGHT = 220
COLUMNS = 6
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
    drawn, encoded = cv2.imencode(path.suffix or ".png", np.vstack(parts))
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
