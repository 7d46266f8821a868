"""Edited copies match; other footage does not."""

from itertools import combinations

import numpy as np
import pytest

from footy_assets.media import Fingerprint, compare
from footy_assets.media.compare import MIN_AGREEMENT, MIN_CONTRAST, MIN_SIGNIFICANCE
from footy_assets.media.decode import SAMPLES_PER_SECOND
from footy_assets.media.fingerprint import HARMONICS
from footy_assets_tests.fixtures.films import FingerprintFilm
from footy_assets_tests.media import films
from footy_assets_tests.media.films import Take

COPIES = {
    "the same file": Take(),
    "smaller, other rate, strong compression": Take(fps=30, size=(240, 136), crf=34),
    "letterbox": Take(edit=films.letterbox),
    "watermark and a bar": Take(edit=films.watermark),
    "caption band": Take(edit=films.caption),
    "cropped": Take(edit=films.cropped),
    "graded": Take(edit=films.graded),
    "black lead-in": Take(lead_in=1.2),
    "end card": Take(end_card=1.6),
}


@pytest.mark.parametrize("take", COPIES.values(), ids=COPIES.keys())
def test_an_edited_copy_matches(fingerprint_film: FingerprintFilm, take: Take) -> None:
    found = compare(fingerprint_film(1), fingerprint_film(1, take))
    assert found.match, found
    assert not found.mirrored
    assert found.speed == pytest.approx(1.0, abs=0.03)
    assert found.offset_seconds == pytest.approx(-take.lead_in, abs=0.2)


def test_a_mirrored_copy_matches_and_is_marked_as_mirrored(
    fingerprint_film: FingerprintFilm,
) -> None:
    found = compare(fingerprint_film(1), fingerprint_film(1, Take(edit=films.mirror)))
    assert found.match
    assert found.mirrored


def test_the_offset_of_a_later_start_is_exact_to_the_sample(
    fingerprint_film: FingerprintFilm,
) -> None:
    later = Take(seconds=4.5, start=1.5)
    found = compare(fingerprint_film(1), fingerprint_film(1, later))
    assert found.match
    assert found.offset_seconds == pytest.approx(1.5, abs=0.13)
    assert found.overlap_seconds == pytest.approx(4.5, abs=0.3)


@pytest.mark.parametrize("speed", [1.1, 1.25, 0.9])
def test_a_copy_at_another_speed_matches(fingerprint_film: FingerprintFilm, speed: float) -> None:
    found = compare(fingerprint_film(1), fingerprint_film(1, Take(speed=speed)))
    assert found.match
    assert found.speed == pytest.approx(speed, abs=0.04)


def test_other_footage_does_not_match(fingerprint_film: FingerprintFilm) -> None:
    for a, b in combinations(range(1, 6), 2):
        found = compare(fingerprint_film(a), fingerprint_film(b))
        assert not found.match, (a, b, found)


def test_another_moment_of_the_same_film_does_not_match(fingerprint_film: FingerprintFilm) -> None:
    first, second = Take(seconds=3.0), Take(seconds=3.0, start=3.2)
    assert not compare(fingerprint_film(2, first), fingerprint_film(2, second)).match


def slow_camera(moment: int, samples: int = 48) -> Fingerprint:
    """A picture that changes in the same directions for seconds: a fixed wide camera, or one that
    pans slowly. Each moment has its own small movements."""
    random = np.random.default_rng(moment)
    directions = np.random.default_rng(99).choice([-1, 0, 1], len(HARMONICS), p=[0.3, 0.4, 0.3])
    codes = np.tile(directions, (samples, 1))
    own = random.random(codes.shape) < 0.25
    codes[own] = random.choice([-1, 0, 1], own.sum())
    return Fingerprint(samples / SAMPLES_PER_SECOND, np.stack([codes] * 7).astype(np.int8))


