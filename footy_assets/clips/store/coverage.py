"""Which goals have a clip, counted by match on request."""

from collections import defaultdict
from collections.abc import Collection
from datetime import date

from pymongo.database import Database

from footy_assets.clips.rules.coverage import GoalCoverage, goal_coverage
from footy_assets.store.collections import CLIPS, EVENTS, FIXTURES, Document
from footy_assets.store.retrying import retry_on_disconnect

# Live goals that are stable and searched for.
SEARCHED_FOR: Document = {
    "live": True,
    "stable_at": {"$ne": None},
    "attempts_planned": {"$gt": 0},
}
SEARCH_OVER: Document = {"$expr": {"$gte": ["$attempts_counted", "$attempts_planned"]}}


@retry_on_disconnect
class CoverageStore:
    def __init__(self, database: Database[Document]) -> None:
        self._fixtures = database[FIXTURES]
        self._events = database[EVENTS]
        self._clips = database[CLIPS]

    def of_matches(self, fixture_ids: Collection[int]) -> dict[int, GoalCoverage]:
        """By fixture id; a match without such goals is left out."""
        query = {**SEARCHED_FOR, "fixture_id": {"$in": list(fixture_ids)}}
        fields = {"fixture_id": 1, "attempts_counted": 1, "attempts_planned": 1}
        goals = list(self._events.find(query, fields))
        verified: dict[str, bool] = {}
        found = self._clips.find(
            {"goal_key": {"$in": [goal["_id"] for goal in goals]}}, {"goal_key": 1, "verified": 1}
        )
        for clip in found:
            key = clip["goal_key"]
            verified[key] = verified.get(key, False) or bool(clip["verified"])
        by_match: dict[int, GoalCoverage] = defaultdict(GoalCoverage)
        for goal in goals:
            key, over = goal["_id"], goal["attempts_counted"] >= goal["attempts_planned"]
            by_match[goal["fixture_id"]] += goal_coverage(
                key in verified, verified.get(key, False), over
            )
        return dict(by_match)

    def of_day(self, day: date) -> GoalCoverage:
        ids = self._fixtures.distinct("_id", {"matchday": day.isoformat()})
        return sum(self.of_matches(ids).values(), GoalCoverage())

    def latest_day(self) -> date | None:
        """The matchday of the goal that became stable last, of those whose search is over."""
        goal = self._events.find_one(
            {**SEARCHED_FOR, **SEARCH_OVER}, {"fixture_id": 1}, sort=[("stable_at", -1)]
        )
        match = self._fixtures.find_one({"_id": goal["fixture_id"]}) if goal else None
        return date.fromisoformat(match["matchday"]) if match else None

    def day_of_goal(self, event_id: str) -> date | None:
        goal = self._events.find_one({"event_id": event_id}, {"fixture_id": 1})
        match = self._fixtures.find_one({"_id": goal["fixture_id"]}) if goal else None
        return date.fromisoformat(match["matchday"]) if match else None
