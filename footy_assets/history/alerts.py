"""Y5: alerts for stalled seasons, each raised once."""

from collections.abc import Sequence
from dataclasses import dataclass

from footy_assets.history.store.documents import SeasonRecord


@dataclass(frozen=True, slots=True)
class StalledAlerts:
    """`new` were not stalled when `cursor` was last written; `changed` also if one recovered."""

    new: tuple[SeasonRecord, ...]
    changed: bool
    cursor: str


def compare_stalled(stalled: Sequence[SeasonRecord], cursor: str | None) -> StalledAlerts:
    """The stalled seasons, compared with the keys in the last cursor."""
    known = (cursor or "").split()
    keys = sorted(str(one.key) for one in stalled)
    new = tuple(one for one in stalled if str(one.key) not in known)
    return StalledAlerts(new, keys != known, " ".join(keys))
