"""H1, H9: the original system's hash strings, written, read and matched."""

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from footy_assets.errors import BadInput
from footy_assets.media import scan
from footy_assets.media.dense_hash import DenseMatch, dense_string, match_dense, parse_dense
from footy_assets_tests.fixtures.films import RenderFilm
from footy_assets_tests.media.films import Take

FAR = (1 << 64) - 1
BASE = 1 << 40


def dense(*values: int) -> str:
    return "dense:0.25:" + ",".join(
        f"{0.25 * number:.2f}={value:016x}" for number, value in enumerate(values, 1)
    )


def matched(a: str, b: str) -> DenseMatch:
    return match_dense(parse_dense(a), parse_dense(b))


def test_h9_a_time_and_a_hash_each_quarter_second_without_the_last_moments(
    render_film: RenderFilm,
) -> None:
    text = dense_string(scan(render_film(1)).samples)
    assert text.startswith("dense:0.25:0.25=")
    parts = [part.split("=") for part in text.removeprefix("dense:0.25:").split(",")]
    assert [seconds for seconds, _ in parts] == [f"{n / 4:.2f}" for n in range(1, 23)]
    assert all(len(value) == 16 and int(value, 16) >= 0 for _, value in parts)


def test_h9_the_bits_are_those_of_the_original() -> None:
    """Row by row, 1 where a pixel is darker than the next one to its right."""
    rows = np.random.default_rng(4).permutation(72).reshape(8, 9) * 3
    picture = np.kron(rows, np.ones((16, 16))).astype(np.uint8)
    squeezed = np.asarray(Image.fromarray(picture).resize((128, 128), Image.Resampling.NEAREST))
    (value,) = parse_dense(dense_string(np.array([squeezed]))).hashes
    bits = "".join("1" if row[i] < row[i + 1] else "0" for row in rows for i in range(8))
    assert (int(value) ^ int(bits, 2)).bit_count() <= 6, "near shades may change places"


def test_h9_a_film_shorter_than_a_quarter_second_has_its_first_frame() -> None:
    noise = np.random.default_rng(0).integers(0, 255, (1, 128, 128), np.uint8)
    assert dense_string(noise).startswith("dense:0.25:0.00=")


def test_h1_flat_frames_are_zero_and_never_evidence() -> None:
    black, white = (dense_string(np.full((24, 128, 128), s, np.uint8)) for s in (16, 235))
    assert not parse_dense(black).hashes.any()
    assert not matched(black, black).match
    assert not matched(black, white).match


def test_h1_finds_a_reencoded_copy_and_not_another_film(render_film: RenderFilm) -> None:
    whole, small, other = (
        dense_string(scan(film).samples)
        for film in (
            render_film(1),
            render_film(1, Take(size=(240, 136), crf=34)),
            render_film(2),
        )
    )
    assert matched(whole, small) == DenseMatch(match=True, frames=22, offset_seconds=0.0)
    assert not matched(whole, other).match


def test_h1_three_consecutive_frames_at_one_offset_within_ten_bits() -> None:
    near = (1 << 10) - 1
    base = dense(BASE, BASE, BASE)
    assert matched(base, dense(FAR, *[BASE ^ near] * 3)) == DenseMatch(
        match=True, frames=3, offset_seconds=-0.25
    )
    assert not matched(base, dense(*[BASE ^ (near << 1 | 1)] * 3)).match
    assert matched(base, dense(BASE, BASE, FAR, BASE)) == DenseMatch(
        match=False, frames=2, offset_seconds=0.0
    )


def test_h9_strings_of_earlier_versions_have_no_times_and_are_read_as_well() -> None:
    earlier = f"dense:0.25:{BASE:016x},{FAR:x}\n"
    read: NDArray[np.float64] = parse_dense(earlier).seconds
    assert read.tolist() == [0.0, 0.25]
    assert parse_dense(earlier).hashes.tolist() == [BASE, FAR]


def test_h9_a_hash_without_frames_matches_nothing() -> None:
    assert matched("dense:0.25:", dense(BASE)) == DenseMatch(False, 0, 0.0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "dense:0.5:0.50=00",
        "dense:0.25:zz",
        "dense:0.25:0.25=",
        "dense:0.25:x=00",
        "dense:0.25:0.25=-1",
        "dense:0.25:" + "f" * 17,
        "dense:0.25:" + "9" * 400 + "=00",
    ],
)
def test_h9_other_strings_are_refused_with_the_part_that_is_wrong(text: str) -> None:
    with pytest.raises(BadInput, match="hash"):
        parse_dense(text)
