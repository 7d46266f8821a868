"""Words are the same for a copy, also mirrored, and calm moments say none."""

import numpy as np

from footy_assets.media.fingerprint import ODD
from footy_assets.media.words import (
    CONTEXT_BITS,
    DOUBTED_BITS,
    STRETCH,
    TELLING_BITS,
    WORDS_A_STRETCH,
    context_agreement,
    doubted,
    said,
)
from footy_assets_tests.media.conftest import Printed
from footy_assets_tests.media.test_planes import random_codes


def test_a_mirrored_clip_says_the_same_words(printed: Printed) -> None:
    codes = printed(1).codes
    turned = np.where(ODD, -codes, codes).astype(np.int8)
    for name in ("words", "silent", "views", "moments", "contexts"):
        assert np.array_equal(getattr(said(codes), name), getattr(said(turned), name))


def test_calm_moments_say_nothing() -> None:
    codes = random_codes(3, 2, 64)
    codes[:, 20:40] = 0
    moments = set(said(codes).moments.tolist())
    assert moments
    assert moments.isdisjoint(range(20, 40))


def test_a_long_clip_says_some_words_of_every_stretch() -> None:
    told = said(random_codes(4, 1, 60 * 8))
    stretches = np.bincount(told.moments // STRETCH)
    assert stretches.max() == WORDS_A_STRETCH
    assert stretches.min() >= 1


def test_a_doubted_word_is_read_both_ways() -> None:
    told = said(random_codes(5, 1, 16))
    which, readings = doubted(told)
    for number, word in enumerate(told.words.tolist()):
        mine = readings[which == number]
        assert word in mine
        assert len(set(mine.tolist())) == len(mine)
        assert 1 < len(mine) <= 2**DOUBTED_BITS
        assert all(reading & word == word for reading in mine.tolist())
        assert all((reading ^ word).bit_count() <= DOUBTED_BITS for reading in mine.tolist())


def test_contexts_agree_as_far_as_their_codes_do() -> None:
    told = said(np.where(random_codes(6, 1, 40) > 0, 1, -1).astype(np.int8))
    inside = (told.moments >= 4) & (told.moments < 36)
    same = context_agreement(told.contexts, told.contexts)
    assert set(same[inside].tolist()) == {CONTEXT_BITS}
    signs = np.uint64(2**CONTEXT_BITS - 1)
    opposite = context_agreement(told.contexts, told.contexts ^ signs)
    assert set(opposite[inside].tolist()) == {-CONTEXT_BITS}
    assert TELLING_BITS < CONTEXT_BITS
