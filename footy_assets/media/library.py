"""One clip against many stored ones: words find moments that may be the same, and only where a
second around such a moment agrees are two clips fitted to each other.

Each step is dearer than the one before and sees far fewer pairs of moments: a word is looked up in
nanoseconds, its context is compared beside it in the index, the second around it in bit planes,
and the fit takes a part of a millisecond. What the fit leaves undecided is compared in full.
"""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from footy_assets.media.compare import MIN_SURPRISE, NO_MATCH, Match, as_match, compare, judged
from footy_assets.media.decode import SAMPLES_PER_SECOND
from footy_assets.media.fingerprint import CONTENT, UNTRIMMED, Codes, Fingerprint
from footy_assets.media.fit import Meeting, fitted
from footy_assets.media.planes import Planes, agreement_around, packed, rows_of
from footy_assets.media.words import WORD_BITS, Said, context_agreement, doubted, said

Key = TypeVar("Key", bound=Hashable)
Ints = NDArray[np.int64]
Places = NDArray[np.int32]

# The views that show all of a picture: one of the two that meet is always one of these.
WHOLE_VIEWS = (CONTENT, UNTRIMMED)
_IS_WHOLE = np.isin(np.arange(max(WHOLE_VIEWS) + 1), WHOLE_VIEWS)
# How many more of the 32 codes around a word must agree than differ.
MIN_CONTEXT = 6
# A second around a true meeting agrees at least so well; so do some others.
MIN_AROUND = 0.3
# Chance hardly ever gets here, however many clips are stored.
CLEAR_AROUND = 0.42
# Of the meetings in between, how many are fitted; of one clip, how many at most.
UNCLEAR_FITS = 6
FITS_A_CLIP = 3
# If a second agrees like this and the fit finds nothing, they may share more elsewhere.
STRIKING_AROUND = 0.6
# A fit this close below a match may be one in another view.
UNDECIDED = 0.75 * MIN_SURPRISE


@dataclass(frozen=True, slots=True)
class Hit(Generic[Key]):
    """A stored clip that shows the same footage."""

    key: Key
    match: Match


@dataclass(frozen=True, slots=True)
class Met:
    """Where a stored clip and the query may meet: the clip, the views, the samples."""

    clip: int
    stored: tuple[int, int]
    query: tuple[int, int]
    mirrored: bool
    around: float

    def resembles(self, other: "Met") -> bool:
        """Would a fit find the same?"""
        apart = self.query[1] - self.stored[1] - other.query[1] + other.stored[1]
        views = (self.query[0], self.stored[0]) == (other.query[0], other.stored[0])
        return views and abs(apart) <= SAMPLES_PER_SECOND


class _Index:
    """For each word the rows at which it is said, with their contexts. Of each word those said by
    a whole picture come first: a crop of the query is only looked for among these."""

    def __init__(self, clips: Iterable[tuple[int, int, Said]]) -> None:
        words, rows, contexts, wholes = [], [], [], []
        for start, samples, told in clips:
            words.append(told.words)
            rows.append((start + rows_of(samples, told.views, told.moments)).astype(np.int32))
            contexts.append(told.contexts)
            wholes.append(_IS_WHOLE[told.views])
        all_words, whole = np.concatenate(words), np.concatenate(wholes)
        order = np.lexsort((~whole, all_words))
        self._rows: Places = np.concatenate(rows)[order]
        self._contexts = np.concatenate(contexts)[order]
        size = 1 << WORD_BITS
        ends = np.cumsum(np.bincount(all_words, minlength=size))
        self._begins: Places = np.concatenate([[0], ends]).astype(np.int32)
        wholes_of = np.bincount(all_words[whole], minlength=size)
        self._crops: Places = (self._begins[:-1] + wholes_of).astype(np.int32)

    @property
    def nbytes(self) -> int:
        parts = (self._rows, self._contexts, self._begins, self._crops)
        return sum(part.nbytes for part in parts)

    def meetings(self, codes: Codes) -> tuple[Said, Ints, Ints]:
        """The query's words, and pairs of one of them and a stored row whose contexts agree."""
        told = said(codes)
        which, words = doubted(told)
        begins = self._begins[words].astype(np.int64)
        ends = np.where(_IS_WHOLE[told.views][which], self._begins[words + 1], self._crops[words])
        counts = ends - begins
        asked = np.repeat(which, counts)
        found = np.arange(len(asked)) + np.repeat(begins - counts.cumsum() + counts, counts)
        agreed = context_agreement(told.contexts[asked], self._contexts[found])
        kept = np.flatnonzero(agreed >= MIN_CONTEXT)
        return told, asked[kept], self._rows[found[kept]].astype(np.int64)


