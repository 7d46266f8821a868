"""Clips in MongoDB, which is the truth; S3 holds their bytes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bson import Binary
from pymongo import UpdateOne
from pymongo.database import Database

from footy_assets.clips.rules.clip import Clip, Popularity
from footy_assets.clips.rules.keys import object_keys
from footy_assets.clips.store.abbreviations import TeamAbbreviations
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.store.documents import goal_from
from footy_assets.matchday.store.goals import GoalStore
from footy_assets.media import Fingerprint
from footy_assets.search.store.videos import VideoStore
from footy_assets.store.collections import (
    CLIPS,
    EVENTS,
    HELD_FILES,
    REMOVED_CLIPS,
    Document,
)
from footy_assets.store.documents import DocumentConverter
from footy_assets.store.retrying import retry_on_disconnect

FIELDS_OF_THE_FILE = (
    "key", "md5", "duration", "pixels", "bitrate", "size", "width", "height", "judged",
    "renditions",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RemovedClip:
    """P5: a clip that an operator removed. Its footage is refused in later posts."""

    id: str
    md5: str
    fingerprint: Fingerprint
    reason: str


@retry_on_disconnect
class ClipDocuments:
    def __init__(self, database: Database[Document]) -> None:
        self._clips = database[CLIPS]
        self._removed = database[REMOVED_CLIPS]
        self._held = database[HELD_FILES]
        self._videos = VideoStore(database)
        self._events = database[EVENTS]
        self.goals = GoalStore(database)
        self.abbreviations = TeamAbbreviations(database)

    # -- clips ----------------------------------------------------------------------------

    def goals_with_clips(self, event_ids: Collection[str] | None = None) -> list[GoalEvent]:
        """Live goals with clips, of these event ids or of all."""
        query: Document = {"live": True, "_id": {"$in": self._clips.distinct("goal_key")}}
        if event_ids is not None:
            query["event_id"] = {"$in": list(event_ids)}
        return [goal_from(document) for document in self._events.find(query).sort("event_id", 1)]

    def goal_keys(self) -> list[str]:
        """Keys of the goals that have a clip."""
        return list(self._clips.distinct("goal_key"))

    def clips_of(self, goal_key: str) -> list[Clip]:
        return [clip_from(d) for d in self._clips.find({"goal_key": goal_key}).sort("_id")]

    def clips_of_other_goals(self, goal: GoalEvent) -> list[Clip]:
        """The clips of the other goals of its match."""
        query = {"fixture_id": goal.fixture_id, "goal_key": {"$ne": goal.key}}
        return [clip_from(d) for d in self._clips.find(query).sort("_id")]

    def documents_of(self, goal_keys: Collection[str]) -> list[Document]:
        """Clips for pages and commands, without their fingerprints."""
        query = {"goal_key": {"$in": list(goal_keys)}}
        order = [("goal_key", 1), ("rank", 1), ("_id", 1)]
        return list(self._clips.find(query, {"fingerprint": 0}).sort(order))

    def add(self, clip: Clip, facts: Mapping[str, Any]) -> None:
        """A new clip; the same one added twice is one."""
        document = {**_document(clip), **facts, "revision": 1, "leftovers": [], "replaced": []}
        document["unannounced"] = True
        del document["_id"]
        self._clips.update_one({"_id": clip.id}, {"$setOnInsert": document}, upsert=True)

    def replace(
        self, old: Clip, new: Clip, facts: Mapping[str, Any], leftovers: Sequence[str]
    ) -> bool:
        """H4: change the document in place and list its old objects as leftovers to delete."""
        document = {**_document(new), **facts}
        del document["_id"]
        result = self._clips.update_one(
            {"_id": old.id, "md5": old.md5},
            {
                "$set": {**document, "unannounced": True},
                "$inc": {"revision": 1},
                "$addToSet": {"leftovers": {"$each": list(leftovers)}},
                "$push": {
                    "replaced": {"key": old.key, "md5": old.md5, "at": new.stored_at},
                },
            },
        )
        return result.matched_count == 1

    def rewrite(self, old: Clip, new: Clip, leftovers: Sequence[str]) -> bool:
        """D4: the same clip as another file. False if other bytes replaced it meanwhile."""
        document = _document(new)
        written = {name: document[name] for name in FIELDS_OF_THE_FILE}
        result = self._clips.update_one(
            {"_id": old.id, "md5": old.md5},
            {
                "$set": written,
                "$inc": {"revision": 1},
                "$addToSet": {"leftovers": {"$each": list(leftovers)}},
            },
        )
        return result.matched_count == 1

    def add_popularity(self, clip_id: str, popularity: Popularity) -> None:
        """H3: each post counts once, however often it is added."""
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
        """Clip ids, and keys of the objects that better copies replaced."""
        query = {"goal_key": goal_key, "leftovers.0": {"$exists": True}}
        return [(d["_id"], key) for d in self._clips.find(query) for key in d["leftovers"]]

    def leftovers_of_clip(self, clip_id: str) -> list[str]:
        return list((self._clips.find_one({"_id": clip_id}) or {}).get("leftovers", []))

    def remove_leftover(self, clip_id: str, key: str) -> None:
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

    def clips_of_renamed_goals(self) -> list[tuple[GoalEvent, Document]]:
        """E5: clips that carry a former event id of their goal."""
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

    def record_rename(self, clip_id: str, before: str, now: str) -> None:
        self._clips.update_one(
            {"_id": clip_id, "event_id": before},
            {"$set": {"event_id": now}, "$addToSet": {"formerly": before}},
        )

    def object_keys_of_fixture(self, fixture_id: int) -> set[str]:
        """The keys of all objects of every clip of a match."""
        fields = {"key": 1, "renditions.key": 1, "has_scorebug": 1}
        found = self._clips.find({"fixture_id": fixture_id}, fields)
        return {key for document in found for key in stored_object_keys(document)}

    def forget_goal(self, goal_key: str) -> None:
        """E6: delete the documents of a removed goal; its attempts stay with the tombstone."""
        self._clips.delete_many({"goal_key": goal_key})
        self._videos.delete_of_goal(goal_key)
        self._removed.delete_many({"goal_key": goal_key})
        self._held.delete_many({"goal_key": goal_key})

    # -- operators ------------------------------------------------------------------------

    def clip(self, clip_id: str) -> Clip | None:
        found = self._clips.find_one({"_id": clip_id})
        return clip_from(found) if found else None

    def source_url(self, clip_id: str) -> str:
        found = self._clips.find_one({"_id": clip_id}, {"source_url": 1}) or {}
        return str(found.get("source_url", ""))

    def save_validation(self, clip: Clip, verified: bool, verdict: Mapping[str, Any]) -> bool:
        """P5: a stored clip's new verdict. False if other bytes replaced it meanwhile."""
        return (
            self._clips.update_one(
                {"_id": clip.id, "md5": clip.md5},
                {
                    "$set": {
                        "verified": verified,
                        "verified_by": verdict["verified_by"],
                        "verdict": dict(verdict),
                        **({"unannounced": True} if verified else {}),
                    }
                },
            ).matched_count
            == 1
        )

    def mark_removed(self, clip: Clip, fixture_id: int, reason: str, at: datetime) -> None:
        """P5: keep the fingerprint of a clip that an operator removes, before it is deleted."""
        mark = {
            "goal_key": clip.goal_key,
            "fixture_id": fixture_id,
            "md5": clip.judged_md5,
            "fingerprint": Binary(clip.fingerprint.to_bytes()),
            "reason": reason,
            "at": at,
        }
        self._removed.update_one({"_id": clip.id}, {"$setOnInsert": mark}, upsert=True)

    def removed_clips_of(self, goal_key: str) -> list[RemovedClip]:
        return [
            RemovedClip(
                d["_id"],
                d["md5"],
                Fingerprint.from_bytes(bytes(d["fingerprint"])),
                d["reason"],
            )
            for d in self._removed.find({"goal_key": goal_key}).sort("_id")
        ]

    def delete_clip(self, clip_id: str) -> None:
        self._clips.delete_one({"_id": clip_id})


def _document(clip: Clip) -> Document:
    """The fields of the quality are fields of the document."""
    document = CONVERTER.document(clip)
    quality = document.pop("quality")
    return {**document, **quality, "popularity": clip.popularity}


def stored_object_keys(document: Document) -> tuple[str, ...]:
    return object_keys(
        document["key"],
        (one["key"] for one in document["renditions"]),
        has_scorebug=document["has_scorebug"],
    )


def clip_from(document: Document) -> Clip:
    return CONVERTER.read({**document, "quality": document}, Clip)


def _converter() -> DocumentConverter:
    made = DocumentConverter()
    made.store_as(
        Fingerprint,
        lambda fingerprint: Binary(fingerprint.to_bytes()),
        lambda stored: Fingerprint.from_bytes(bytes(stored)),
    )
    made.store_as(
        Popularity,
        lambda popularity: [{"video": v, "count": n} for v, n in popularity.items()],
        lambda stored: {entry["video"]: entry["count"] for entry in stored},
    )
    made.rename(Clip, id="_id")
    return made


CONVERTER = _converter()
