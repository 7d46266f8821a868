"""Figures of videos without a clip."""

from pymongo.database import Database

from footy_assets.search.rules.video import VideoState
from footy_assets.search.store.videos import VideoStore
from footy_assets.store.collections import VIDEOS, Document
from footy_assets_tests.matchday.goals import STABLE


def test_refusals_are_counted_by_kind_also_those_stored_without_one(
    database: Database[Document],
) -> None:
    refused = [
        {"reason": "wrong minute: the clock shows 57, expected 50"},
        {"reason": "wrong minute: 11: 36", "reason_kind": "wrong minute"},
        {"reason": "could not be judged: a: b", "reason_kind": "could not be judged"},
        {"reason": "private"},
    ]
    database[VIDEOS].insert_many(
        {"_id": f"{n}", "state": VideoState.REFUSED, "ended_at": STABLE, **one}
        for n, one in enumerate(refused)
    )
    store = VideoStore(database)
    counts = [("wrong minute", 2), ("could not be judged", 1), ("private", 1)]
    assert store.count_without_clip() == counts
    assert store.count_without_clip(STABLE, 1) == counts[:1]