class Library(Generic[Key]):
    """Stored fingerprints, indexed once and kept as bits."""

    def __init__(self, stored: Iterable[tuple[Key, Fingerprint]]) -> None:
        self._keys: list[Key] = []
        self._durations: list[float] = []
        samples, bits, words = [], [], []
        for key, print_ in stored:
            self._keys.append(key)
            self._durations.append(print_.duration)
            samples.append(print_.samples)
            bits.append(packed(print_.codes))
            words.append(said(print_.codes))
        self._planes = Planes.of(bits, samples)
        starts = self._planes.starts.tolist()
        self._index = _Index(zip(starts, samples, words, strict=True)) if samples else None

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def nbytes(self) -> int:
        """Memory held: bits and index."""
        return self._planes.nbytes + (self._index.nbytes if self._index else 0)

    def stored(self, number: int) -> Fingerprint:
        """A stored fingerprint as it was given."""
        return Fingerprint(self._durations[number], self._planes.codes(number))

    def search(self, query: Fingerprint) -> list[Hit[Key]]:
        """The stored clips that show the same footage, best first."""
        hits = []
        for clip, meetings in self._shortlist(query):
            match = self._decided(query, clip, meetings)
            if match.match:
                hits.append(Hit(self._keys[clip], match))
        return sorted(hits, key=lambda hit: -hit.match.surprise)

    def _decided(self, query: Fingerprint, clip: int, meetings: list[Met]) -> Match:
        best = NO_MATCH
        for met in meetings:
            match = _fit(query.codes[met.query[0]], self._planes.codes(clip, met.stored[0]), met)
            if match.match:
                return match
            if match.surprise > best.surprise:
                best = match
        if best.surprise < UNDECIDED and meetings[0].around < STRIKING_AROUND:
            return best
        return compare(query, self.stored(clip))

    def _shortlist(self, query: Fingerprint) -> Iterator[tuple[int, list[Met]]]:
        """Clips worth a fit, each with its best meetings."""
        by_clip: dict[int, list[Met]] = {}
        unclear = 0
        for met in self._meetings(query):
            others = by_clip.setdefault(met.clip, [])
            if not others and met.around < CLEAR_AROUND:
                unclear += 1
                if unclear > UNCLEAR_FITS:
                    break
            if len(others) < FITS_A_CLIP and not any(map(met.resembles, others)):
                others.append(met)
        return ((clip, meetings) for clip, meetings in by_clip.items() if meetings)

    def _meetings(self, query: Fingerprint) -> Iterator[Met]:
        """Those around which a second agrees, best first."""
        if self._index is None:
            return
        told, asked, there = self._index.meetings(query.codes)
        mine = Planes.of([packed(query.codes)], [query.samples])
        here = rows_of(query.samples, told.views, told.moments)[asked]
        around, mirrored = agreement_around(mine, here, self._planes, there)
        good = np.flatnonzero(around >= MIN_AROUND)
        good = good[np.argsort(-around[good], kind="stable")]
        clips, views, moments = self._planes.place(there[good])
        for number, clip, view, moment in zip(
            good.tolist(), clips.tolist(), views.tolist(), moments.tolist(), strict=True
        ):
            word = asked[number]
            at = (int(told.views[word]), int(told.moments[word]))
            yield Met(clip, (view, moment), at, bool(mirrored[number]), float(around[number]))


def _fit(query: Codes, stored: Codes, met: Met) -> Match:
    """Whichever of the two shows its whole picture is the reference."""
    turned = met.query[0] not in WHOLE_VIEWS
    first, second = (met.stored, met.query) if turned else (met.query, met.stored)
    meeting = Meeting(first[0], second[0], first[1], second[1], met.mirrored)
    clips = (stored, query) if turned else (query, stored)
    found = fitted(*clips, meeting)
    return NO_MATCH if found is None else judged(as_match(found, turned), query, stored)
