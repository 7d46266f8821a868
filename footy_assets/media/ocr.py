"""Text detection and recognition by rapidocr. Its models come with the package.

rapidocr is imported at the first use, so that a process that reads no clock does not load it.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from footy_assets.errors import FootyError
from footy_assets.media.onnx import load_onnxruntime

Image = NDArray[np.uint8]

# The recognizer pads images to this width; its default of 320 triples the cost of a short clock.
MIN_WIDTH = 96


class OcrFailed(FootyError):
    """OCR failed: the models are missing or the engine broke."""

    default_fix = "Reinstall rapidocr and onnxruntime"


class TextBox(NamedTuple):
    """The bounding box of a text, in pixels."""

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

    def overlaps(self, other: "TextBox") -> bool:
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across > 0 and down > 0

    def holds(self, other: "TextBox") -> bool:
        """Whether the other one is inside."""
        return surround((self, other)) == self


def surround(boxes: Iterable[TextBox]) -> TextBox:
    """The smallest box around them."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return TextBox(min(lefts), min(tops), max(rights), max(bottoms))


@dataclass(frozen=True, slots=True)
class OcrText:
    """The recognized text of one line."""

    text: str
    confidence: float
    # The middle of each character that is no space, in parts of the image's width.
    places: tuple[float, ...] = ()


class TextReader(Protocol):
    """The interface of an OCR engine: find text boxes, and read one line an image."""

    def detect(self, image: Image) -> list[TextBox]: ...

    def recognize(self, lines: Sequence[Image]) -> list[OcrText]: ...


class RapidOcrReader:
    """rapidocr on one thread. Thread-safe: one image at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._engine = _engine()

    def detect(self, image: Image) -> list[TextBox]:
        found = self._call(image, use_det=True, use_rec=False)
        corners = getattr(found, "boxes", None)
        if corners is None:
            return []
        height, width = image.shape[:2]
        boxes = []
        for points in np.asarray(corners):
            left, top = np.floor(points.min(axis=0)).astype(int).tolist()
            right, bottom = np.ceil(points.max(axis=0)).astype(int).tolist()
            boxes.append(TextBox(max(0, left), max(0, top), min(width, right), min(height, bottom)))
        return boxes

    def recognize(self, lines: Sequence[Image]) -> list[OcrText]:
        return [self._recognize_one(line) for line in lines]

    def _recognize_one(self, line: Image) -> OcrText:
        found = self._call(line, use_det=False, use_rec=True)
        texts, scores = getattr(found, "txts", None), getattr(found, "scores", None)
        if not texts or not scores:
            return OcrText("", 0.0)
        text = str(texts[0])
        return OcrText(text, float(scores[0]), _places(text, getattr(found, "word_results", None)))

    def _call(self, image: Image, use_det: bool, use_rec: bool) -> Any:
        try:
            with self._lock:
                return self._engine(
                    image,
                    use_det=use_det,
                    use_cls=False,
                    use_rec=use_rec,
                    return_word_box=use_rec,
                )
        except Exception as error:  # the engine raises many kinds of errors
            raise OcrFailed(f"OCR failed ({type(error).__name__}: {error})") from error


def _places(text: str, words: Any) -> tuple[float, ...]:
    """Where the characters stand, from the columns of the recognizer; empty if it gives none."""
    if not words or not words[0].line_txt_len:
        return ()
    line = words[0]
    columns = [column for word in line.word_cols for column in word]
    if len(columns) != len(text.replace(" ", "")):
        return ()
    return tuple((column + 0.5) / line.line_txt_len for column in columns)


def reading_failure(what: str, error: Exception) -> str:
    """Why something is not read. OpenCV and OCR fail on some pictures in many ways."""
    if isinstance(error, FootyError):
        return error.sentence()
    return f"{what} could not be read ({type(error).__name__}: {error})"


@lru_cache(maxsize=1)
def text_reader() -> TextReader:
    """The OCR engine of this process."""
    return RapidOcrReader()


def _engine() -> Any:
    try:
        logging.getLogger("RapidOCR").setLevel(logging.CRITICAL)
        load_onnxruntime()
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
            "Rec.rec_img_shape": [3, 48, MIN_WIDTH],
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            # Large pictures take a quarter less CPU, and no more memory.
            "EngineConfig.onnxruntime.enable_cpu_mem_arena": True,
        }
        return rapidocr.RapidOCR(params=params)
    except Exception as error:  # a broken installation fails in many ways
        raise OcrFailed(f"no OCR engine ({type(error).__name__}: {error})") from error


def _only(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if not found:
        raise FileNotFoundError(f"no {pattern} in {folder}")
    return found[-1]
