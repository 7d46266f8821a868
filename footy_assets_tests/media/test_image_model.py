"""The network gives the reference output, and its weights file is read without executing it."""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from footy_assets.media.efficientnet import EMBEDDING
from footy_assets.media.image_model import (
    ImageModel,
    cache_folder,
    model_file,
    model_source,
    to_pixels,
    weights_file,
)
from footy_assets.media.torch_weights import MAGIC, VERSION, WeightsUnreadable, read_weights

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> ImageModel:
    return ImageModel(tmp_path_factory.mktemp("image-model"))


def waves() -> np.ndarray:
    y, x = np.mgrid[0:224, 0:224].astype(np.float32)
    blue, green, red = np.sin(x / 9 + y / 31), np.sin(y / 5), np.cos((x + y) / 17)
    picture = np.stack([127 + 120 * blue, 127 + 110 * green, 127 + 100 * red], axis=-1)
    return np.clip(picture, 0, 255).astype(np.uint8)


def test_the_output_equals_that_of_pytorch(model: ImageModel) -> None:
    """Reference numbers by efficientnet_lite_pytorch 0.1.0 on torch 2.13.0 with these weights."""
    features = model.features(waves())
    assert [number for number, _ in features.top(3)] == [753, 906, 741]
    expected = [0.301097, 0.238647, 0.063232]
    assert [share for _, share in features.top(3)] == pytest.approx(expected, abs=1e-4)
    assert features.embedding.shape == (EMBEDDING,)
    assert float(features.embedding.mean()) == pytest.approx(0.1778606, abs=1e-5)
    assert float(features.probabilities.sum()) == pytest.approx(1, abs=1e-5)


def test_pixels_are_rgb_from_about_minus_one_to_one() -> None:
    blue = np.zeros((50, 80, 3), np.uint8)
    blue[:, :, 0] = 255
    pixels = to_pixels(blue)
    assert pixels.shape == (1, 3, 224, 224)
    assert pixels[0, :, 0, 0].tolist() == pytest.approx([-127 / 128, -127 / 128, 1])


def test_model_file_is_written_once_and_leaves_nothing_half_done(tmp_path: Path) -> None:
    path = model_file(tmp_path / "new" / "cache")
    written = path.stat().st_mtime_ns
    assert model_file(tmp_path / "new" / "cache") == path
    assert path.stat().st_mtime_ns == written
    assert list(path.parent.iterdir()) == [path]


def test_the_cache_is_in_the_users_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "footy"


class Harm:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Path.touch, (Path("harm-done"),)


@pytest.mark.parametrize("place", [0, 2, 3, 4])
def test_a_weights_file_cannot_call_functions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    monkeypatch.chdir(tmp_path)
    parts: list[object] = [MAGIC, VERSION, {"little_endian": True}, {}, []]
    parts[place] = {"little_endian": Harm()} if place == 2 else Harm()
    file = tmp_path / "bad.pth"
    file.write_bytes(b"".join(pickle.dumps(part, protocol=2) for part in parts))
    with pytest.raises(WeightsUnreadable, match="not allowed"):
        read_weights(file)
    assert not (tmp_path / "harm-done").exists()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 a newer file", b"\x80\x02K\x01."])
def test_other_files_are_rejected(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "other.pth"
    file.write_bytes(content)
    with pytest.raises(WeightsUnreadable, match=r"other\.pth"):
        read_weights(file)


def test_a_truncated_weights_file_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "half.pth"
    file.write_bytes(weights_file().read_bytes()[:3_000_000])
    with pytest.raises(WeightsUnreadable):
        read_weights(file)


def test_the_model_stays_in_memory_if_its_file_cannot_be_written(tmp_path: Path) -> None:
    no_folder = tmp_path / "file"
    no_folder.write_bytes(b"")
    source = model_source(no_folder)
    assert isinstance(source, bytes)
    assert source == model_file(tmp_path).read_bytes()


def test_importing_the_engine_loads_no_network() -> None:
    program = (
        "import sys, footy_assets.media\n"
        "assert not {'onnx', 'onnxruntime', 'torch'} & set(sys.modules), 'loaded too early'"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
