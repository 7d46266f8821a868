"""Fingerprints are small and stable, and survive a round trip through bytes."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footy_assets.media import Fingerprint, FingerprintUnreadable, fingerprint, fingerprint_of, scan
from footy_assets.media.content_box import WHOLE, content_box
from footy_assets.media.fingerprint import HARMONICS, STRIP
from footy_assets_tests.fixtures.films import FingerprintFilm, RenderFilm
from footy_assets_tests.media import films
from footy_assets_tests.media.films import Take


def test_bytes_round_trip(fingerprint_film: FingerprintFilm) -> None:
    for take in (Take(), Take(edit=films.letterbox)):
        made = fingerprint_film(1, take)
        again = Fingerprint.from_bytes(made.to_bytes())
        assert again == made
        assert hash(again) == hash(made)
        assert again.duration == made.duration
        assert np.array_equal(again.codes, made.codes)


def test_a_half_minute_takes_no_more_than_twenty_kilobytes(
    fingerprint_film: FingerprintFilm,
) -> None:
    made = fingerprint_film(1)
    assert len(made.to_bytes()) / made.duration * 30 < 20_000


def test_the_same_file_gives_the_same_bytes(render_film: RenderFilm) -> None:
    assert fingerprint(render_film(1)).to_bytes() == fingerprint(render_film(1)).to_bytes()


def test_a_fingerprint_from_a_shared_pass_is_the_same(render_film: RenderFilm) -> None:
    shared = scan(render_film(1), stills_at=(0.25, 0.75))
    assert fingerprint_of(shared) == fingerprint(render_film(1))


def test_another_version_is_rejected(fingerprint_film: FingerprintFilm) -> None:
    stored = bytearray(fingerprint_film(1).to_bytes())
    stored[4] += 1
    with pytest.raises(FingerprintUnreadable, match="version"):
        Fingerprint.from_bytes(bytes(stored))


@given(st.binary(max_size=200))
def test_other_bytes_are_rejected(stored: bytes) -> None:
    with pytest.raises(FingerprintUnreadable):
        Fingerprint.from_bytes(stored)


def test_damaged_bytes_are_rejected_in_bounded_memory(fingerprint_film: FingerprintFilm) -> None:
    stored = fingerprint_film(1).to_bytes()
    for cut in (10, len(stored) // 2, len(stored) - 1):
        with pytest.raises(FingerprintUnreadable):
            Fingerprint.from_bytes(stored[:cut])
    with pytest.raises(FingerprintUnreadable):
        Fingerprint.from_bytes(stored + b"x")
    huge = bytearray(stored)
    struct.pack_into("<I", huge, 8, 2**32 - 1)
    with pytest.raises(FingerprintUnreadable):
        Fingerprint.from_bytes(bytes(huge))


def test_a_clip_without_borders_has_no_untrimmed_view(fingerprint_film: FingerprintFilm) -> None:
    assert fingerprint_film(1).codes.shape[0] == STRIP + 1
    assert fingerprint_film(1, Take(edit=films.letterbox)).codes.shape[0] == STRIP + 2
    assert fingerprint_film(1).codes.shape[2] == len(HARMONICS)


def test_the_content_box_leaves_out_the_borders(render_film: RenderFilm) -> None:
    assert content_box(scan(render_film(1)).samples) == WHOLE
    boxed = content_box(scan(render_film(1, Take(edit=films.letterbox))).samples)
    assert boxed.top == pytest.approx(70 / 320, abs=0.02)
    assert boxed.bottom == pytest.approx(250 / 320, abs=0.02)
    assert (boxed.left, boxed.right) == (0, 1)
    banded = content_box(scan(render_film(1, Take(edit=films.caption))).samples)
    assert banded.top == pytest.approx(54 / 234, abs=0.02)
    assert banded.bottom == 1


def test_black_and_frozen_stretches_have_no_nonzero_code(fingerprint_film: FingerprintFilm) -> None:
    made = fingerprint_film(1, Take(lead_in=2.5))
    assert not made.codes[:, :17].any()
    assert made.codes[:, 22:].any()
