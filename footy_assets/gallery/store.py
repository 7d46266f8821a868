"""What the pages and the API read from MongoDB across rooms. Nothing is written here."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from pymongo.change_stream import ChangeStream
from pymongo.database import Database

from footy_assets.gallery.live_log import Kind
from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import EventState, GoalEvent
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.documents import fixture_from, goal_from
from footy_assets.search.store.videos import VideoStore
from footy_assets.store.collections import (
    CLIPS,
    EVENTS,
    FIXTURES,
    LINE_UPS,
    TRIGGER_SCOPES,
    Document,
)

# Fingerprints are large, and no page shows them.
WITHOUT_FINGERPRINT = {"fingerprint": 0}


@dataclass(slots=True)
class Filters:
    """A query of conditions that must all hold; conditions that are None are ignored."""

    conditions: list[Document] = field(default_factory=list)

    def where(self, field: str, value: Any) -> "Filters":
        if value is not None:
            self.conditions.append({field: value})
        return self

    def either(self, fields: Sequence[str], value: Any) -> "Filters":
        if value is not None:
            self.conditions.append({"$or": [{name: value} for name in fields]})
        return self

    def one_of(self, field: str, values: Collection[Any] | None) -> "Filters":
        return self.where(field, None if values is None else {"$in": list(values)})

    def beyond(
        self, fields: tuple[str, str], place: Sequence[Any], *, down: bool = False
    ) -> "Filters":
        """Only what comes after the place of a cursor, the values of two sorted fields."""
        (first, second), after = fields, "$lt" if down else "$gt"
        further = [{first: {after: place[0]}}, {first: place[0], second: {after: place[1]}}]
        self.conditions.append({"$or": further})
        return self

    def document(self) -> Document:
        return {"$and": self.conditions} if self.conditions else {}


class GalleryStore:
    def __init__(self, database: Database[Document]) -> None:
        self._fixtures = database[FIXTURES]
        self._events = database[EVENTS]
        self._clips = database[CLIPS]
        self.videos = VideoStore(database)

    # -- days -----------------------------------------------------------------------------

    def has_matches(self, day: date) -> bool:
        return self._fixtures.find_one({"matchday": day.isoformat()}, {"_id": 1}) is not None

    def neighbours(self, day: date) -> tuple[date | None, date | None]:
        """The nearest days before and after with matches."""

        def found(query: Document, order: int) -> date | None:
            one = self._fixtures.find_one({"matchday": query}, sort=[("matchday", order)])
            return date.fromisoformat(one["matchday"]) if one else None

        return found({"$lt": day.isoformat()}, -1), found({"$gt": day.isoformat()}, 1)

    def days(self, before: str | None, limit: int) -> Iterator[Document]:
        """Matchdays with the number of their fixtures by state, the latest first."""
        return self._fixtures.aggregate(
            [
                {"$match": {"matchday": {"$lt": before}} if before else {}},
                {
                    "$group": {
                        "_id": "$matchday",
                        "fixtures": {"$sum": 1},
                        "active": _count_in(FixtureState.ACTIVE),
                        "completed": _count_in(FixtureState.COMPLETED),
                    }
                },
                {"$sort": {"_id": -1}},
                {"$limit": limit},
            ]
        )

    def fixture_ids(self, day: date) -> list[int]:
        return self._fixtures.distinct("_id", {"matchday": day.isoformat()})

    # -- lists ----------------------------------------------------------------------------

    def fixtures(self, query: Filters, limit: int) -> list[Fixture]:
        """By kickoff."""
        found = self._fixtures.find(query.document()).sort([("kickoff", 1), ("_id", 1)])
        return [fixture_from(document) for document in found.limit(limit)]

    def goals(self, query: Filters) -> Iterator[GoalEvent]:
        """The latest first."""
        found = self._events.find(query.document()).sort([("first_seen_at", -1), ("_id", -1)])
        return map(goal_from, found)

    def goals_by_key(self, keys: Collection[str]) -> dict[str, GoalEvent]:
        found = self._events.find({"_id": {"$in": list(keys)}})
        return {document["_id"]: goal_from(document) for document in found}

    def clips(self, query: Filters, limit: int) -> list[Document]:
        """The latest first."""
        found = self._clips.find(query.document(), WITHOUT_FINGERPRINT)
        return list(found.sort([("stored_at", -1), ("_id", -1)]).limit(limit))

    # -- one clip -------------------------------------------------------------------------

    def clip_by_public_key(self, key: str) -> Document | None:
        """The clip that this public key names, wherever its bytes are by now.

        E6: that of a removed goal is gone at once, though its bytes are cleared later.
        """
        return self._clip_of_a_live_goal({"public_key": key})

    def clip_by_video_key(self, key: str) -> Document | None:
        """The clip that has this video key now, or had it first: pictures move with the bytes."""
        return self._clip_of_a_live_goal({"$or": [{"key": key}, {"public_key": key}]})

    def rendition(self, fixture_id: int, key: str) -> Document | None:
        """D6: the rendition of a clip of this match that has this key."""
        clip = self._clip_of_a_live_goal({"fixture_id": fixture_id, "renditions.key": key})
        return (
            next((one for one in clip["renditions"] if one["key"] == key), None) if clip else None
        )

    def _clip_of_a_live_goal(self, query: Document) -> Document | None:
        found = self._clips.find_one(query, WITHOUT_FINGERPRINT)
        if found is None:
            return None
        live = {"_id": found["goal_key"], "live": True}
        return found if self._events.find_one(live, {"_id": 1}) else None

    # -- search ---------------------------------------------------------------------------

    def matches_of_teams(self, fits: Callable[[str | None], bool], limit: int) -> list[Fixture]:
        """Matches of teams whose name fits, the latest first."""
        sides = ("home.name", "away.name")
        teams = [name for side in sides for name in self._fixtures.distinct(side) if fits(name)]
        found = self._fixtures.find({"$or": [{side: {"$in": teams}} for side in sides]})
        found = found.sort([("kickoff", -1), ("_id", -1)]).limit(limit)
        return [fixture_from(document) for document in found]

    def goals_of_players(self, fits: Callable[[str | None], bool], limit: int) -> list[GoalEvent]:
        """Goals of players whose name fits, the latest first."""
        players = [name for name in self._events.distinct("player.name") if fits(name)]
        found = self._events.find({"player.name": {"$in": players}})
        found = found.sort([("first_seen_at", -1), ("_id", 1)]).limit(limit)
        return [goal_from(document) for document in found]

    # -- operations -----------------------------------------------------------------------

    def goals_being_searched(self) -> set[str]:
        """The keys of goals with a claimed attempt."""
        held = {"live": True, "$expr": {"$gt": ["$search.held_until", "$$NOW"]}}
        return {found["_id"] for found in self._events.find(held, {"_id": 1})}

    def goals_with_attempt(self, keys: Collection[str], limit: int) -> list[tuple[GoalEvent, int]]:
        """These goals, the latest first, each with the number of its next attempt."""
        found = self._events.find({"_id": {"$in": list(keys)}}).sort("stable_at", -1).limit(limit)
        return [(goal_from(one), one.get("search", {}).get("next", 0)) for one in found]

    def goals_by_state(self) -> Counter[EventState]:
        """E9: a state is derived and never stored, so every goal is read."""
        return Counter(goal_from(document).state for document in self._events.find())

    def clips_verified(self, verified: bool) -> int:
        return self._clips.count_documents({"verified": verified})


# -- changes ------------------------------------------------------------------------------

# Line-ups have the id of their match.
KINDS: dict[str, Kind] = {
    FIXTURES: "fixture",
    LINE_UPS: "fixture",
    EVENTS: "goal",
    CLIPS: "clip",
    TRIGGER_SCOPES: "triggers",
}
# Fields that no page shows.
HIDDEN_FIELDS = (
    "last_polled",
    "revision",
    "leftovers",
    "unannounced",
    "search",
    "told_minute",
    "incidents",
    "corners",
    "asked_at",
    "fetched_at",
    "failure",
)
UPDATED: Document = {"$ifNull": ["$updateDescription.updatedFields", {}]}
CHANGES: list[Document] = [
    {
        "$match": {
            "ns.coll": {"$in": list(KINDS)},
            "operationType": {"$in": ["insert", "update", "replace", "delete"]},
        }
    },
    {
        "$project": {
            "operationType": 1,
            "ns.coll": 1,
            "documentKey": 1,
            "fullDocument.fixture_id": 1,
            "fullDocument.matchday": 1,
            "fields": {"$map": {"input": {"$objectToArray": UPDATED}, "in": "$$this.k"}},
        }
    },
]


@dataclass(frozen=True, slots=True)
class StoredChange:
    """A fixture, goal or clip was written, or triggers were evaluated.

    `shown` is False if it was bookkeeping only.
    """

    token: str
    kind: Kind
    fixture_id: int | None
    matchday: str | None
    shown: bool


class ChangeReader:
    def __init__(self, stream: ChangeStream[Document]) -> None:
        self._stream = stream

    @property
    def token(self) -> str:
        """The place to resume after."""
        return str((self._stream.resume_token or {})["_data"])

    def next(self) -> StoredChange | None:
        """None if nothing was written for a while."""
        found: Any = self._stream.try_next()
        if found is None:
            return None
        fields = [name for name in found["fields"] if name.partition(".")[0] not in HIDDEN_FIELDS]
        kind, document = KINDS[found["ns"]["coll"]], found.get("fullDocument") or {}
        fixture = document.get("fixture_id")
        if kind == "fixture":
            fixture = found["documentKey"]["_id"]
        elif kind == "triggers":
            # The key of a scope, such as `game/5000`; a match that only a client knows has no page.
            id = str(found["documentKey"]["_id"]).partition("/")[2]
            fixture = int(id) if id.isascii() and id.isdigit() and len(id) < 16 else None
        # A trigger that was made or paused moves the revision of its scope.
        shown = found["operationType"] != "update" or bool(fields) or kind == "triggers"
        return StoredChange(found["_id"]["_data"], kind, fixture, document.get("matchday"), shown)


@contextmanager
def read_changes(
    database: Database[Document], after: str | None, wait_ms: int
) -> Iterator[ChangeReader]:
    """What is written from now on, or after a token; each read waits up to `wait_ms`."""
    with database.watch(
        CHANGES,
        full_document="updateLookup",
        resume_after={"_data": after} if after else None,
        max_await_time_ms=wait_ms,
    ) as stream:
        yield ChangeReader(stream)


def _count_in(state: FixtureState) -> Document:
    return {"$sum": {"$cond": [{"$eq": ["$state", state]}, 1, 0]}}
