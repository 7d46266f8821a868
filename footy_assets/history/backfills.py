"""Y11: backfills of a season's matchdays, from the request until Dagster has them."""

from collections.abc import Callable
from dataclasses import dataclass

from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.store.documents import SeasonRecord
from footy_assets.history.store.seasons import HistoryStore


@dataclass(frozen=True, slots=True)
class BackfillRequest:
    key: LeagueSeason
    id: str
    days: tuple[str, ...]

    @classmethod
    def of(cls, record: SeasonRecord) -> "BackfillRequest":
        assert record.backfill is not None
        return cls(record.key, record.backfill["id"], tuple(record.backfill["days"]))


def backfills_to_launch(
    store: HistoryStore, find_launched: Callable[[str], str | None]
) -> list[BackfillRequest]:
    """Requests that Dagster does not have yet. One that it has, by the id of the request, is marked
    as launched with Dagster's own id."""
    waiting = []
    for request in map(BackfillRequest.of, store.requested_backfills()):
        if launched := find_launched(request.id):
            store.mark_backfill_launched(request.key, request.id, launched)
        else:
            waiting.append(request)
    return waiting
