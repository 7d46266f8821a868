"""The search attempts for each goal, in MongoDB: when the next is due, and what each one found.

Due times and numbers are fields of the goal, so a rename keeps them and a removal ends them. Each
attempt leaves a document of its own. Every step is one conditional update.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from pymongo import ReturnDocument
from pymongo.database import Database

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.store.documents import fixture_from, goal_from
from footy_assets.search.rules.attempts import (
    AttemptOutcome,
    failures_that_count,
    is_search_over,
    latest_due,
    next_due,
    numbers_to_close,
)
from footy_assets.search.rules.posts import Post, Window
from footy_assets.search.rules.query import GoalQuery
from footy_assets.search.store.videos import VideoStore
from footy_assets.store.collections import ATTEMPTS, EVENTS, FIXTURES, Document
from footy_assets.store.retrying import retry_on_disconnect, retry_with

NOT_HELD = datetime(2000, 1, 1, tzinfo=UTC)
# Longer than a search may take; after this, in real time, a crashed attempt is due again.
HELD_SECONDS = 240.0


@dataclass(frozen=True, slots=True)
class Attempt:
    """A claimed attempt. `generation` distinguishes a second try of a number from the first."""

    goal: GoalEvent
    fixture: Fixture
    number: int
    due_at: datetime
    started_at: datetime
    generation: int
    # By site: the start of the last attempt that the site answered.
    answered: Mapping[str, datetime] = field(default_factory=dict)
    # SE9: the numbers of earlier attempts that failed.
    failed: frozenset[int] = frozenset()

    @property
    def id(self) -> str:
        return attempt_id(self.goal.key, self.number)


def attempt_id(goal_key: str, number: int) -> str:
    return f"{goal_key}:{number}"


@retry_on_disconnect
class SearchStore:
    """`run_id` is of the run that claims attempts, if Dagster runs them."""

    def __init__(self, database: Database[Document], run_id: str | None = None) -> None:
        self._run_id = run_id
        self._events = database[EVENTS]
        self._fixtures = database[FIXTURES]
        self._attempts = database[ATTEMPTS]
        self.videos = VideoStore(database)

    # -- due ------------------------------------------------------------------------------

    def searched_event_ids(self) -> set[str]:
        """Event ids of live goals that are searched for, also ahead of stable (SE8): each needs a
        partition."""
        searched = [{"search": {"$exists": True}}, {"ahead": {"$exists": True}}]
        return set(self._events.distinct("event_id", {"live": True, "$or": searched}))

    def open_searches(self) -> int:
        """SE1: a stable goal is due at once; opening its search twice changes nothing."""
        fresh = {
            "next": 1,
            "due_at": "$stable_at",
            "generation": 0,
            "held_until": NOT_HELD,
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

    def correct_times_ahead(self, now: datetime, apart: timedelta) -> int:
        """SE1, SE6: what a clock that was ahead has written. A first attempt is due now, others one
        interval from now at the latest, and a site that answered later than now is searched since
        the goal: what was posted meanwhile would be too old for it."""
        sites = {"$objectToArray": {"$ifNull": ["$search.answered", {}]}}
        ahead = {"$gt": ["$$site.v", now]}
        latest = latest_due(now, apart)
        some_ahead = {"$anyElementTrue": [{"$map": {"input": sites, "as": "site", "in": ahead}}]}
        past = {"$filter": {"input": sites, "as": "site", "cond": {"$not": [ahead]}}}
        soon = {"$cond": [{"$eq": ["$search.next", 1]}, now, latest]}
        return self._events.update_many(
            {
                "live": True,
                "search.due_at": {"$type": "date"},
                "$expr": {"$or": [{"$gt": ["$search.due_at", latest]}, some_ahead]},
            },
            [
                {
                    "$set": {
                        "search.due_at": {"$min": ["$search.due_at", soon]},
                        "search.answered": {"$arrayToObject": past},
                    }
                }
            ],
        ).modified_count

    def due_goals(self, now: datetime, limit: int = 0) -> list[str]:
        """Keys of goals whose next attempt is due and not claimed: preferred goals first, then the
        longest due."""
        query = {"live": True, "search.due_at": {"$lte": now}, **_UNCLAIMED}
        order = [("preferred", -1), ("search.due_at", 1)]
        found = self._events.find(query, {"_id": 1}).sort(order).limit(limit)
        return [document["_id"] for document in found]

    def set_preferred(self, goal_key: str, preferred: bool = True) -> None:
        """T16: a goal that a trigger notifies about is searched for before others."""
        self._events.update_one({"_id": goal_key}, {"$set": {"preferred": preferred}})

    def next_due_at(self) -> datetime | None:
        """When the next attempt of any goal is due."""
        query = {"live": True, "search.due_at": {"$type": "date"}}
        found = self._events.find_one(query, {"search.due_at": 1}, sort=[("search.due_at", 1)])
        return found["search"]["due_at"] if found else None

    def make_due(self, goal_key: str, now: datetime) -> bool:
        """P5: the next attempt is due now; of a search that is over, one more. Failed videos
        are downloaded again. False if the goal is not searched for, or an attempt runs."""
        due = self._events.update_one(
            {"_id": goal_key, "live": True, "search": {"$exists": True}, **_UNCLAIMED},
            {"$set": {"search.due_at": now}},
        )
        if not due.matched_count:
            return False
        self.videos.retry_failed(goal_key)
        return True

    # -- an attempt -----------------------------------------------------------------------

    def claim(self, goal_key: str, now: datetime) -> Attempt | None:
        """SE1: attempt n runs at most once at a time; a crashed one is claimed again as n."""
        found = self._events.find_one_and_update(
            {"_id": goal_key, "live": True, "search.due_at": {"$lte": now}, **_UNCLAIMED},
            [
                {
                    "$set": {
                        "search.held_until": _HELD_UNTIL,
                        "search.held_by": self._run_id,
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
            failed=frozenset(search.get("failed", ())),
        )

    def renew(self, attempt: Attempt) -> bool:
        """P3: a search that reports progress keeps its claim. False if another run has it."""
        claimed = {"_id": attempt.goal.key, "search.generation": attempt.generation}
        return (
            self._events.update_one(
                claimed, [{"$set": {"search.held_until": _HELD_UNTIL}}]
            ).matched_count
            == 1
        )

    def record_result(
        self,
        attempt: Attempt,
        ended_at: datetime,
        apart: timedelta,
        *,
        query: GoalQuery,
        window: Window,
        chosen: Sequence[Post],
        seen: Sequence[Post],
        details: Mapping[str, Any],
        answered: Collection[str] = (),
    ) -> bool:
        """Store what an attempt found and which sites answered, then schedule the next one.

        In this order a crash in between repeats the search and finds the same videos known. False
        if another run claimed the attempt meanwhile; its videos are stored all the same.
        """
        self.videos.add_posts(
            attempt.goal, attempt.number, attempt.started_at, seen=seen, chosen=chosen
        )
        self._attempts.update_one(
            {"_id": attempt.id},
            {
                "$set": {
                    **_attempt_fields(attempt, ended_at),
                    "generation": attempt.generation,
                    "players": list(query.players),
                    "teams": list(query.teams),
                    "since": window.since,
                    "until": window.until,
                    **details,
                },
                "$addToSet": {"chosen": {"$each": [post.video_id for post in chosen]}},
                "$unset": {"failure": ""},
            },
            upsert=True,
        )
        moved = self._schedule_next(attempt, ended_at, apart, answered)
        with_videos = {"_id": attempt.id, "chosen.0": {"$exists": True}}
        # Checked after the attempt is stored: the process that settles the last video sees it.
        if (
            moved
            and not self._attempts.find_one(with_videos, {"_id": 1})
            and not self.videos.attempt_has_waiting(attempt.goal.key, attempt.number)
        ):
            self.count_attempts(
                attempt.goal.key, [attempt.number], ended_at, AttemptOutcome.FOUND_NOTHING
            )
        return moved

    def record_failure(
        self,
        attempt: Attempt,
        ended_at: datetime,
        apart: timedelta,
        reason: str,
        kinds: Mapping[str, str] | None = None,
    ) -> None:
        """SE9: a failed attempt is stored with its reason, and its kind by site, and is not one of
        the planned ones."""
        failed = {"failure": reason, "failure_kinds": dict(kinds or {})}
        self._attempts.update_one(
            {"_id": attempt.id},
            {"$set": {**_attempt_fields(attempt, ended_at), **failed}},
            upsert=True,
        )
        if self._schedule_next(attempt, ended_at, apart, failed=True):
            self._attempts.update_one(
                {"_id": attempt.id}, {"$set": {"outcome": AttemptOutcome.FAILED}}
            )

    @retry_with("counting")
    def count_attempts(
        self, goal_key: str, numbers: Collection[int], at: datetime, outcome: AttemptOutcome
    ) -> None:
        """SE2: these attempts are done. Counting one twice changes nothing."""
        self._mark_counted(goal_key, numbers, at, outcome)
        self._events.update_one({"_id": goal_key}, _counting(numbers))

    def _mark_counted(
        self, goal_key: str, numbers: Collection[int], at: datetime, outcome: AttemptOutcome
    ) -> None:
        ids = [attempt_id(goal_key, number) for number in numbers]
        self._attempts.update_many(
            {"_id": {"$in": ids}, "counted_at": {"$exists": False}},
            [{"$set": {"counted_at": at, "outcome": {"$ifNull": ["$outcome", outcome]}}}],
        )

    def count_settled(self, goal_key: str, at: datetime) -> None:
        """SE2: the attempts whose videos are all done."""
        for number in self.uncounted_attempts(goal_key):
            if not self.videos.attempt_has_waiting(goal_key, number):
                self.count_attempts(goal_key, [number], at, AttemptOutcome.VIDEOS_SETTLED)

    def attempts_of(self, goal_key: str) -> list[Document]:
        """The attempts of a goal, by number."""
        return list(self._attempts.find({"goal_key": goal_key}).sort("number", 1))

    def uncounted_attempts(self, goal_key: str) -> list[int]:
        """Attempts that have searched and wait for their videos; never failed ones (SE9)."""
        goal = self._events.find_one({"_id": goal_key}, {"search": 1}) or {}
        search = goal.get("search", {})
        query = {
            "goal_key": goal_key,
            "counted_at": {"$exists": False},
            "number": {"$nin": search.get("failed", [])},
            # An attempt has its failure before the goal knows, and its repetition may be answered.
            "$or": [{"failure": {"$exists": False}}, {"number": {"$lt": search.get("next", 1)}}],
        }
        return sorted(d["number"] for d in self._attempts.find(query, {"number": 1}))

    def close_overdue(
        self, now: datetime, give_up_after: timedelta, doubt: timedelta = timedelta(0)
    ) -> list[str]:
        """SE2: close every search that is not done by its deadline. The keys of its goals.

        A search must be overdue for as long as `doubt`: a clock that is ahead for a moment closes
        none. No goal is stable before it is seen, though a clock that was behind may say so.
        """
        before = now - give_up_after
        late = {"stable_at": {"$lte": before}, "first_seen_at": {"$not": {"$gt": before}}}
        noted: Document = {"search.overdue_at": {"$exists": True}}
        self._events.update_many(
            {**late, "live": True, "search": {"$exists": True}, "$nor": [noted]},
            {"$set": {"search.overdue_at": now}},
        )
        self._events.update_many({**noted, "$nor": [late]}, {"$unset": {"search.overdue_at": ""}})
        long_enough = {"search.overdue_at": {"$lte": now - doubt}}
        return self._close({**late, **long_enough}, now, AttemptOutcome.DEADLINE_PASSED)

    def close_fixture(self, fixture_id: int, now: datetime) -> list[str]:
        """P5: close the searches for a match's goals, done or not."""
        return self._close({"fixture_id": fixture_id}, now, AttemptOutcome.MATCH_CLOSED)

    def _close(self, where: Document, now: datetime, reason: AttemptOutcome) -> list[str]:
        """Counting comes last: after a crash in between, the goal is closed again."""
        unfinished = {
            **where,
            "live": True,
            "search": {"$exists": True},
            "$expr": {"$lt": ["$attempts_counted", "$attempts_planned"]},
        }
        closed = []
        for goal in self._events.find(unfinished, {"attempts_planned": 1, "attempts_done": 1}):
            key = goal["_id"]
            self._events.update_one(
                {"_id": key}, {"$set": {"search.closed_at": now, "search.due_at": None}}
            )
            self.videos.fail_waiting(key, reason, now)
            waiting = self.uncounted_attempts(key)
            done = {*goal.get("attempts_done", ()), *waiting}
            missing = numbers_to_close(done, goal["attempts_planned"])
            self.count_attempts(key, [*waiting, *missing], now, reason)
            closed.append(key)
        return closed

    def _schedule_next(
        self,
        attempt: Attempt,
        ended_at: datetime,
        apart: timedelta,
        answered: Collection[str] = (),
        *,
        failed: bool = False,
    ) -> bool:
        """SE9: also counts failed attempts, if no more may be started. A search that was closed
        meanwhile stays closed. Can be repeated. False if another run has the attempt."""
        number, planned = attempt.number, attempt.goal.attempts_planned
        all_failed = attempt.failed | {number} if failed else attempt.failed
        over = is_search_over(number, all_failed, planned)
        due = None if over else next_due(attempt.due_at, ended_at, apart)
        counted = failures_that_count(number, all_failed, planned)
        ours = {"_id": attempt.goal.key, "search.generation": attempt.generation}
        moved = {
            "search.next": number + 1,
            "search.due_at": {"$cond": [{"$ifNull": ["$search.closed_at", False]}, None, due]},
            "search.held_until": NOT_HELD,
            "search.failed": sorted(all_failed),
            **{f"search.answered.{name}": attempt.started_at for name in answered},
        }
        scheduled = self._events.update_one(
            {**ours, "search.next": number},
            [{"$set": moved}, *(_counting(counted) if counted else ())],
        )
        if not scheduled.matched_count and not self._events.find_one(
            {**ours, "search.next": number + 1}, {"_id": 1}
        ):
            return False
        self._mark_counted(attempt.goal.key, counted, ended_at, AttemptOutcome.FAILED)
        return True


_UNCLAIMED: Document = {"$expr": {"$lte": ["$search.held_until", "$$NOW"]}}
_HELD_UNTIL: Document = {"$add": ["$$NOW", round(HELD_SECONDS * 1000)]}


def _counting(numbers: Collection[int]) -> list[Document]:
    done = {"$setUnion": [{"$ifNull": ["$attempts_done", []]}, sorted(numbers)]}
    return [
        {"$set": {"attempts_done": done}},
        {"$set": {"attempts_counted": {"$size": "$attempts_done"}}},
    ]


def _attempt_fields(attempt: Attempt, ended_at: datetime) -> Document:
    return {
        "goal_key": attempt.goal.key,
        "fixture_id": attempt.goal.fixture_id,
        "number": attempt.number,
        "due_at": attempt.due_at,
        "started_at": attempt.started_at,
        "ended_at": ended_at,
    }
