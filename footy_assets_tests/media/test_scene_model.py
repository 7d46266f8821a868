"""V8: the second look at a picture that may show football."""

import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from footy_assets.errors import BadInput
from footy_assets.media.efficientnet import EMBEDDING, LITE2
from footy_assets.media.frame_assessment import assess_frames
from footy_assets.media.image_model import image_model
from footy_assets.media.scene_model import (
    SCENE_WEIGHTS_FILE,
    parse_scene_model,
    scene_model,
    views,
)
from footy_assets_tests.media.test_frame_assessment import any_probe, cache, face, pitch, scan_of

__all__ = ["any_probe", "cache"]


@pytest.mark.parametrize("shape", [(90, 160), (160, 90)])
def test_a_picture_is_seen_whole_and_in_squares_that_cover_it(shape: tuple[int, int]) -> None:
    picture = np.arange(shape[0] * shape[1] * 3).reshape(*shape, 3).astype(np.uint8)
    whole, *squares = views(picture)
    assert whole.shape == (*shape, 3)
    assert [square.shape for square in squares] == [(90, 90, 3)] * 3
    assert np.array_equal(squares[0], picture[:90, :90])
    assert np.array_equal(squares[-1], picture[-90:, -90:])


def test_weights_of_another_network_are_rejected() -> None:
    weights = json.loads(files("footy_assets.media").joinpath(SCENE_WEIGHTS_FILE).read_text())
    weights["embedding"].pop()
    with pytest.raises(BadInput, match="another network"):
        parse_scene_model(json.dumps(weights))


@pytest.mark.slow
def test_the_larger_network_knows_what_it_sees(cache: Path) -> None:
    features = image_model(cache, LITE2).features(pitch(0))
    assert features.embedding.shape == (EMBEDDING,)
    assert float(features.probabilities.sum()) == pytest.approx(1, abs=1e-5)


@pytest.mark.slow
def test_v8_a_frame_that_the_second_look_doubts_stays_open(any_probe, cache: Path) -> None:
    seen = assess_frames(scan_of(any_probe, pitch), cache)
    assert seen.football is True
    assert all(frame.scene is not None for frame in seen.frames)
    strict = replace(scene_model(), threshold=1.1)
    doubted = assess_frames(scan_of(any_probe, pitch), cache, strict)
    assert doubted.football is None
    assert len(doubted.frames) == 3
    assert "another scene" in doubted.frames[0].reasons[-1]


@pytest.mark.slow
def test_what_is_surely_no_football_gets_no_second_look(any_probe, cache: Path) -> None:
    frames = assess_frames(scan_of(any_probe, face), cache).frames
    assert [frame.scene for frame in frames] == [None, None]
