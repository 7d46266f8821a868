"""The searches for a goal: when the next is due, who is at it, and what each of them found.

Due times and numbers live on the goal itself, so a rename keeps them and a removal ends them. A
row per attempt tells afterwards what it did. Every step is one conditional update.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from pymongo import ReturnDocument, UpdateOne
from pymongo.database import Database

from footy_assets.discovery.attempts import next_due
from footy_assets.discovery.posts import Post, Window
from footy_assets.discovery.query import GoalQuery
from footy_assets.matchday.fixture import Fixture
from footy_assets.matchday.goal import GoalEvent
from footy_assets.store.collections import ATTEMPTS, EVENTS, FIXTURES, VIDEOS, Document
from footy_assets.store.documents import fixture_from, goal_from
from footy_assets.store.retrying import tried_again, tried_as

NOBODY_SINCE = datetime(2000, 1, 1, tzinfo=UTC)
# Longer than a search may take; a crashed attempt is taken up again after this, in real time.
HELD_SECONDS = 240.0

# A video's way: seen in a search, chosen to be fetched, and then one of the ends.
SEEN, CHOSEN = "seen", "chosen"
# Given up, though nothing is known against it.
FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One claimed attempt. `generation` tells a second try of the same number from the first."""

    goal: GoalEvent
    fixture: Fixture
    number: int
    due_at: datetime
    started_at: datetime
    generation: int
    # By source: when the last attempt began that the source answered.
    answered: Mapping[str, datetime] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return attempt_id(self.goal.key, self.number)


def attempt_id(goal_key: str, number: int) -> str:
    return f"{goal_key}:{number}"


def video_key(goal_key: str, video_id: str) -> str:
    return f"{goal_key}|{video_id}"


