"""Clips and the videos they came from, in MongoDB. MongoDB is the truth, S3 holds the bytes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bson import Binary
from pymongo import UpdateOne
from pymongo.database import Database

from footy_assets.archive.clip import Clip, Popularity
from footy_assets.matchday.fixture import Fixture
from footy_assets.matchday.goal import GoalEvent
from footy_assets.media import Fingerprint, Quality
from footy_assets.store.collections import (
    CLIPS,
    EVENTS,
    FIXTURES,
    REMOVED_CLIPS,
    VIDEOS,
    Document,
)
from footy_assets.store.documents import fixture_from, goal_from
from footy_assets.store.retrying import tried_again
from footy_assets.store.searches import CHOSEN, video_key

# A video that could not be finished this often is given up.
MOST_TRIES = 3
# While our own stores are away, a goal's videos are looked at again after this, in real time.
PUT_OFF_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class RemovedClip:
    """P5: a clip that a person took away. Its footage does not come back by another post."""

    id: str
    md5: str
    fingerprint: Fingerprint
    reason: str


@tried_again
class ClipDocuments:
    def __init__(self, database: Database[Document]) -> None:
        self._clips = database[CLIPS]
        self._removed = database[REMOVED_CLIPS]
        self._videos = database[VIDEOS]
        self._events = database[EVENTS]
        self._fixtures = database[FIXTURES]

    # -- videos that wait -----------------------------------------------------------------

    def goals_with_work(self) -> list[str]:
        """Keys of goals with chosen videos that are not settled, nor put off for now."""
        query = {"state": CHOSEN, "$expr": {"$lte": ["$not_before", "$$NOW"]}}
        # `distinct` does not know the database's time.
        return sorted({d["goal_key"] for d in self._videos.find(query, {"goal_key": 1})})

    def waiting(self, goal_key: str) -> int:
        return self._videos.count_documents({"goal_key": goal_key, "state": CHOSEN})

    def take_up(self, goal_key: str, now: datetime) -> list[Document]:
        """The chosen videos of a goal, each tried once more; those tried too often are failed."""
        waiting = {"goal_key": goal_key, "state": CHOSEN}
        self._videos.update_many(
            {**waiting, "tries": {"$gte": MOST_TRIES}},
            [
                {
                    "$set": {
                        "state": "failed",
                        "reason": f"not finished in {MOST_TRIES} tries",
                        "detail": {"$ifNull": ["$last_error", "the process ended each time"]},
                        "ended_at": now,
                    }
                }
            ],
        )
        self._videos.update_many(waiting, {"$inc": {"tries": 1}, "$unset": {"not_before": ""}})
        return list(self._videos.find(waiting).sort("_id"))

    def put_off(self, goal_key: str, reason: str, tried: Collection[str], *, ours: bool) -> None:
        """A batch failed: its videos stay due, with the reason. An outage of our own is no fault of
        theirs: it costs them no try, and they wait a little."""
        waiting = {"goal_key": goal_key, "state": CHOSEN}
        taken = {**waiting, "video_id": {"$in": list(tried)}}
        if not ours:
            self._videos.update_many(taken, {"$set": {"last_error": reason}})
            return
        later = {"$add": ["$$NOW", round(PUT_OFF_SECONDS * 1000)]}
        self._videos.update_many(waiting, [{"$set": {"last_error": reason, "not_before": later}}])
        self._videos.update_many({**taken, "tries": {"$gt": 0}}, {"$inc": {"tries": -1}})

    def note_troubles(self, goal_key: str, troubles: Mapping[str, str]) -> None:
        """Why videos that stay due could not be finished this time."""
        writes = [
            UpdateOne(
                {"_id": video_key(goal_key, video_id), "state": CHOSEN},
                {"$set": {"last_error": reason}},
            )
            for video_id, reason in troubles.items()
        ]
        if writes:
            self._videos.bulk_write(writes, ordered=False)

    def settle_videos(
        self, goal_key: str, ends: Mapping[str, Mapping[str, Any]], at: datetime
    ) -> None:
        """What became of videos, by video id: `state` and why."""
        writes = [
            UpdateOne(
                {"_id": video_key(goal_key, video_id), "state": CHOSEN},
                {"$set": {**end, "ended_at": at}},
            )
            for video_id, end in ends.items()
        ]
        if writes:
            self._videos.bulk_write(writes, ordered=False)

    def videos_of(self, goal_key: str) -> list[Document]:
        return list(self._videos.find({"goal_key": goal_key}).sort([("posted_at", 1), ("_id", 1)]))

    # -- clips ----------------------------------------------------------------------------

    def goal(self, key: str) -> GoalEvent | None:
        found = self._events.find_one({"_id": key})
        return goal_from(found) if found else None

    def fixture_of(self, goal: GoalEvent) -> Fixture | None:
        found = self._fixtures.find_one({"_id": goal.fixture_id})
        return fixture_from(found) if found else None

    def goal_called(self, event_id: str) -> GoalEvent | None:
        """The goal that has this identity now, else the one that had it last."""
        found = self._events.find_one({"event_id": event_id, "live": True}) or (
            self._events.find_one(
                {"$or": [{"event_id": event_id}, {"formerly.event_id": event_id}]},
                sort=[("live", -1), ("first_seen_at", -1)],
            )
        )
        return goal_from(found) if found else None

    def goals_with_clips(self, event_ids: Collection[str] | None = None) -> list[GoalEvent]:
        """Live goals that have clips; only those of these names, if any are given."""
        query: Document = {"live": True, "_id": {"$in": self._clips.distinct("goal_key")}}
        if event_ids is not None:
            query["event_id"] = {"$in": list(event_ids)}
        return [goal_from(document) for document in self._events.find(query).sort("event_id", 1)]

    def clips_of(self, goal_key: str) -> list[Clip]:
        return [clip_from(d) for d in self._clips.find({"goal_key": goal_key}).sort("_id")]

    def documents_of(self, goal_keys: Collection[str]) -> list[Document]:
        """Clips as they are told to people: without their fingerprints."""
        query = {"goal_key": {"$in": list(goal_keys)}}
        order = [("goal_key", 1), ("rank", 1), ("_id", 1)]
        return list(self._clips.find(query, {"fingerprint": 0}).sort(order))

    def add(self, clip: Clip, facts: Mapping[str, Any]) -> None:
        """A new clip; the same one added twice is one."""
        document = {**_document(clip), **facts, "revision": 1, "leftovers": [], "replaced": []}
        del document["_id"]
        self._clips.update_one({"_id": clip.id}, {"$setOnInsert": document}, upsert=True)

    def replace(
        self, old: Clip, new: Clip, facts: Mapping[str, Any], leftovers: Sequence[str]
    ) -> bool:
        """H4: the document changes in place; what it pointed at is named to be deleted."""
        document = {**_document(new), **facts}
        del document["_id"]
        result = self._clips.update_one(
            {"_id": old.id, "md5": old.md5},
            {
                "$set": document,
                "$inc": {"revision": 1},
                "$addToSet": {"leftovers": {"$each": list(leftovers)}},
                "$push": {
                    "replaced": {"key": old.key, "md5": old.md5, "at": new.stored_at},
                },
            },
        )
        return result.matched_count == 1

    def add_popularity(self, clip_id: str, popularity: Popularity) -> None:
        """H3: each post counts once, however often it is told."""
        for video_id, count in popularity.items():
            entry = {"video": video_id, "count": count}
            added = self._clips.update_one(
                {"_id": clip_id, "popularity_by.video": {"$ne": video_id}},
                {"$push": {"popularity_by": entry}, "$inc": {"popularity": count}},
            )
            if not added.matched_count:
                self._raise_popularity(clip_id, video_id, count)

    def _raise_popularity(self, clip_id: str, video_id: str, count: int) -> None:
        """A post seen again with more likes: the larger number is the post's."""
        raised = {
            "$map": {
                "input": "$popularity_by",
                "in": {
                    "$cond": [
                        {"$eq": ["$$this.video", video_id]},
                        {"video": video_id, "count": {"$max": ["$$this.count", count]}},
                        "$$this",
                    ]
                },
            }
        }
        self._clips.update_one(
            {"_id": clip_id},
            [
                {"$set": {"popularity_by": raised}},
                {"$set": {"popularity": {"$sum": "$popularity_by.count"}}},
            ],
        )

    def leftovers_of(self, goal_key: str) -> list[tuple[str, str]]:
        """Clip ids and keys of objects that better copies left behind."""
        query = {"goal_key": goal_key, "leftovers.0": {"$exists": True}}
        return [(d["_id"], key) for d in self._clips.find(query) for key in d["leftovers"]]

    def leftovers_of_clip(self, clip_id: str) -> list[str]:
        return list((self._clips.find_one({"_id": clip_id}) or {}).get("leftovers", []))

    def leftover_deleted(self, clip_id: str, key: str) -> None:
        self._clips.update_one({"_id": clip_id}, {"$pull": {"leftovers": key}})

    def write_ranks(self, goal_key: str, ranks: Mapping[str, int]) -> None:
        """H6: only ranks that changed are written."""
        writes = [
            UpdateOne(
                {"_id": clip_id, "goal_key": goal_key, "rank": {"$ne": rank}},
                {"$set": {"rank": rank}},
            )
            for clip_id, rank in ranks.items()
        ]
        if writes:
            self._clips.bulk_write(writes, ordered=False)

    def under_a_former_name(self) -> list[tuple[GoalEvent, Document]]:
        """E5: clips whose goal has another name by now."""
        pipeline: list[Document] = [
            {"$project": {"fingerprint": 0, "verdict": 0}},
            {
                "$lookup": {
                    "from": EVENTS,
                    "localField": "goal_key",
                    "foreignField": "_id",
                    "as": "goal",
                }
            },
            {"$unwind": "$goal"},
            {"$match": {"goal.live": True, "$expr": {"$ne": ["$event_id", "$goal.event_id"]}}},
        ]
        return [(goal_from(found.pop("goal")), found) for found in self._clips.aggregate(pipeline)]

    def restamped(self, clip_id: str, before: str, now: str) -> None:
        self._clips.update_one(
            {"_id": clip_id, "event_id": before},
            {"$set": {"event_id": now}, "$addToSet": {"formerly": before}},
        )

    def keys_of_fixture(self, fixture_id: int) -> set[str]:
        """Every object key that a clip of this match points at."""
        return set(self._clips.distinct("key", {"fixture_id": fixture_id}))

    def forget_goal(self, goal_key: str) -> None:
        """E6: the documents of a removed goal; its attempts stay with the tombstone."""
        self._clips.delete_many({"goal_key": goal_key})
        self._videos.delete_many({"goal_key": goal_key})
        self._removed.delete_many({"goal_key": goal_key})

    # -- by hand --------------------------------------------------------------------------

    def clip(self, clip_id: str) -> Clip | None:
        found = self._clips.find_one({"_id": clip_id})
        return clip_from(found) if found else None

    def rejudged(self, clip: Clip, verified: bool, verdict: Mapping[str, Any]) -> bool:
        """P5: a stored clip's new verdict, unless other bytes took its place meanwhile."""
        return (
            self._clips.update_one(
                {"_id": clip.id, "md5": clip.md5},
                {"$set": {"verified": verified, "verdict": dict(verdict)}},
            ).matched_count
            == 1
        )

    def mark_removed(self, clip: Clip, fixture_id: int, reason: str, at: datetime) -> None:
        """P5: what a person took away is remembered by its looks, before it goes."""
        mark = {
            "goal_key": clip.goal_key,
            "fixture_id": fixture_id,
            "md5": clip.md5,
            "fingerprint": Binary(clip.fingerprint.to_bytes()),
            "reason": reason,
            "at": at,
        }
        self._removed.update_one({"_id": clip.id}, {"$setOnInsert": mark}, upsert=True)

    def removed_of(self, goal_key: str) -> list[RemovedClip]:
        return [
            RemovedClip(
                d["_id"],
                d["md5"],
                Fingerprint.from_bytes(bytes(d["fingerprint"])),
                d["reason"],
            )
            for d in self._removed.find({"goal_key": goal_key}).sort("_id")
        ]

    def end_videos_of(self, clip_id: str, end: Mapping[str, Any], at: datetime) -> None:
        """What became of every video that ended in a clip which is no more."""
        self._videos.update_many({"clip_id": clip_id}, {"$set": {**end, "ended_at": at}})

    def remove_clip(self, clip_id: str) -> None:
        self._clips.delete_one({"_id": clip_id})


