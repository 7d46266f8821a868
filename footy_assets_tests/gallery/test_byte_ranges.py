"""Byte ranges as RFC 9110 defines them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footy_assets.gallery.byte_ranges import ByteRange, Unsatisfiable, wanted_range

SIZE = 1000


@pytest.mark.parametrize(
    ("header", "first", "last"),
    [
        ("bytes=0-", 0, 999),
        ("bytes=0-0", 0, 0),
        ("bytes=10-19", 10, 19),
        ("bytes=990-5000", 990, 999),
        ("bytes=-1", 999, 999),
        ("bytes=-5000", 0, 999),
        ("bytes=999-", 999, 999),
    ],
)
def test_a_range_within_the_file(header: str, first: int, last: int) -> None:
    assert wanted_range(header, SIZE) == ByteRange(first, last)


@pytest.mark.parametrize("header", [None, "chapters=1-2", "bytes=0-1,5-9"])
def test_anything_but_one_byte_range_means_the_whole_file(header: str | None) -> None:
    assert wanted_range(header, SIZE) is None


@pytest.mark.parametrize(
    "header",
    [
        "bytes=", "bytes=-", "bytes=-0", "bytes=a-b", "bytes=5", "bytes=5-2", "bytes=1000-",
        "bytes=--5", "bytes=0x1-2", "bytes=1-2-3", "bytes=" + "9" * 40 + "-", "bytes=٣-",
    ],
)  # fmt: skip
def test_a_malformed_or_unsatisfiable_range_is_refused(header: str) -> None:
    with pytest.raises(Unsatisfiable):
        wanted_range(header, SIZE)


@given(st.text(max_size=30), st.integers(0, 10**7))
def test_every_parsed_range_lies_within_the_file(text: str, size: int) -> None:
    try:
        found = wanted_range(f"bytes={text}", size)
    except Unsatisfiable:
        return
    assert found is None or 0 <= found.first <= found.last < size
