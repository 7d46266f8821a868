"""Which goals have a partition of `discovered_videos` and `clips`."""

from collections.abc import Set
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PartitionChanges:
    added: tuple[str, ...]
    deleted: tuple[str, ...]


def partition_changes(
    partitions: Set[str], searched: Set[str], known: Set[str]
) -> PartitionChanges:
    """A goal gets its partition when its search opens. A removed or renamed goal keeps it until its
    match is deleted (F9): runs may still use it, and its history is there. `known` are all current
    and former event ids."""
    return PartitionChanges(
        added=tuple(sorted(searched - partitions)), deleted=tuple(sorted(partitions - known))
    )
