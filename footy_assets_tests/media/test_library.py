"""One clip against many: every copy is found, and a search finds what comparing all would."""

import numpy as np
import pytest

from footy_assets.media import Fingerprint, compare
from footy_assets.media.library import Library
from footy_assets_tests.media import films
from footy_assets_tests.media.conftest import Printed
from footy_assets_tests.media.films import Take

STRANGERS = 100

COPIES = {
    "the same": Take(),
    "mirrored": Take(edit=films.mirror),
    "cropped": Take(edit=films.cropped),
    "watermark": Take(edit=films.watermark),
    "letterbox": Take(edit=films.letterbox),
    "faster": Take(speed=1.1),
    "smaller": Take(fps=30, size=(240, 136), crf=34),
    "later": Take(seconds=4.5, start=1.5),
}


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


def test_a_library_of_two_knows_the_copy(printed: Printed) -> None:
    library = Library([("same", printed(1)), ("other", printed(2))])
    (hit,) = library.search(printed(1, COPIES["mirrored"]))
    assert hit.key == "same"
    assert hit.match.mirrored


@pytest.mark.parametrize("take", COPIES.values(), ids=COPIES.keys())
def test_every_copy_is_found_whichever_of_the_two_is_stored(printed: Printed, take: Take) -> None:
    crowd = strangers(printed(3), STRANGERS)
    for stored, query in ((printed(1), printed(1, take)), (printed(1, take), printed(1))):
        (hit,) = Library([*crowd, ("same", stored)]).search(query)
        assert hit.key == "same"
        full = compare(query, stored)
        assert hit.match.mirrored == full.mirrored
        assert hit.match.offset_seconds == pytest.approx(full.offset_seconds, abs=0.2)
        assert hit.match.speed == pytest.approx(full.speed, abs=0.03)


def test_the_best_copy_comes_first(printed: Printed) -> None:
    stored = {name: printed(1, take) for name, take in COPIES.items()}
    hits = Library(stored.items()).search(printed(1))
    assert {hit.key for hit in hits} == set(COPIES)
    assert hits[0].key == "the same"
    assert hits[0].match.score == 1.0


def test_a_clip_that_is_not_stored_is_not_found(printed: Printed) -> None:
    assert Library(strangers(printed(3), STRANGERS)).search(printed(1)) == []
    assert Library([("other", printed(2))]).search(printed(1)) == []


def test_a_long_query_finds_a_short_stored_clip_at_its_end(printed: Printed) -> None:
    ending = Take(seconds=2.6, start=3.3)
    crowd = strangers(printed(3, Take(seconds=2.6)), STRANGERS)
    (hit,) = Library([*crowd, ("end", printed(1, ending))]).search(printed(1))
    assert hit.key == "end"
    assert hit.match.offset_seconds == pytest.approx(3.3, abs=0.15)


def test_h1_flat_and_very_short_clips_are_stored_and_never_found(printed: Printed) -> None:
    black = printed(1, Take(edit=lambda picture: np.full_like(picture, 16)))
    short = Fingerprint(0.25, printed(1).codes[:, :2])
    library = Library([("black", black), ("short", short)])
    for query in (black, short, printed(1)):
        assert library.search(query) == []


def test_what_is_stored_comes_back_as_it_was(printed: Printed) -> None:
    prints = [printed(1), printed(1, COPIES["letterbox"]), printed(2, COPIES["later"])]
    library = Library(enumerate(prints))
    assert [library.stored(number) for number in range(len(library))] == prints


def test_a_stored_half_minute_takes_less_than_half_the_memory_of_its_codes(
    printed: Printed,
) -> None:
    made = Fingerprint(30.0, np.tile(printed(1).codes, (1, 5, 1)))
    one, many = (Library(strangers(made, count)).nbytes for count in (1, 11))
    assert (many - one) / 10 < made.codes.nbytes / 2
