"""Text in pictures, by rapidocr. Its models come with the package; nothing is downloaded.

Imported and loaded at the first use: a process that reads no clock pays nothing.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from footy_assets.errors import FootyError

Image = NDArray[np.uint8]

# The recogniser pads to this width at least; its own 320 would triple the cost of a short clock.
NARROWEST = 96


class OcrFailed(FootyError):
    """Text could not be read at all: the models are missing or the engine broke."""

    default_fix = "Reinstall rapidocr and onnxruntime"


class Spot(NamedTuple):
    """A rectangle of text, in pixels."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top


@dataclass(frozen=True, slots=True)
class Said:
    """What the recogniser made of one picture of one line."""

    text: str
    confidence: float


class TextReader(Protocol):
    """What the clock needs of an OCR engine."""

    def spots(self, image: Image) -> list[Spot]: ...

    def read(self, lines: Sequence[Image]) -> list[Said]: ...


class RapidReader:
    """rapidocr on one thread. Safe to share: one picture at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._engine = _engine()

    def spots(self, image: Image) -> list[Spot]:
        found = self._call(image, use_det=True, use_rec=False)
        corners = getattr(found, "boxes", None)
        if corners is None:
            return []
        height, width = image.shape[:2]
        spots = []
        for points in np.asarray(corners):
            left, top = np.floor(points.min(axis=0)).astype(int).tolist()
            right, bottom = np.ceil(points.max(axis=0)).astype(int).tolist()
            spots.append(Spot(max(0, left), max(0, top), min(width, right), min(height, bottom)))
        return spots

    def read(self, lines: Sequence[Image]) -> list[Said]:
        return [self._read_one(line) for line in lines]

    def _read_one(self, line: Image) -> Said:
        found = self._call(line, use_det=False, use_rec=True)
        texts, scores = getattr(found, "txts", None), getattr(found, "scores", None)
        if not texts or not scores:
            return Said("", 0.0)
        return Said(str(texts[0]), float(scores[0]))

    def _call(self, image: Image, use_det: bool, use_rec: bool) -> Any:
        try:
            with self._lock:
                return self._engine(image, use_det=use_det, use_cls=False, use_rec=use_rec)
        except Exception as error:  # whatever an engine of C++ and models may raise
            raise OcrFailed(f"text could not be read ({type(error).__name__}: {error})") from error


@lru_cache(maxsize=1)
def text_reader() -> TextReader:
    """The reader of this process."""
    return RapidReader()


def _engine() -> Any:
    try:
        logging.getLogger("RapidOCR").setLevel(logging.CRITICAL)
        import rapidocr

        models = Path(rapidocr.__file__).parent / "models"
        params = {
            "Global.log_level": "critical",
            "Global.use_cls": False,
            "Global.use_preprocess_img": False,
            "Global.use_vertical_padding": False,
            "Global.text_score": 0.0,
            "Det.model_path": str(_only(models, "*_det_*.onnx")),
            "Det.limit_type": "max",
            "Det.limit_side_len": 4096,
            "Rec.model_path": str(_only(models, "*_rec_*.onnx")),
            "Rec.rec_img_shape": [3, 48, NARROWEST],
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
        return rapidocr.RapidOCR(params=params)
    except Exception as error:  # a broken install fails in many ways, all the same to us
        raise OcrFailed(f"no OCR engine ({type(error).__name__}: {error})") from error


def _only(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if not found:
        raise FileNotFoundError(f"no {pattern} in {folder}")
    return found[-1]
