"""T1, T15: the store of snapshots."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from footy_assets_tests.triggers.conftest import Stages
from footy_assets_tests.triggers.rules.builders import KEY, goal, snap

pytestmark = pytest.mark.slow


def test_t1_the_same_id_twice_is_one_snapshot(stages: Stages) -> None:
    assert stages.push(goal(1), goal(2), goal(1)) == ["s1", "s2"]
    assert stages.push(goal(2), goal(3)) == ["s3"]
    assert [(n, s.id) for n, s in stages.snapshots.numbered(KEY)] == [
        (1, "s1"),
        (2, "s2"),
        (3, "s3"),
    ]


def test_t1_a_stored_snapshot_reads_as_it_was_pushed(stages: Stages) -> None:
    document = snap(1, goal__team="home", goal__player=234, match__half=1, replaces="s0")
    stages.push(document)
    assert stages.snapshots.get("s1") == (1, document)


def test_t15_many_writers_at_once_number_a_scope_without_gaps(stages: Stages) -> None:
    with ThreadPoolExecutor(6) as pool:
        batches = [[goal(n) for n in range(first, first + 8)] for first in range(0, 40, 4)]
        list(pool.map(lambda batch: stages.push(*batch), batches))
    numbered = stages.snapshots.numbered(KEY)
    assert [number for number, _ in numbered] == list(range(1, 45))
    assert {one.id for _, one in numbered} == {f"s{n}" for n in range(44)}
