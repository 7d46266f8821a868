"""One clip against many: the vote loses no copy, and a search gives what comparing all gives."""

import numpy as np
import pytest

from footy_assets.media import Fingerprint
from footy_assets.media.library import SHORTLIST, Library
from footy_assets_tests.media import films
from footy_assets_tests.media.conftest import Printed
from footy_assets_tests.media.films import Take


def strangers(like: Fingerprint, count: int) -> list[tuple[str, Fingerprint]]:
    """Fingerprints of no film at all, with the calm and the rhythm of a real one."""
    rng = np.random.default_rng(5)
    made = []
    for number in range(count):
        flips = rng.choice(np.array([-1, 1], np.int8), like.codes.shape[2])
        codes = np.roll(like.codes, rng.integers(like.samples), axis=1) * flips
        made.append((f"stranger {number}", Fingerprint(like.duration, codes)))
    return made


def test_an_empty_library_finds_nothing(printed: Printed) -> None:
    assert Library([]).search(printed(1)) == []


def test_a_small_library_is_compared_whole(printed: Printed) -> None:
    library = Library([("same", printed(1)), ("other", printed(2))])
    (hit,) = library.search(printed(1, Take(edit=films.mirror)))
    assert hit.key == "same"
    assert hit.match.mirrored


@pytest.mark.parametrize(
    "take",
    [
        Take(edit=films.mirror),
        Take(edit=films.cropped),
        Take(edit=films.watermark),
        Take(speed=1.1),
        Take(fps=30, size=(240, 136), crf=34),
        Take(seconds=4.5, start=1.5),
    ],
    ids=["mirrored", "cropped", "watermark", "faster", "smaller", "later"],
)
def test_the_vote_puts_every_copy_on_the_shortlist(printed: Printed, take: Take) -> None:
    stored = [*strangers(printed(3), 4 * SHORTLIST), ("same", printed(1))]
    library = Library(stored)
    assert len(library) == 4 * SHORTLIST + 1
    query = printed(1, take)
    assert len(library.shortlist(query)) <= SHORTLIST
    assert [hit.key for hit in library.search(query)] == ["same"]


def test_a_clip_that_is_not_stored_is_not_found(printed: Printed) -> None:
    assert Library(strangers(printed(3), 2 * SHORTLIST)).search(printed(1)) == []


def test_a_long_query_finds_a_short_stored_clip_at_its_end(printed: Printed) -> None:
    ending = Take(seconds=2.6, start=3.3)
    stored = [*strangers(printed(3, Take(seconds=2.6)), 3 * SHORTLIST), ("end", printed(1, ending))]
    (hit,) = Library(stored).search(printed(1))
    assert hit.key == "end"
    assert hit.match.offset_seconds == pytest.approx(3.3, abs=0.15)
