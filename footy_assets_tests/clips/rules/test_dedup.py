"""Deduplication with fake footage: the length in samples identifies the film."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from footy_assets.clips.rules.clip import Candidate, Clip
from footy_assets.clips.rules.dedup import (
    Absorb,
    Decision,
    Keep,
    Replace,
    added_popularity,
    decide,
    group_copies,
    merge_same_bytes,
    other_goal_shown,
)
from footy_assets.media import Fingerprint, Quality


def film(number: int) -> Fingerprint:
    return Fingerprint(float(number), np.zeros((1, 1, 1), np.int8))


def same(a: Fingerprint, b: Fingerprint) -> bool:
    return a.duration == b.duration


def decisions_for(batch: list[Candidate], stored: list[Clip]) -> tuple[Decision, ...]:
    return decide(group_copies(batch, same), stored, same)


def candidate(
    film_number: int = 1,
    md5: str = "a",
    pixels: int = 100,
    duration: float = 20.0,
    verified: bool = True,
    popularity: int = 1,
) -> Candidate:
    quality = Quality(duration, pixels, 1000, 5000)
    return Candidate(md5, quality, verified, film(film_number), {f"x:{md5}": popularity})


def clip(film_number: int = 1, pixels: int = 100, verified: bool = True) -> Clip:
    return Clip(
        id=f"clip{film_number}",
        goal_key="g",
        key="k",
        public_key="k",
        md5="stored",
        quality=Quality(20.0, pixels, 1000, 5000),
        width=10,
        height=10,
        verified=verified,
        fingerprint=film(film_number),
        popularity_by={"x:stored": 7},
    )


def test_d3_exact_duplicates_are_one_with_their_popularity_together() -> None:
    first = candidate(md5="a", popularity=5)
    again = Candidate("a", first.quality, True, film(1), {"x:other": 20})
    (one,) = merge_same_bytes([first, again])
    assert one.popularity == {"x:a": 5, "x:other": 20}


def test_h2_within_the_batch_the_best_copy_wins() -> None:
    small, large = candidate(md5="s", pixels=50), candidate(md5="l", pixels=200)
    (kept,) = decisions_for([small, large], [])
    assert kept == Keep(large, (small,))
    assert added_popularity(kept) == {"x:s": 1, "x:l": 1}, "H3: the loser's popularity is added"


def test_h2_then_groups_are_compared_with_stored_clips() -> None:
    worse, other = candidate(1, "w", pixels=50), candidate(2, "o")
    stored = clip(1)
    assert decisions_for([worse, other], [stored]) == (Keep(other), Absorb(stored, worse))


def test_h3_a_better_copy_replaces_the_stored_clip() -> None:
    stored, new = clip(1, pixels=100), candidate(1, "n", pixels=400)
    assert decisions_for([new], [stored]) == (Replace(stored, new),)


def test_h3_an_equal_copy_does_not_replace_the_stored_clip() -> None:
    stored, new = clip(1, pixels=100), candidate(1, "n", pixels=100)
    assert decisions_for([new], [stored]) == (Absorb(stored, new),)


def test_h2_an_unverified_copy_never_replaces_a_verified_one() -> None:
    stored, new = clip(1, pixels=10), candidate(1, "n", pixels=4000, verified=False)
    assert decisions_for([new], [stored]) == (Absorb(stored, new),)
    assert decisions_for([new, candidate(1, "v", pixels=10)], []) == (
        Keep(candidate(1, "v", pixels=10), (new,)),
    )


def test_h2_a_verified_copy_replaces_an_unverified_one_whatever_its_quality() -> None:
    stored, new = clip(1, pixels=4000, verified=False), candidate(1, "n", pixels=10)
    assert decisions_for([new], [stored]) == (Replace(stored, new),)


candidates = st.lists(
    st.builds(
        candidate,
        film_number=st.integers(1, 4),
        md5=st.text("abcdefgh", min_size=1, max_size=2),
        pixels=st.integers(1, 5),
        duration=st.sampled_from([10.0, 11.0, 20.0]),
        verified=st.booleans(),
    ),
    max_size=8,
    unique_by=lambda c: c.md5,
)


@given(candidates, st.sets(st.integers(1, 4)))
def test_h2_no_footage_is_kept_twice_and_no_popularity_lost(
    batch: list[Candidate], stored_films: set[int]
) -> None:
    stored = [clip(number) for number in sorted(stored_films)]
    decisions = decisions_for(batch, stored)
    films = [d.candidate.fingerprint.duration for d in decisions]
    assert len(films) == len(set(films))
    kept = {d.candidate.fingerprint.duration for d in decisions if isinstance(d, Keep)}
    assert not kept & {float(number) for number in stored_films}
    added = [name for d in decisions for name in added_popularity(d)]
    assert sorted(added) == sorted(name for c in batch for name in c.popularity)


def test_v7_footage_that_is_verified_as_another_goal_is_of_that_goal() -> None:
    (group,) = group_copies([candidate(1, verified=False)], same)
    assert other_goal_shown(group, [clip(2), clip(1)], same) == clip(1)
    assert other_goal_shown(group, [clip(1, verified=False), clip(2)], same) is None


def test_v7_a_clip_verified_for_its_own_goal_is_right_there() -> None:
    (group,) = group_copies([candidate(1, verified=True)], same)
    assert other_goal_shown(group, [clip(1)], same) is None


def test_v7_a_much_longer_film_may_show_both_goals() -> None:
    (longer,) = group_copies([candidate(1, verified=False, duration=30.0)], same)
    (shorter,) = group_copies([candidate(1, verified=False, duration=29.9)], same)
    assert other_goal_shown(longer, [clip(1)], same) is None
    assert other_goal_shown(shorter, [clip(1)], same) == clip(1)
