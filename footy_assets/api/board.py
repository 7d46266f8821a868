"""The operations board: is it healthy, what is under way, what is refused, how fast are clips?"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from pymongo.database import Database

from footy_assets.api.dagster_ui import LastPoll
from footy_assets.api.health import Status
from footy_assets.matchday.goal import GoalEvent
from footy_assets.store.collections import EVENTS, VIDEOS, Document
from footy_assets.store.documents import goal_from
from footy_assets.store.figures import Latency

LOOK_BACK = timedelta(days=7)
MOST_REASONS = 12
MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A goal that is being searched for, or whose videos wait."""

    goal: GoalEvent
    attempt: int
    searching: bool
    videos_waiting: int


@dataclass(frozen=True, slots=True)
class Board:
    status: Status
    under_way: tuple[UnderWay, ...]
    refused: tuple[tuple[str, int], ...]
    latencies: tuple[Latency, ...]
    poll: LastPoll | None

    @property
    def typical(self) -> timedelta | None:
        seconds = [one.took.total_seconds() for one in self.latencies]
        return timedelta(seconds=median(seconds)) if seconds else None

    @property
    def slowest(self) -> timedelta | None:
        return max((one.took for one in self.latencies), default=None)


def under_way(database: Database[Document]) -> tuple[UnderWay, ...]:
    waiting = {
        found["_id"]: found["count"]
        for found in database[VIDEOS].aggregate(
            [
                {"$match": {"state": "chosen"}},
                {"$group": {"_id": "$goal_key", "count": {"$sum": 1}}},
            ]
        )
    }
    held = {"live": True, "$expr": {"$gt": ["$search.held_until", "$$NOW"]}}
    searched = {found["_id"] for found in database[EVENTS].find(held, {"_id": 1})}
    query = {"_id": {"$in": [*searched, *waiting]}}
    found = database[EVENTS].find(query).sort("stable_at", -1).limit(MOST_SHOWN)
    return tuple(
        UnderWay(
            goal_from(document),
            document.get("search", {}).get("next", 0),
            document["_id"] in searched,
            waiting.get(document["_id"], 0),
        )
        for document in found
    )


def refusals(database: Database[Document], since: datetime) -> tuple[tuple[str, int], ...]:
    """Why videos did not become clips, most often first; figures of single videos left out."""
    kind = {"$arrayElemAt": [{"$split": ["$reason", ":"]}, 0]}
    found = database[VIDEOS].aggregate(
        [
            {"$match": {"state": {"$in": ["refused", "failed"]}, "ended_at": {"$gte": since}}},
            {"$group": {"_id": kind, "count": {"$sum": 1}}},
            {"$sort": {"count": -1, "_id": 1}},
            {"$limit": MOST_REASONS},
        ]
    )
    return tuple((str(one["_id"]).replace("_", " "), one["count"]) for one in found)
