"""H1's interchange format."""

import numpy as np

from footy_assets.media import scan
from footy_assets.media.dense_hash import dense_string
from footy_assets_tests.fixtures.films import RenderFilm


def test_h1_a_hash_each_quarter_second_as_hex(render_film: RenderFilm) -> None:
    text = dense_string(scan(render_film(1)).samples)
    assert text.startswith("dense:0.25:")
    parts = text.removeprefix("dense:0.25:").split(",")
    assert len(parts) == 24
    assert all(len(part) == 16 and int(part, 16) >= 0 for part in parts)


def test_h1_flat_frames_are_zero() -> None:
    for shade in (16, 235):
        flat = dense_string(np.full((24, 128, 128), shade, np.uint8))
        assert set(flat.removeprefix("dense:0.25:").split(",")) == {"0" * 16}