def _document(clip: Clip) -> Document:
    return {
        "_id": clip.id,
        "goal_key": clip.goal_key,
        "key": clip.key,
        "public_key": clip.public_key,
        "md5": clip.md5,
        "duration": clip.quality.duration,
        "pixels": clip.quality.pixels,
        "bitrate": clip.quality.bitrate,
        "size": clip.quality.size,
        "width": clip.width,
        "height": clip.height,
        "verified": clip.verified,
        "fingerprint": Binary(clip.fingerprint.to_bytes()),
        "popularity_by": [{"video": v, "count": n} for v, n in clip.popularity_by.items()],
        "popularity": clip.popularity,
        "video_id": clip.video_id,
        "rank": clip.rank,
        "stored_at": clip.stored_at,
        "verdict": dict(clip.verdict),
    }


def clip_from(document: Document) -> Clip:
    return Clip(
        id=document["_id"],
        goal_key=document["goal_key"],
        key=document["key"],
        public_key=document["public_key"],
        md5=document["md5"],
        quality=Quality(
            document["duration"], document["pixels"], document["bitrate"], document["size"]
        ),
        width=document["width"],
        height=document["height"],
        verified=document["verified"],
        fingerprint=Fingerprint.from_bytes(bytes(document["fingerprint"])),
        popularity_by={entry["video"]: entry["count"] for entry in document["popularity_by"]},
        video_id=document["video_id"],
        rank=document["rank"],
        stored_at=document["stored_at"],
        verdict=document["verdict"],
    )