@tried_again
class SearchStore:
    def __init__(self, database: Database[Document]) -> None:
        self._events = database[EVENTS]
        self._fixtures = database[FIXTURES]
        self._attempts = database[ATTEMPTS]
        self._videos = database[VIDEOS]

    # -- due ------------------------------------------------------------------------------

    def open_searches(self) -> int:
        """S1: a goal that has become stable is due at once; opening it twice changes nothing."""
        fresh = {
            "next": 1,
            "due_at": "$stable_at",
            "generation": 0,
            "held_until": NOBODY_SINCE,
            "started_at": None,
        }
        return self._events.update_many(
            {
                "live": True,
                "stable_at": {"$ne": None},
                "attempts_planned": {"$gt": 0},
                "search": {"$exists": False},
            },
            [{"$set": {"search": fresh}}],
        ).modified_count

    def due(self, now: datetime, limit: int = 0) -> list[str]:
        """Keys of goals whose next attempt is due and held by no one: preferred ones, then
        longest due first."""
        query = {"live": True, "search.due_at": {"$lte": now}, **_HELD_BY_NO_ONE}
        order = [("preferred", -1), ("search.due_at", 1)]
        found = self._events.find(query, {"_id": 1}).sort(order).limit(limit)
        return [document["_id"] for document in found]

    def prefer(self, goal_key: str, preferred: bool = True) -> None:
        """T16: a goal that someone asked to be told of is searched for before others."""
        self._events.update_one({"_id": goal_key}, {"$set": {"preferred": preferred}})

    def next_due_at(self) -> datetime | None:
        """When the next attempt of any goal is due."""
        query = {"live": True, "search.due_at": {"$type": "date"}}
        found = self._events.find_one(query, {"search.due_at": 1}, sort=[("search.due_at", 1)])
        return found["search"]["due_at"] if found else None

    def make_due(self, goal_key: str, now: datetime) -> bool:
        """P5: the next attempt comes now; after the last planned one, one more. Videos that were
        given up without being refused are fetched again."""
        due = self._events.update_one(
            {"_id": goal_key, "live": True, "search": {"$exists": True}, **_HELD_BY_NO_ONE},
            {"$set": {"search.due_at": now}},
        )
        if not due.matched_count:
            return False
        self._videos.update_many(
            {"goal_key": goal_key, "state": FAILED},
            {
                "$set": {"state": CHOSEN, "tries": 0},
                "$unset": {"reason": "", "detail": "", "ended_at": "", "not_before": ""},
            },
        )
        return True

    # -- an attempt -----------------------------------------------------------------------

    def claim(self, goal_key: str, now: datetime) -> Attempt | None:
        """S1: attempt n runs at most once at a time; a crashed one comes again as n."""
        found = self._events.find_one_and_update(
            {"_id": goal_key, "live": True, "search.due_at": {"$lte": now}, **_HELD_BY_NO_ONE},
            [
                {
                    "$set": {
                        "search.held_until": _HELD_UNTIL,
                        "search.generation": {"$add": ["$search.generation", 1]},
                        "search.started_at": now,
                    }
                }
            ],
            return_document=ReturnDocument.AFTER,
        )
        if found is None:
            return None
        fixture = self._fixtures.find_one({"_id": found["fixture_id"]})
        if fixture is None:
            return None
        search = found["search"]
        return Attempt(
            goal=goal_from(found),
            fixture=fixture_from(fixture),
            number=search["next"],
            due_at=search["due_at"],
            started_at=now,
            generation=search["generation"],
            answered=search.get("answered", {}),
        )

    def renew(self, attempt: Attempt) -> bool:
        """P3: a search that proves progress keeps its claim; False says that it lost it."""
        mine = {"_id": attempt.goal.key, "search.generation": attempt.generation}
        return (
            self._events.update_one(
                mine, [{"$set": {"search.held_until": _HELD_UNTIL}}]
            ).matched_count
            == 1
        )

    def searched(
        self,
        attempt: Attempt,
        ended_at: datetime,
        apart: timedelta,
        *,
        query: GoalQuery,
        window: Window,
        chosen: Sequence[Post],
        seen: Sequence[Post],
        told: Mapping[str, Any],
        answered: Collection[str] = (),
    ) -> bool:
        """Write what an attempt found and who answered it, then move the goal on to its next one.

        In this order a crash in between repeats the search and finds the same videos known. False
        says that the attempt was lost to another run meanwhile; its videos are kept all the same.
        """
        self._remember(attempt, chosen, seen)
        self._attempts.update_one(
            {"_id": attempt.id},
            {
                "$set": {
                    "goal_key": attempt.goal.key,
                    "fixture_id": attempt.goal.fixture_id,
                    "number": attempt.number,
                    "generation": attempt.generation,
                    "due_at": attempt.due_at,
                    "started_at": attempt.started_at,
                    "ended_at": ended_at,
                    "players": list(query.players),
                    "teams": list(query.teams),
                    "since": window.since,
                    "until": window.until,
                    **told,
                },
                "$addToSet": {"chosen": {"$each": [post.video_id for post in chosen]}},
            },
            upsert=True,
        )
        moved = self._move_on(attempt, ended_at, apart, answered)
        if moved and not self._attempts.find_one(
            {"_id": attempt.id, "chosen.0": {"$exists": True}}
        ):
            self.count(attempt.goal.key, [attempt.number], ended_at, "found nothing")
        return moved

    def given_up(self, attempt: Attempt, ended_at: datetime, apart: timedelta, reason: str) -> None:
        """S2: an attempt whose retries are used up counts too, with its reason."""
        self._attempts.update_one(
            {"_id": attempt.id},
            {
                "$set": {
                    "goal_key": attempt.goal.key,
                    "fixture_id": attempt.goal.fixture_id,
                    "number": attempt.number,
                    "due_at": attempt.due_at,
                    "started_at": attempt.started_at,
                    "ended_at": ended_at,
                    "failure": reason,
                }
            },
            upsert=True,
        )
        if self._move_on(attempt, ended_at, apart):
            self.count(attempt.goal.key, [attempt.number], ended_at, reason)

    @tried_as("counting")
    def count(self, goal_key: str, numbers: Collection[int], at: datetime, outcome: str) -> None:
        """S2: these attempts are done; counting one twice changes nothing."""
        ids = [attempt_id(goal_key, number) for number in numbers]
        self._attempts.update_many(
            {"_id": {"$in": ids}, "counted_at": {"$exists": False}},
            {"$set": {"counted_at": at, "outcome": outcome}},
        )
        done = {"$setUnion": [{"$ifNull": ["$attempts_done", []]}, sorted(numbers)]}
        self._events.update_one(
            {"_id": goal_key},
            [
                {"$set": {"attempts_done": done}},
                {"$set": {"attempts_counted": {"$size": "$attempts_done"}}},
            ],
        )

    def uncounted(self, goal_key: str) -> list[int]:
        """Attempts that have searched and wait for their videos."""
        query = {"goal_key": goal_key, "counted_at": {"$exists": False}}
        return sorted(d["number"] for d in self._attempts.find(query, {"number": 1}))

    def waiting_for_videos(self, goal_key: str, number: int) -> bool:
        query = {"goal_key": goal_key, "attempt": number, "state": CHOSEN}
        return self._videos.find_one(query, {"_id": 1}) is not None

    def close_overdue(self, now: datetime, give_up_after: timedelta) -> list[str]:
        """S2: what is left after the deadline is closed, visibly."""
        late = {"stable_at": {"$lte": now - give_up_after}}
        return self._close(late, now, "the deadline passed")

    def close_fixture(self, fixture_id: int, now: datetime, reason: str) -> list[str]:
        """P5: the searches for a match's goals end, done or not."""
        return self._close({"fixture_id": fixture_id}, now, reason)

    def _close(self, where: Document, now: datetime, reason: str) -> list[str]:
        """Counting comes last: until then a crash in between brings the goal back here."""
        unfinished = {
            **where,
            "live": True,
            "search": {"$exists": True},
            "$expr": {"$lt": ["$attempts_counted", "$attempts_planned"]},
        }
        closed = []
        for goal in self._events.find(unfinished, {"attempts_planned": 1}):
            key, planned = goal["_id"], goal["attempts_planned"]
            self._events.update_one(
                {"_id": key}, {"$set": {"search.closed_at": now, "search.due_at": None}}
            )
            given_up: Document = {
                "state": FAILED,
                "reason": reason,
                "detail": {"$ifNull": ["$last_error", reason]},
                "ended_at": now,
            }
            self._videos.update_many({"goal_key": key, "state": CHOSEN}, [{"$set": given_up}])
            self.count(key, range(1, planned + 1), now, reason)
            closed.append(key)
        return closed

    # -- videos ---------------------------------------------------------------------------

    def known_videos(self, goal_key: str) -> set[str]:
        """S6: only videos that were chosen once are known; others stay eligible."""
        query = {"goal_key": goal_key, "state": {"$ne": SEEN}}
        return set(self._videos.distinct("video_id", query))

    def _remember(self, attempt: Attempt, chosen: Sequence[Post], seen: Sequence[Post]) -> None:
        goal, picked = attempt.goal, {post.video_id for post in chosen}
        writes = []
        for post in {post.video_id: post for post in (*seen, *chosen)}.values():
            fresh: Document = {
                "goal_key": goal.key,
                "fixture_id": goal.fixture_id,
                "video_id": post.video_id,
                "source": post.source,
                "url": post.url,
                "video_url": post.video_url,
                "author": post.author,
                "text": post.text,
                "posted_at": post.posted_at,
                "duration": post.duration,
                "first_seen_at": attempt.started_at,
            }
            state = CHOSEN if post.video_id in picked else SEEN
            writes.append(
                UpdateOne(
                    {"_id": video_key(goal.key, post.video_id)},
                    {
                        "$setOnInsert": {**fresh, "state": SEEN, "tries": 0},
                        "$max": {"popularity": post.popularity},
                    },
                    upsert=True,
                )
            )
            if state == CHOSEN:
                writes.append(
                    UpdateOne(
                        {"_id": video_key(goal.key, post.video_id), "state": SEEN},
                        {"$set": {"state": CHOSEN, "attempt": attempt.number}},
                    )
                )
        if writes:
            self._videos.bulk_write(writes)

    def _move_on(
        self,
        attempt: Attempt,
        ended_at: datetime,
        apart: timedelta,
        answered: Collection[str] = (),
    ) -> bool:
        last = attempt.number >= attempt.goal.attempts_planned
        due = None if last else next_due(attempt.due_at, ended_at, apart)
        return (
            self._events.update_one(
                {
                    "_id": attempt.goal.key,
                    "search.next": attempt.number,
                    "search.generation": attempt.generation,
                },
                {
                    "$set": {
                        "search.next": attempt.number + 1,
                        "search.due_at": due,
                        "search.held_until": NOBODY_SINCE,
                        **{f"search.answered.{name}": attempt.started_at for name in answered},
                    }
                },
            ).matched_count
            == 1
        )


_HELD_BY_NO_ONE: Document = {"$expr": {"$lte": ["$search.held_until", "$$NOW"]}}
_HELD_UNTIL: Document = {"$add": ["$$NOW", round(HELD_SECONDS * 1000)]}
