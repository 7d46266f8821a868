from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footy_assets.search.rules.attempts import (
    failures_that_count,
    is_search_over,
    most_started,
    numbers_to_close,
)


@pytest.mark.parametrize(("planned", "most"), [(10, 15), (1, 2), (3, 4), (5, 7)])
def test_se9_half_as_many_again_may_be_started_and_at_least_one_more(
    planned: int, most: int
) -> None:
    assert most_started(planned) == most


@given(st.integers(1, 20), st.lists(st.booleans(), min_size=40, max_size=40))
def test_se9_a_search_ends_with_the_planned_answers_or_at_the_limit_and_is_then_complete(
    planned: int, answers: Sequence[bool]
) -> None:
    failed: set[int] = set()
    for started, answered in enumerate(answers, 1):
        if not answered:
            failed.add(started)
        if is_search_over(started, failed, planned):
            break
        assert failures_that_count(started, failed, planned) == []
    answered_count = started - len(failed)
    assert answered_count == planned or started == most_started(planned)
    assert answered_count + len(failures_that_count(started, failed, planned)) == planned


@given(st.integers(1, 20), st.sets(st.integers(1, 30)))
def test_se2_closing_counts_as_many_as_the_plan_lacks(planned: int, counted: set[int]) -> None:
    closed = numbers_to_close(counted, planned)
    assert not counted & set(closed)
    assert len(counted) + len(closed) == max(planned, len(counted))
