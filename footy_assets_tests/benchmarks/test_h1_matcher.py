"""H1's matcher in loops, which the media benchmarks compare ours with."""

import numpy as np

from benchmarks.h1_matcher import h1_match, h1_match_in_loops
from footy_assets_tests.media.test_dense_hash import dense


def test_h1_loops_and_arrays_agree() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        a = rng.integers(1, 2**63, 12).tolist()
        b = rng.integers(1, 2**63, 12).tolist()
        if rng.random() < 0.5:
            b[2:5] = [value ^ 0b1010101 for value in a[6:9]]
        assert h1_match(dense(*a), dense(*b)) == h1_match_in_loops(a, b)