def test_two_moments_of_a_slow_camera_do_not_match_though_they_agree() -> None:
    found = compare(slow_camera(1), slow_camera(2))
    assert found.score > MIN_AGREEMENT
    assert found.significance > MIN_SIGNIFICANCE
    assert found.contrast < MIN_CONTRAST
    assert not found.match


def test_the_same_moment_of_a_slow_camera_matches() -> None:
    found = compare(slow_camera(1), slow_camera(1))
    assert found.contrast > MIN_CONTRAST
    assert found.match


@pytest.mark.parametrize("take", [
    Take(edit=films.watermark), Take(edit=films.caption), Take(lead_in=2.5), Take(end_card=2.5),
], ids=["watermark", "caption", "black lead-in", "end card"])  # fmt: skip
def test_sharing_only_an_overlay_is_no_match(fingerprint_film: FingerprintFilm, take: Take) -> None:
    for a, b in combinations(range(1, 4), 2):
        assert not compare(fingerprint_film(a, take), fingerprint_film(b, take)).match


@pytest.mark.parametrize("after", [0, 20, 44])
def test_sharing_only_a_replay_of_two_seconds_is_no_match(
    fingerprint_film: FingerprintFilm, after: int
) -> None:
    replay = fingerprint_film(3).codes[:, 4:20]

    def with_replay(seed: int) -> Fingerprint:
        codes = fingerprint_film(seed).codes
        codes = np.concatenate([codes[:, :after], replay, codes[:, after:]], axis=1)
        return Fingerprint(codes.shape[1] / 8, codes)

    found = compare(with_replay(1), with_replay(2))
    assert not found.match, found


def test_clips_that_differ_only_at_the_end_match(fingerprint_film: FingerprintFilm) -> None:
    goal, codes = (
        fingerprint_film(1).codes,
        [fingerprint_film(seed).codes[:, :24] for seed in (2, 3)],
    )
    long = [Fingerprint(9.0, np.concatenate([goal, end], axis=1)) for end in codes]
    found = compare(*long)
    assert found.match, found


def test_an_overlap_under_two_seconds_is_no_match(fingerprint_film: FingerprintFilm) -> None:
    first, second = Take(seconds=3.0), Take(seconds=3.0, start=1.6)
    assert not compare(fingerprint_film(1, first), fingerprint_film(1, second)).match


def test_h1_flat_and_frozen_clips_are_no_evidence_even_for_themselves(
    fingerprint_film: FingerprintFilm,
) -> None:
    black = fingerprint_film(1, Take(edit=lambda picture: np.full_like(picture, 16)))
    frozen = fingerprint_film(1, Take(speed=1e-9, seconds=5e-9))
    assert frozen.samples == black.samples - 8
    for a, b in ((black, black), (frozen, frozen), (black, frozen), (black, fingerprint_film(1))):
        found = compare(a, b)
        assert not found.match
        assert found.score < 0.2


def test_compare_is_symmetric(fingerprint_film: FingerprintFilm) -> None:
    takes = [Take(), Take(speed=1.1), Take(edit=films.mirror), Take(seconds=4.5, start=1.5)]
    prints = [fingerprint_film(1, take) for take in takes] + [fingerprint_film(2)]
    for a, b in combinations(prints, 2):
        there, back = compare(a, b), compare(b, a)
        assert (there.match, there.score, there.mirrored) == (back.match, back.score, back.mirrored)
        assert there.speed * back.speed == pytest.approx(1, abs=1e-3)
        assert back.offset_seconds == pytest.approx(-there.offset_seconds / there.speed, abs=0.01)


def test_very_short_and_empty_fingerprints_compare_without_a_match(
    fingerprint_film: FingerprintFilm,
) -> None:
    long = fingerprint_film(1)
    for samples in (1, 2, 3):
        short = Fingerprint(samples / 8, long.codes[:, :samples])
        assert not compare(short, long).match
        assert not compare(long, short).match
        assert not compare(short, short).match
