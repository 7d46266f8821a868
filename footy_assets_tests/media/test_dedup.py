"""H3, and H2's grouping."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from footy_assets.media import Quality, better, clusters

GOOD = Quality(duration=20.0, pixels=1920 * 1080, bitrate=4_000_000, size=10_000_000)


def quality_with(**fields: float) -> Quality:
    values = {name: getattr(GOOD, name) for name in GOOD.__slots__} | fields
    return Quality(**values)


def test_h3_within_fifteen_percent_resolution_decides_before_length() -> None:
    longer_but_smaller = quality_with(duration=23.0, pixels=1280 * 720)
    assert better(GOOD, longer_but_smaller)
    assert not better(longer_but_smaller, GOOD)


def test_h3_beyond_fifteen_percent_the_longer_wins_whatever_its_quality() -> None:
    much_longer = quality_with(duration=24.0, pixels=640 * 360, bitrate=1, size=1)
    assert better(much_longer, GOOD)
    assert not better(GOOD, much_longer)


def test_h3_resolution_then_bitrate_then_size() -> None:
    assert better(GOOD, quality_with(pixels=1, bitrate=9_000_000, size=99_000_000))
    assert better(GOOD, quality_with(bitrate=3_000_000, size=99_000_000))
    assert better(GOOD, quality_with(size=9_000_000))
    assert not better(GOOD, GOOD)


def test_h3_the_winner_of_a_cluster_does_not_depend_on_the_order() -> None:
    quality = {
        "a": quality_with(duration=20.0, pixels=300),
        "b": quality_with(duration=22.5, pixels=200),
        "c": quality_with(duration=25.5, pixels=100),
    }
    every = [("a", "b"), ("b", "c"), ("a", "c")]
    winners = {clusters(list(order), every, quality)[0].winner for order in permutations("abc")}
    assert winners == {"b"}


def test_h3_of_equals_the_first_stays() -> None:
    (group,) = clusters(["x", "y"], [("x", "y")], {"x": GOOD, "y": GOOD})
    assert group.winner == "x"


def test_h2_matches_join_into_clusters_and_others_stay_alone() -> None:
    names = ["a", "b", "c", "d", "e"]
    groups = clusters(names, [("a", "d"), ("d", "e")], dict.fromkeys(names, GOOD))
    assert [group.members for group in groups] == [("a", "d", "e"), ("b",), ("c",)]


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=20),
    st.lists(st.floats(3, 60), min_size=10, max_size=10),
)
def test_h3_every_clip_is_in_one_cluster_and_no_member_beats_the_winner_by_length(
    matches: list[tuple[int, int]], durations: list[float]
) -> None:
    quality = {n: quality_with(duration=seconds) for n, seconds in enumerate(durations)}
    groups = clusters(list(range(10)), matches, quality)
    assert sorted(n for group in groups for n in group.members) == list(range(10))
    for group in groups:
        kept = quality[group.winner].duration
        longest = max(quality[n].duration for n in group.members)
        assert kept >= longest * 0.85 - 1e-9
