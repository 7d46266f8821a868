"""One clip against many stored ones: a vote finds the few that are worth a real comparison.

The signs of twelve harmonics at one moment are a 12-bit word. The index knows where each word
occurs. A query looks its own words up and votes for (clip, offset); chance spreads its votes over
all offsets, the same footage piles them up at one. The vote costs microseconds per stored clip and
decides nothing: what it puts forward is compared in full. Only harmonics that a mirror leaves alone
are used, and a word is one moment, so mirrored and faster copies vote like any other.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from footy_assets.media.alignment import ODD
from footy_assets.media.compare import Match, compare
from footy_assets.media.fingerprint import CONTENT, HARMONICS, Codes, Fingerprint

Key = TypeVar("Key", bound=Hashable)
Ints = NDArray[np.int64]
Places = NDArray[np.int32]

WORD_BITS = 12
# Stored clips say a word at every second sample; the query says one at each, so no phase is missed.
STORED_STEP = 2
# A word with fewer telling codes would be shared by every calm moment.
TELLING_BITS = 7
# How far apart the votes for one offset may lie, in samples: first a copy at its own speed, then
# one that drifts because it plays faster.
WINDOWS: tuple[int, ...] = (8, 32)
# How many clips are compared in full; a library no larger than this is compared whole.
SHORTLIST = 24

_STEADY = sorted(
    (n for n in range(len(HARMONICS)) if not ODD[n]), key=lambda n: (sum(HARMONICS[n]), n)
)
# Two words a moment: the lowest harmonics, and the highest with some in common.
TABLES: tuple[list[int], ...] = (_STEADY[:WORD_BITS], _STEADY[-WORD_BITS:])


@dataclass(frozen=True, slots=True)
class Hit(Generic[Key]):
    """A stored clip that shows the same footage."""

    key: Key
    match: Match


class _Index:
    """For each table and word the places at which it occurs, on one long line of all clips."""

    def __init__(self, clips: list[list[Codes]], starts: Places) -> None:
        self._tables: list[tuple[Ints, Places]] = []
        for harmonics in TABLES:
            words, places = [], []
            for start, views in zip(starts.tolist(), clips, strict=True):
                for view in views:
                    said, moments = _words(view, harmonics, STORED_STEP)
                    words.append(said.astype(np.uint16))
                    places.append((moments + start).astype(np.int32))
            said = np.concatenate(words)
            order = np.argsort(said, kind="stable")
            counts = np.bincount(said, minlength=1 << WORD_BITS)
            begins = np.concatenate([[0], np.cumsum(counts)])
            self._tables.append((begins, np.concatenate(places)[order]))

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for table in self._tables for part in table)

    def votes(self, codes: Codes) -> Places:
        """For each occurrence of a word of the query: where the query would begin."""
        found = []
        for (begins, places), harmonics in zip(self._tables, TABLES, strict=True):
            words, moments = _words(codes, harmonics, doubted=True)
            for begin, end, moment in zip(
                begins[words].tolist(), begins[words + 1].tolist(), moments.tolist(), strict=True
            ):
                found.append(places[begin:end] - np.int32(moment))
        return np.concatenate(found) if found else np.zeros(0, np.int32)


class Library(Generic[Key]):
    """Stored fingerprints, indexed once."""

    def __init__(self, stored: Iterable[tuple[Key, Fingerprint]]) -> None:
        self._stored = list(stored)
        self._indexes: tuple[_Index, _Index] | None = None
        if len(self._stored) > SHORTLIST:
            # All clips have the same room, with a gap before each for queries that begin earlier.
            self._longest = max(f.samples for _, f in self._stored)
            self._room = 2 * self._longest + max(WINDOWS)
            starts = np.arange(len(self._stored), dtype=np.int32) * self._room + self._longest
            # A crop of the query may be a stored clip, or the query a crop of a stored one.
            self._indexes = (
                _Index([[f.codes[CONTENT]] for _, f in self._stored], starts),
                _Index([list(f.codes) for _, f in self._stored], starts),
            )

    def __len__(self) -> int:
        return len(self._stored)

    @property
    def nbytes(self) -> int:
        """Memory held: codes and indexes."""
        codes = sum(stored.codes.nbytes for _, stored in self._stored)
        return codes + sum(index.nbytes for index in self._indexes or ())

    def search(self, query: Fingerprint) -> list[Hit[Key]]:
        """The stored clips that show the same footage, best first."""
        found = [Hit(key, compare(query, stored)) for key, stored in self.shortlist(query)]
        hits = [hit for hit in found if hit.match.match]
        return sorted(hits, key=lambda hit: -hit.match.surprise)

    def shortlist(self, query: Fingerprint) -> list[tuple[Key, Fingerprint]]:
        """The clips most worth comparing."""
        if self._indexes is None:
            return self._stored
        outstanding = np.zeros(len(self._stored), np.float32)
        # A query longer than all stored clips is looked up in overlapping parts of their length.
        hop = self._longest // 2 + 1
        for begin in range(0, max(1, query.samples - hop), hop):
            part = query.codes[:, begin : begin + self._longest]
            outstanding = np.maximum(outstanding, self._outstanding(part))
        best = np.argpartition(outstanding, -SHORTLIST)[-SHORTLIST:]
        return [self._stored[n] for n in best.tolist()]

    def _outstanding(self, query: Codes) -> NDArray[np.float32]:
        """Per stored clip, how far the votes at its best offset exceed those at any offset."""
        assert self._indexes is not None
        of_whole, of_all = self._indexes
        votes = np.concatenate(
            [of_all.votes(query[CONTENT])] + [of_whole.votes(view) for view in query[CONTENT + 1 :]]
        )
        line = np.bincount(votes, minlength=len(self._stored) * self._room)
        running = np.zeros((len(self._stored), self._room + 1), np.float32)
        np.cumsum(line.reshape(len(self._stored), self._room), axis=1, out=running[:, 1:])
        mean = running[:, -1] / self._room
        best = np.zeros(len(self._stored), np.float32)
        for window in WINDOWS:
            piled = (running[:, window:] - running[:, :-window]).max(axis=1)
            expected = window * mean
            best = np.maximum(best, (piled - expected) / np.sqrt(expected + 1))
        return best


def _words(
    codes: Codes, harmonics: list[int], step: int = 1, doubted: bool = False
) -> tuple[Ints, Ints]:
    """The words of a clip and the samples at which they are said; calm moments say none.

    A code of 0 is written as a bit of 0. `doubted` also gives the words in which one such bit is 1:
    where one clip shows no telling change, a copy may show a small one.
    """
    taken = codes[::step, harmonics]
    told = np.flatnonzero(np.count_nonzero(taken, axis=1) >= TELLING_BITS)
    taken = taken[told]
    words = (taken > 0) @ (1 << np.arange(WORD_BITS))
    if not doubted:
        return words, told * step
    moment, bit = np.nonzero(taken == 0)
    others = words[moment] | (1 << bit)
    return np.concatenate([words, others]), np.concatenate([told, told[moment]]) * step
