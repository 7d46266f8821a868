"""Moments of a clip as words that can be looked up.

The signs of sixteen harmonics at one moment are a word. Only harmonics that a mirror leaves alone
are used, and a word is one moment, so mirrored and faster copies say the same words. A clip says
those of its most telling moments: in a copy the same moments tell most.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footy_assets.media.fingerprint import HARMONICS, ODD, Codes

Ints = NDArray[np.int64]
Words = NDArray[np.uint16]
Contexts = NDArray[np.uint64]

WORD_BITS = 16
# A word with fewer telling codes would be shared by every calm moment.
TELLING_BITS = 8
# Codes that are 0 may well be 1 in a copy: so many bits of a word are tried both ways.
DOUBTED_BITS = 4
# Moments are chosen from stretches of two seconds: a short clip says all it can, a long one at
# least some from each.
STRETCH = 16
WORDS_A_VIEW = 64
WORDS_A_STRETCH = 4
# What surrounds a word: the same harmonics half a second before and after.
CONTEXT_LAG = 4
CONTEXT_BITS = 2 * WORD_BITS

STEADY: tuple[int, ...] = tuple(
    sorted((n for n in range(len(HARMONICS)) if not ODD[n]), key=lambda n: (sum(HARMONICS[n]), n))
)
_SPOKEN = list(STEADY[:WORD_BITS])


@dataclass(frozen=True, slots=True)
class Said:
    """Words with the view and the sample at which each is said, the bits of it that are 0 because
    the code is, and what surrounds it: the lower half of `contexts` has the signs, the upper half
    says which of them mean anything."""

    words: Words
    silent: Words
    views: Ints
    moments: Ints
    contexts: Contexts


def said(codes: Codes) -> Said:
    """The words of all views of a clip. A code of 0 is written as a bit of 0."""
    spoken = codes[:, :, _SPOKEN]
    views, moments = _telling_moments(np.count_nonzero(spoken, axis=2))
    padded = np.zeros((len(codes), codes.shape[1] + 2 * CONTEXT_LAG, WORD_BITS), np.int8)
    padded[:, CONTEXT_LAG:-CONTEXT_LAG] = spoken
    sides = [padded[views, moments], padded[views, moments + 2 * CONTEXT_LAG]]
    around = np.concatenate(sides, axis=1)
    contexts = _number(np.concatenate([around > 0, around != 0], axis=1))
    here = spoken[views, moments]
    words, silent = _number(here > 0).view(np.uint16), _number(here == 0).view(np.uint16)
    return Said(words, silent, views, moments, contexts.view(np.uint64))


def doubted(told: Said) -> tuple[Ints, Ints]:
    """All readings of each word, and which word each is a reading of."""
    readings, which = told.words, np.arange(len(told.words))
    silent = told.silent
    for _ in range(DOUBTED_BITS):
        lowest = silent & (~silent + np.uint16(1))
        silent = silent ^ lowest
        bit = lowest[which]
        other = np.flatnonzero(bit)
        readings = np.concatenate([readings, readings[other] | bit[other]])
        which = np.concatenate([which, which[other]])
    return which, readings.astype(np.int64)


def context_agreement(mine: Contexts, theirs: Contexts) -> NDArray[np.int16]:
    """How many surrounding codes agree, less those that do not."""
    meaning = (mine & theirs) >> np.uint64(CONTEXT_BITS)
    differing = (mine ^ theirs) & meaning
    counted = np.bitwise_count(meaning).astype(np.int16)
    return np.asarray(counted - 2 * np.bitwise_count(differing), dtype=np.int16)


def _number(bits: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """The bytes of each row of bits, one row after the other."""
    return np.packbits(bits, axis=1, bitorder="little").reshape(-1)


def _telling_moments(told: Ints) -> tuple[Ints, Ints]:
    """Views and samples: of each stretch the moments with the most telling codes."""
    views, samples = told.shape
    stretches = -(-samples // STRETCH)
    most = min(STRETCH, max(WORDS_A_STRETCH, WORDS_A_VIEW // max(1, stretches)))
    padded = np.zeros((views, stretches * STRETCH), np.int64)
    padded[:, :samples] = told
    by_stretch = padded.reshape(views, stretches, STRETCH)
    best = np.argsort(-by_stretch, axis=2, kind="stable")[:, :, :most]
    chosen = np.zeros(by_stretch.shape, bool)
    np.put_along_axis(chosen, best, True, axis=2)
    chosen &= by_stretch >= TELLING_BITS
    chosen_views, moments = np.nonzero(chosen.reshape(views, -1))
    return chosen_views.astype(np.int64), moments.astype(np.int64)
