"""SE8: searches for goals that are not stable yet, in MongoDB.

They are fields of the goal, beside those of its attempts, so a rename keeps them and a removal ends
them. Nothing here counts as one of the planned attempts.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from pymongo import ReturnDocument
from pymongo.database import Database

from footy_assets.matchday.store.documents import fixture_from, goal_from
from footy_assets.search.rules.ahead import AHEAD, AheadPlan
from footy_assets.search.rules.posts import Post
from footy_assets.search.store.searches import HELD_SECONDS, NOT_HELD, Attempt
from footy_assets.search.store.videos import VideoStore
from footy_assets.store.collections import EVENTS, FIXTURES, Document
from footy_assets.store.retrying import retry_on_disconnect


@retry_on_disconnect
class AheadStore:
    def __init__(self, database: Database[Document], run_id: str | None = None) -> None:
        self._run_id = run_id
        self._events = database[EVENTS]
        self._fixtures = database[FIXTURES]
        self._videos = VideoStore(database)

    def open(self, now: datetime) -> int:
        """A goal whose scorer is known is due at its first sighting: only then is there a poll in
        its set. Opening twice changes nothing."""
        fresh = {
            "due_at": now,
            "held_until": NOT_HELD,
            "generation": 0,
            "chosen": 0,
            "searches": [],
        }
        return self._events.update_many(
            {**_UNSTABLE, "seen_in_polls.0": {"$exists": True}, "ahead": {"$exists": False}},
            {"$set": {"ahead": fresh}},
        ).modified_count

    def due_goals(self, now: datetime, limit: int = 0) -> list[str]:
        """Keys of goals to search for now: those that somebody waits for first."""
        query = {**_UNSTABLE, "ahead.due_at": {"$lte": now}, **_UNCLAIMED}
        order = [("preferred", -1), ("ahead.due_at", 1)]
        found = self._events.find(query, {"_id": 1}).sort(order).limit(limit)
        return [document["_id"] for document in found]

    def next_due_at(self) -> datetime | None:
        query = {**_UNSTABLE, "ahead.due_at": {"$type": "date"}}
        found = self._events.find_one(query, {"ahead.due_at": 1}, sort=[("ahead.due_at", 1)])
        return found["ahead"]["due_at"] if found else None

    def claim(self, goal_key: str, now: datetime) -> tuple[Attempt, int] | None:
        """The search, which one process at a time makes, and how many videos earlier ones chose."""
        found = self._events.find_one_and_update(
            {"_id": goal_key, **_UNSTABLE, "ahead.due_at": {"$lte": now}, **_UNCLAIMED},
            [
                {
                    "$set": {
                        "ahead.held_until": _HELD_UNTIL,
                        "ahead.held_by": self._run_id,
                        "ahead.generation": {"$add": ["$ahead.generation", 1]},
                    }
                }
            ],
            return_document=ReturnDocument.AFTER,
        )
        fixture = self._fixtures.find_one({"_id": found["fixture_id"]}) if found else None
        if found is None or fixture is None:
            return None
        ahead = found["ahead"]
        attempt = Attempt(
            goal=goal_from(found),
            fixture=fixture_from(fixture),
            number=AHEAD,
            due_at=ahead["due_at"],
            started_at=now,
            generation=ahead["generation"],
            answered=ahead.get("answered", {}),
        )
        return attempt, ahead["chosen"]

    def renew(self, attempt: Attempt) -> None:
        """P3: a search that reports progress keeps its claim."""
        self._events.update_one(_claimed(attempt), [{"$set": {"ahead.held_until": _HELD_UNTIL}}])

    def record(
        self,
        attempt: Attempt,
        ended_at: datetime,
        plan: AheadPlan,
        *,
        chosen: Sequence[Post],
        seen: Sequence[Post],
        details: Mapping[str, Any],
        answered: Collection[str] = (),
    ) -> None:
        """Store the posts, then when the next search is due. A crash in between repeats the search
        and finds the same videos known."""
        goal = attempt.goal
        self._videos.add_posts(goal, AHEAD, attempt.started_at, seen=seen, chosen=chosen)
        search = {"at": attempt.started_at, "chosen": len(chosen), **details}
        searches = {"$concatArrays": ["$ahead.searches", [{"$literal": search}]]}
        done = {"$gte": [{"$size": "$ahead.searches"}, plan.searches]}
        due = {"$cond": [done, None, max(attempt.started_at + plan.apart, ended_at)]}
        sites = {f"ahead.answered.{name}": attempt.started_at for name in answered}
        recorded = self._events.update_one(
            {**_claimed(attempt), "live": True},
            [
                {
                    "$set": {
                        "ahead.searches": searches,
                        "ahead.chosen": {"$add": ["$ahead.chosen", len(chosen)]},
                        "ahead.held_until": NOT_HELD,
                        **sites,
                    }
                },
                {"$set": {"ahead.due_at": due}},
            ],
        )
        if not recorded.matched_count and not self._events.find_one(
            {"_id": goal.key, "live": True}
        ):
            # E6: it was removed meanwhile, and its videos may be deleted already.
            self._videos.delete_of_goal(goal.key)

    def end(self, attempt: Attempt) -> None:
        """No more searches ahead, such as for a goal of a match that is over."""
        self._events.update_one(_claimed(attempt), {"$set": {"ahead.due_at": None}})

    def story(self, goal_key: str) -> Document | None:
        """What was searched for and held ahead of stable, as `footy explain` shows it."""
        found = self._events.find_one({"_id": goal_key}, {"ahead": 1}) or {}
        return found.get("ahead")

    def record_held(self, goal_key: str, held: int) -> None:
        """How many videos are judged and held, for the goal's story."""
        self._events.update_one(
            {"_id": goal_key, "ahead": {"$exists": True}}, {"$max": {"ahead.held": held}}
        )

    def record_published(self, goal_key: str, at: datetime) -> None:
        self._events.update_one(
            {"_id": goal_key, "ahead": {"$exists": True}, "ahead.published_at": {"$exists": False}},
            {"$set": {"ahead.published_at": at}},
        )

    def record_dropped(self, goal_key: str, at: datetime) -> None:
        """E6: the line that stays of what was held for a removed goal."""
        self._events.update_one(
            {"_id": goal_key, "ahead.held": {"$gt": 0}, "ahead.dropped_at": {"$exists": False}},
            {"$set": {"ahead.dropped_at": at}},
        )


# E4: a goal without the time at which it became stable.
_UNSTABLE: Document = {"live": True, "stable_at": None}
_UNCLAIMED: Document = {"$expr": {"$lte": ["$ahead.held_until", "$$NOW"]}}
_HELD_UNTIL: Document = {"$add": ["$$NOW", round(HELD_SECONDS * 1000)]}


def _claimed(attempt: Attempt) -> Document:
    return {"_id": attempt.goal.key, "ahead.generation": attempt.generation}
