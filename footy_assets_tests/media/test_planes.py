"""Codes as bits: nothing is lost, and counting bits gives what multiplying codes gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footy_assets.media.fingerprint import HARMONICS, ODD, Codes
from footy_assets.media.planes import REACH, Planes, agreement_around, packed, rows_of


def random_codes(seed: int, views: int, samples: int) -> Codes:
    rng = np.random.default_rng(seed)
    return rng.integers(-1, 2, (views, samples, len(HARMONICS))).astype(np.int8)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 40)), min_size=1, max_size=4))
def test_codes_survive_packing(shapes: list[tuple[int, int]]) -> None:
    clips = [random_codes(n, *shape) for n, shape in enumerate(shapes)]
    planes = Planes.of([packed(codes) for codes in clips], [codes.shape[1] for codes in clips])
    for number, codes in enumerate(clips):
        assert np.array_equal(planes.codes(number), codes)
        assert np.array_equal(planes.codes(number, len(codes) - 1), codes[-1])


def test_a_row_is_placed_where_it_came_from() -> None:
    clips = [
        random_codes(n, views, samples) for n, (views, samples) in enumerate([(8, 30), (9, 7)])
    ]
    planes = Planes.of([packed(codes) for codes in clips], [30, 7])
    row = planes.starts[1] + rows_of(7, np.array([4]), np.array([3]))
    assert [part.tolist() for part in planes.place(row)] == [[1], [4], [3]]


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("moment", [0, 3, 20, 39])
def test_agreement_is_that_of_the_codes(moment: int, mirrored: bool) -> None:
    mine = random_codes(1, 2, 40)
    theirs = np.where(np.random.default_rng(2).random(mine.shape) < 0.3, 0, mine).astype(np.int8)
    if mirrored:
        theirs = np.where(ODD, -theirs, theirs)
    planes = [Planes.of([packed(codes)], [40]) for codes in (mine, theirs)]
    row = rows_of(40, np.array([1]), np.array([moment]))
    (agreed,), (turned,) = agreement_around(planes[0], row, planes[1], row)
    window = slice(max(0, moment - REACH), moment + REACH)
    a, b = (codes[1, window].astype(float) for codes in (mine, theirs))
    b = np.where(ODD, -b, b) if mirrored else b
    told = np.sqrt(np.count_nonzero(a) * np.count_nonzero(b))
    assert agreed == pytest.approx((a * b).sum() / told, abs=1e-5)
    assert turned == mirrored
