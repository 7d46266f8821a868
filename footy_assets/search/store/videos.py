"""The videos found for each goal, in MongoDB: their states, and their tries to become a clip."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo import UpdateOne
from pymongo.database import Database

from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.search.rules.ahead import AHEAD
from footy_assets.search.rules.posts import Post
from footy_assets.search.rules.video import (
    MAX_TRIES,
    UNSETTLED,
    WITHOUT_CLIP,
    VideoReason,
    VideoState,
)
from footy_assets.store.collections import VIDEOS, Document
from footy_assets.store.counts import known_expression
from footy_assets.store.retrying import retry_on_disconnect, retry_with
from footy_assets.tracing import traceparent

# After an outage of our own stores a goal's videos wait this long, in real time.
POSTPONE_SECONDS = 30.0

# What a reason is counted as: its kind, where details follow it. Older documents have no kind,
# but the same text in front of a colon.
REASON_KIND: Document = {
    "$ifNull": ["$reason_kind", {"$arrayElemAt": [{"$split": ["$reason", ":"]}, 0]}]
}


def video_key(goal_key: str, video_id: str) -> str:
    return f"{goal_key}|{video_id}"


@dataclass(frozen=True, slots=True)
class SiteVideoCounts:
    """The videos that were found on a site, and what became of them. `wasted` were downloaded and
    refused for what their posts had already said (SE6)."""

    found: int
    chosen: int
    taken: int
    duplicate: int
    refused: int
    failed: int
    wasted: int


@retry_on_disconnect
class VideoStore:
    def __init__(self, database: Database[Document]) -> None:
        self._videos = database[VIDEOS]

    def of_goal(self, goal_key: str) -> list[Document]:
        """Every video of a goal, by the time it was posted."""
        return list(self._videos.find({"goal_key": goal_key}).sort([("posted_at", 1), ("_id", 1)]))

    def delete_of_goal(self, goal_key: str) -> None:
        self._videos.delete_many({"goal_key": goal_key})

    # -- searches -------------------------------------------------------------------------

    def known_ids(self, goal_key: str) -> set[str]:
        """SE6: only videos that were chosen once are known; others stay eligible."""
        query = {"goal_key": goal_key, "state": {"$ne": VideoState.SEEN}}
        return set(self._videos.distinct("video_id", query))

    def add_posts(
        self,
        goal: GoalEvent,
        attempt: int,
        at: datetime,
        *,
        seen: Sequence[Post],
        chosen: Sequence[Post],
    ) -> None:
        """Store an attempt's posts. A known post changes only its popularity, which never drops,
        its likelihood, and from seen to chosen."""
        writes = []
        # Of the search that found them, if traces are recorded.
        trace = {"traceparent": found} if (found := traceparent()) else {}
        chosen_ids = {post.video_id for post in chosen}
        for post in {post.video_id: post for post in (*seen, *chosen)}.values():
            id_ = video_key(goal.key, post.video_id)
            new: Document = {
                "goal_key": goal.key,
                "fixture_id": goal.fixture_id,
                "video_id": post.video_id,
                "source": post.site,
                "url": post.url,
                "video_url": post.video_url,
                "author": post.author,
                "text": post.text,
                "posted_at": post.posted_at,
                "duration": post.duration,
                "width": post.width,
                "height": post.height,
                "aspect": post.aspect,
                "size": post.size,
                "first_seen_at": at,
                "state": VideoState.SEEN,
                "tries": 0,
                **trace,
            }
            update: Document = {"$setOnInsert": new, "$max": {"popularity": post.popularity}}
            if post.likelihood is not None:
                rated = {"score": post.likelihood.score, "reasons": [*post.likelihood.reasons]}
                update["$set"] = {"likelihood": rated}
            writes.append(UpdateOne({"_id": id_}, update, upsert=True))
            if post.video_id in chosen_ids:
                writes.append(
                    UpdateOne(
                        {"_id": id_, "state": VideoState.SEEN},
                        {"$set": {"state": VideoState.CHOSEN, "attempt": attempt}},
                    )
                )
        if writes:
            self._videos.bulk_write(writes)

    def retry_failed(self, goal_key: str) -> None:
        """P5: failed videos of a goal are chosen again, with all their tries."""
        self._videos.update_many(
            {"goal_key": goal_key, "state": VideoState.FAILED},
            {
                "$set": {"state": VideoState.CHOSEN, "tries": 0},
                "$unset": {"reason": "", "detail": "", "ended_at": "", "not_before": ""},
            },
        )

    def fail_waiting(self, goal_key: str, reason: str, at: datetime) -> None:
        """SE2: fail the videos of a goal whose search is closed, also those that are held."""
        failed: Document = {
            "state": VideoState.FAILED,
            "reason": reason,
            "detail": {"$ifNull": ["$last_error", reason]},
            "ended_at": at,
        }
        unsettled = {"goal_key": goal_key, "state": {"$in": list(UNSETTLED)}}
        self._videos.update_many(unsettled, [{"$set": failed}])

    # -- videos that are held ahead of stable (SE8) ----------------------------------------

    def held_of(self, goal_key: str) -> list[Document]:
        return list(self._videos.find({"goal_key": goal_key, "state": VideoState.HELD}).sort("_id"))

    def choose_again(self, goal_key: str, errors: Mapping[str, str]) -> None:
        """Held videos that cannot be published as they are, and why: they are downloaded again."""
        for video_id, error in errors.items():
            self._videos.update_one(
                {"_id": video_key(goal_key, video_id), "state": VideoState.HELD},
                {
                    "$set": {"state": VideoState.CHOSEN, "last_error": error},
                    "$unset": {"reason": "", "held_md5": "", "ended_at": ""},
                },
            )

    # -- videos that wait to be downloaded ------------------------------------------------

    def goals_with_waiting(self) -> list[str]:
        """Keys of goals with chosen videos that are not postponed."""
        query = {"state": VideoState.CHOSEN, "$expr": {"$lte": ["$not_before", "$$NOW"]}}
        # `distinct` does not know the database's time.
        return sorted({d["goal_key"] for d in self._videos.find(query, {"goal_key": 1})})

    def count_waiting(self, goal_key: str) -> int:
        return self._videos.count_documents(_waiting(goal_key))

    def count_waiting_by_goal(self) -> dict[str, int]:
        """How many chosen videos each goal has, by its key."""
        stages: list[Document] = [
            {"$match": {"state": VideoState.CHOSEN}},
            {"$group": {"_id": "$goal_key", "count": {"$sum": 1}}},
        ]
        return {found["_id"]: found["count"] for found in self._videos.aggregate(stages)}

    def attempt_has_waiting(self, goal_key: str, attempt: int) -> bool:
        """Those found ahead of stable count for every attempt: a goal is not complete before."""
        query = {
            "goal_key": goal_key,
            "state": {"$in": list(UNSETTLED)},
            "attempt": {"$in": [AHEAD, attempt]},
        }
        return self._videos.find_one(query, {"_id": 1}) is not None

    def begin_try(self, goal_key: str, try_id: str, now: datetime) -> list[Document]:
        """The chosen videos of a goal, with one more try counted; fails those tried too often.

        A video keeps the id of its try until that ends, so that a repetition after a lost answer
        counts none. One that has another try's id was in a try that did not end: the process was
        killed, the database was away, or a video ended the process. Such videos are taken up one
        at a time, after all others, and only such a try has counted: of several videos, most had
        no part in the end.
        """
        waiting = _waiting(goal_key)
        uncounted = {**waiting, "try_id": {"$ne": try_id}}
        self._videos.update_many(
            {**uncounted, "together": True}, {"$inc": {"tries": -1}, "$unset": {"together": ""}}
        )
        self._videos.update_many(
            {**uncounted, "tries": {"$gte": MAX_TRIES}},
            [
                {
                    "$set": {
                        "state": VideoState.FAILED,
                        "reason": VideoReason.TOO_MANY_TRIES,
                        "detail": {"$ifNull": ["$last_error", "the process ended each time"]},
                        "ended_at": now,
                    }
                }
            ],
        )
        of_try = {**waiting, "try_id": try_id}
        begin = {"$inc": {"tries": 1}, "$set": {"try_id": try_id}, "$unset": {"not_before": ""}}
        if not self._videos.count_documents(of_try):
            unsuspected = {**waiting, "try_id": None}
            number = self._videos.count_documents(unsuspected)
            if number > 1:
                together = {"try_id": try_id, "together": True}
                self._videos.update_many(unsuspected, {**begin, "$set": together})
            else:
                one = unsuspected if number else uncounted
                self._videos.find_one_and_update(one, begin, sort=[("tries", 1), ("_id", 1)])
        return list(self._videos.find(of_try).sort("_id"))

    def goals_in_work_and_waiting(self) -> tuple[set[str], set[str]]:
        """Keys of goals with chosen videos: those with a try, and those that wait for one."""
        query = {"state": VideoState.CHOSEN, "$expr": {"$lte": ["$not_before", "$$NOW"]}}
        in_work: set[str] = set()
        waiting: set[str] = set()
        for found in self._videos.find(query, {"goal_key": 1, "try_id": 1}):
            (in_work if found.get("try_id") else waiting).add(found["goal_key"])
        return in_work, waiting - in_work

    def give_back(self, goal_key: str, try_id: str, video_ids: Collection[str]) -> None:
        """A try ends without these videos: it does not count for them."""
        left = {**_waiting(goal_key), "try_id": try_id, "video_id": {"$in": list(video_ids)}}
        self._videos.update_many(left, {"$inc": {"tries": -1}, "$unset": _NO_TRY})

    def end_try(self, goal_key: str, try_id: str) -> None:
        """The process has come to the end of a try."""
        self._videos.update_many({"goal_key": goal_key, "try_id": try_id}, {"$unset": _NO_TRY})

    @retry_with("counting")
    def postpone(self, goal_key: str, error: str, try_id: str, *, own_outage: bool) -> None:
        """A try failed: its videos stay chosen, with the error. An outage of our own stores
        costs them no try, and they wait for `POSTPONE_SECONDS`."""
        waiting = _waiting(goal_key)
        of_try = {**waiting, "try_id": try_id}
        if not own_outage:
            self._videos.update_many(of_try, {"$set": {"last_error": error}})
            return
        later = {"$add": ["$$NOW", round(POSTPONE_SECONDS * 1000)]}
        self._videos.update_many(waiting, [{"$set": {"last_error": error, "not_before": later}}])
        # Without its id a try is given back once, however often this is repeated.
        self._videos.update_many(
            {**of_try, "tries": {"$gt": 0}}, {"$inc": {"tries": -1}, "$unset": _NO_TRY}
        )

    def record_errors(self, goal_key: str, errors: Mapping[str, str]) -> None:
        """Why videos that stay chosen could not be finished this time, by video id."""
        self._update_unsettled(goal_key, {id_: {"last_error": e} for id_, e in errors.items()})

    def settle(
        self, goal_key: str, outcomes: Mapping[str, Mapping[str, Any]], at: datetime
    ) -> None:
        """Move videos to their last state, or to held, which ends their try. `outcomes` holds it
        and its reason, by video id."""
        changes = {id_: {**outcome, "ended_at": at} for id_, outcome in outcomes.items()}
        self._update_unsettled(goal_key, changes, {"$unset": _NO_TRY})

    def settle_of_clip(self, clip_id: str, outcome: Mapping[str, Any], at: datetime) -> None:
        """The same for every video of a clip that is removed."""
        self._videos.update_many({"clip_id": clip_id}, {"$set": {**outcome, "ended_at": at}})

    def _update_unsettled(
        self, goal_key: str, changes: Mapping[str, Mapping[str, Any]], also: Document | None = None
    ) -> None:
        writes = [
            UpdateOne(
                {"_id": video_key(goal_key, video_id), "state": {"$in": list(UNSETTLED)}},
                {"$set": dict(change), **(also or {})},
            )
            for video_id, change in changes.items()
        ]
        if writes:
            self._videos.bulk_write(writes, ordered=False)

    # -- figures --------------------------------------------------------------------------

    def count_by_state(self) -> dict[VideoState, int]:
        grouped: list[Document] = [{"$group": {"_id": "$state", "count": {"$sum": 1}}}]
        return {VideoState(d["_id"]): d["count"] for d in self._videos.aggregate(grouped)}

    def outcomes(self) -> list[Document]:
        """Of every video that was judged: its goal's key, its id, its state and its reason."""
        stages: list[Document] = [
            {"$match": {"state": {"$nin": [VideoState.SEEN, VideoState.CHOSEN]}}},
            {"$sort": {"_id": 1}},
            {
                "$project": {
                    "_id": 0,
                    "goal_key": 1,
                    "video_id": 1,
                    "state": 1,
                    "reason": REASON_KIND,
                }
            },
        ]
        return list(self._videos.aggregate(stages))

    def count_by_site(self) -> dict[str, SiteVideoCounts]:
        """By the name of the site, in order."""
        counted: dict[str, Document] = {
            "found": {"$literal": True},
            "chosen": {"$ne": ["$state", VideoState.SEEN]},
            **{
                state.value: {"$eq": ["$state", state]}
                for state in (VideoState.TAKEN, VideoState.DUPLICATE, *WITHOUT_CLIP)
            },
            "wasted": {"$eq": ["$known_from_post", True]},
        }
        sums = {name: {"$sum": {"$cond": [query, 1, 0]}} for name, query in counted.items()}
        stages: list[Document] = [{"$group": {"_id": "$source", **sums}}, {"$sort": {"_id": 1}}]
        return {
            found.pop("_id"): SiteVideoCounts(**found) for found in self._videos.aggregate(stages)
        }

    def count_without_clip(
        self,
        known: Collection[str],
        since: datetime | None = None,
        limit: int | None = None,
    ) -> list[tuple[str, int]]:
        """Why videos have no clip, most frequent first, without details. Reasons that are not
        `known` are counted together."""
        query: Document = {"state": {"$in": list(WITHOUT_CLIP)}}
        if since is not None:
            query["ended_at"] = {"$gte": since}
        stages: list[Document] = [
            {"$match": query},
            {"$group": {"_id": known_expression(REASON_KIND, known), "count": {"$sum": 1}}},
            {"$sort": {"count": -1, "_id": 1}},
        ]
        if limit is not None:
            stages.append({"$limit": limit})
        return [(str(d["_id"]), d["count"]) for d in self._videos.aggregate(stages)]


_NO_TRY: Document = {"try_id": "", "together": ""}


def _waiting(goal_key: str) -> Document:
    return {"goal_key": goal_key, "state": VideoState.CHOSEN}
