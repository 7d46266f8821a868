"""R3 and R4."""

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footy_assets.providers.rules.snapshots import (
    DeltaKind,
    MergedSnapshot,
    checksum,
    delta,
    next_snapshot,
)
from footy_assets_tests.providers.reports import NOON, after

FIELDS = {"status": "live", "score.home": 0, "score.away": 0}


def first(fields: dict[str, Any] | None = None) -> MergedSnapshot:
    made = next_snapshot(None, 1, FIELDS if fields is None else fields, {}, NOON)
    assert made is not None
    return made


def test_R3_an_equal_checksum_makes_no_new_snapshot() -> None:
    turned = dict(reversed(FIELDS.items()))
    assert next_snapshot(first(), 1, turned, {}, after(30)) is None


def test_R3_the_checksum_is_sha256_of_the_normalised_payload() -> None:
    expected = hashlib.sha256('{"a":"é","b":1}'.encode()).hexdigest()
    assert checksum({"b": 1, "a": "é"}) == expected
    assert checksum({"a": 1}) != checksum({"a": 2})


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(0, 2)), max_size=20))
def test_R3_sequence_numbers_only_grow(states: list[dict[str, int]]) -> None:
    last, seen = None, []
    for fields in states:
        made = next_snapshot(last, 1, fields, {}, NOON)
        if made is not None:
            seen.append(made.sequence)
            last = made
    assert seen == list(range(1, len(seen) + 1))


@pytest.mark.parametrize(
    ("status", "lasts"), [("live", 15), ("upcoming", 15), ("completed", 86_400)]
)
def test_R3_latest_is_fresh_for_15_s_live_and_24_h_completed(status: str, lasts: int) -> None:
    made = first({**FIELDS, "status": status})
    assert made.is_fresh(after(lasts))
    assert not made.is_fresh(after(lasts + 1))
    assert made.fields["score.home"] == 0


def test_R4_only_the_first_snapshot_is_initial() -> None:
    one = first()
    assert delta(None, one).kind is DeltaKind.INITIAL
    two = next_snapshot(one, 1, {**FIELDS, "score.home": 1}, {}, after(30))
    assert two is not None
    assert delta(one, two).kind is DeltaKind.UPDATE


def test_R4_changed_added_and_removed_with_the_distance() -> None:
    before = MergedSnapshot(1, 3, "x", {"a": 1, "b": 2, "gone": 3}, {}, NOON)
    after_it = MergedSnapshot(1, 7, "y", {"a": 1, "b": 5, "new": 6}, {}, NOON)
    found = delta(before, after_it)
    assert found.changed == {"b": (2, 5)}
    assert found.added == {"new": 6}
    assert found.removed == {"gone": 3}
    assert found.distance == 4


@given(*[st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 2)) for _ in range(2)])
def test_R4_a_delta_turns_one_into_the_other(old: dict[str, int], new: dict[str, int]) -> None:
    found = delta(MergedSnapshot(1, 1, "", old, {}, NOON), MergedSnapshot(1, 2, "", new, {}, NOON))
    made = {name: value for name, value in old.items() if name not in found.removed}
    made |= {name: value for name, (_, value) in found.changed.items()} | dict(found.added)
    assert made == new
