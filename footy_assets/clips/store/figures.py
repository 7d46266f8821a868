"""Figures for pages and Prometheus, counted on request."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from pymongo.database import Database

from footy_assets.store.collections import CLIPS, EVENTS, Document


@dataclass(frozen=True, slots=True)
class Latency:
    """The time from a goal's first sighting to its first clip."""

    goal_at: datetime
    took: timedelta
    event_id: str


def latencies(database: Database[Document], since: datetime | None = None) -> tuple[Latency, ...]:
    """Of every goal with a clip, in order of its first sighting; or of those seen `since`."""
    seen: Document = {"$ne": None} if since is None else {"$gte": since}
    found = database[CLIPS].aggregate(
        [
            {"$group": {"_id": "$goal_key", "first": {"$min": "$stored_at"}}},
            {
                "$lookup": {
                    "from": EVENTS,
                    "localField": "_id",
                    "foreignField": "_id",
                    "as": "goal",
                    "pipeline": [{"$project": {"first_seen_at": 1, "event_id": 1}}],
                }
            },
            {"$unwind": "$goal"},
            {"$match": {"goal.first_seen_at": seen, "first": {"$ne": None}}},
            {"$sort": {"goal.first_seen_at": 1}},
        ]
    )
    return tuple(
        Latency(at := one["goal"]["first_seen_at"], one["first"] - at, one["goal"]["event_id"])
        for one in found
    )


@dataclass(frozen=True, slots=True)
class StoredClipCounts:
    stored: int
    verified: int
    # Clips that a better video took the place of.
    replaced: int


def stored_clip_counts(database: Database[Document]) -> StoredClipCounts:
    clips = list(database[CLIPS].find({}, {"replaced": 1, "verified": 1}))
    return StoredClipCounts(
        stored=len(clips),
        verified=sum(bool(clip["verified"]) for clip in clips),
        replaced=sum(len(clip["replaced"]) for clip in clips),
    )
