"""Which partitions come and go."""

from footy_assets.search.partitions import PartitionChanges, partition_changes


def test_a_goal_gets_its_partition_when_it_is_searched_for() -> None:
    changes = partition_changes({"a"}, {"c", "b", "a"}, {"a", "b", "c", "d"})
    assert changes == PartitionChanges(added=("b", "c"), deleted=())


def test_a_removed_or_renamed_goal_keeps_its_partition_until_its_match_is_deleted() -> None:
    assert partition_changes({"a", "b"}, {"a"}, {"a", "b"}) == PartitionChanges((), ())
    assert partition_changes({"a", "b"}, set(), set()) == PartitionChanges((), ("a", "b"))
