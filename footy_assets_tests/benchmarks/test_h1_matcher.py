"""H1's matcher, which the media benchmarks compare ours with."""

import numpy as np
import pytest

from benchmarks.h1_matcher import h1_match, h1_match_in_loops, parse_dense
from footy_assets.media import scan
from footy_assets.media.dense_hash import dense_string
from footy_assets_tests.fixtures.films import RenderFilm
from footy_assets_tests.media.films import Take


def dense(*values: int) -> str:
    return "dense:0.25:" + ",".join(f"{value:016x}" for value in values)


def test_h1_finds_a_reencoded_copy_and_not_another_film(render_film: RenderFilm) -> None:
    whole = dense_string(scan(render_film(1)).samples)
    small = dense_string(scan(render_film(1, Take(size=(240, 136), crf=34))).samples)
    other = dense_string(scan(render_film(2)).samples)
    assert h1_match(whole, small)
    assert not h1_match(whole, other)


def test_h1_three_consecutive_frames_at_one_offset_within_ten_bits() -> None:
    far = (1 << 64) - 1
    near = (1 << 10) - 1
    base = 1 << 40
    assert h1_match(dense(base, base, base), dense(far, *[base ^ near] * 3))
    assert not h1_match(dense(base, base, base), dense(*[base ^ (near << 1 | 1)] * 3))
    assert not h1_match(dense(base, base, base), dense(base, base, far, base))


def test_h1_flat_frames_never_count_as_evidence() -> None:
    black = dense_string(np.full((24, 128, 128), 16, np.uint8))
    white = dense_string(np.full((24, 128, 128), 235, np.uint8))
    assert not parse_dense(black)[1].any()
    assert not h1_match(black, black)
    assert not h1_match(black, white)


def test_h1_loops_and_arrays_agree() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        a = rng.integers(1, 2**63, 12).tolist()
        b = rng.integers(1, 2**63, 12).tolist()
        if rng.random() < 0.5:
            b[2:5] = [value ^ 0b1010101 for value in a[6:9]]
        assert h1_match(dense(*a), dense(*b)) == h1_match_in_loops(a, b)


@pytest.mark.parametrize("text", ["", "dense:0.5:00", "dense:0.25:zz", "dense:0.25:" + "f" * 17])
def test_h1_other_strings_are_rejected(text: str) -> None:
    with pytest.raises(ValueError, match="dense:"):
        parse_dense(text)
