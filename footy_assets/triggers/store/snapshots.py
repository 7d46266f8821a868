"""T1, T15: stores snapshots, numbered within their scope, each once."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from pymongo.database import Database
from pymongo.errors import BulkWriteError

from footy_assets.store.collections import FIXTURES, SNAPSHOTS, Document
from footy_assets.triggers.rules.clip_moments import clip_cancellations, clip_snapshot_ids
from footy_assets.triggers.rules.goal_moments import goal_key_of
from footy_assets.triggers.rules.snapshot import Snapshot

Numbered = tuple[int, Snapshot]
# How often another writer may win before we give up.
MAX_ATTEMPTS = 50


def scope_key(scope: str, scope_id: str) -> str:
    return f"{scope}/{scope_id}"


def key_of(snapshot: Snapshot) -> str:
    return scope_key(snapshot.scope, snapshot.scope_id)


class SnapshotStore:
    def __init__(self, database: Database[Document]) -> None:
        self._snapshots = database[SNAPSHOTS]
        self._fixtures = database[FIXTURES]

    def store_from_fixtures(
        self,
        matchdays: Iterable[str] | None = None,
        since: str | None = None,
        waits: bool = True,
    ) -> dict[str, int]:
        """Stores the snapshots that polls left in fixtures; returns the number of new ones by day.

        A snapshot is removed from its fixture only once it is stored; storing it again after a
        crash changes nothing. Snapshots with `waits=False` are for replays only.
        """
        query: Document = {"unstored.id": {"$exists": True}}
        if matchdays is not None:
            query["matchday"] = {"$in": list(matchdays)}
        elif since is not None:
            query["matchday"] = {"$gte": since}
        stored: dict[str, int] = {}
        for fixture in self._fixtures.find(query, {"unstored": 1, "matchday": 1}):
            snapshots = [
                one
                for snapshot in fixture["unstored"]
                for one in self._with_clips(Snapshot.model_validate(snapshot))
            ]
            day = fixture["matchday"]
            stored[day] = stored.get(day, 0) + len(self.store(snapshots, day, waits))
            ids = [snapshot.id for snapshot in snapshots]
            self._fixtures.update_one(
                {"_id": fixture["_id"]}, {"$pull": {"unstored": {"id": {"$in": ids}}}}
            )
        return stored

    def _with_clips(self, snapshot: Snapshot) -> list[Snapshot]:
        """T11: a snapshot that cancels a goal, and those that cancel what announced its clips."""
        key = goal_key_of(snapshot.cancels) if snapshot.cancels else None
        if key is None:
            return [snapshot]
        ids = clip_snapshot_ids(snapshot.scope_id, key)
        clips = [snapshot_from(one) for one in self._snapshots.find({"_id": {"$in": list(ids)}})]
        return [snapshot, *clip_cancellations(snapshot, clips)]

    def store(
        self, snapshots: Sequence[Snapshot], matchday: str | None = None, waits: bool = True
    ) -> list[str]:
        """Appends new snapshots to their scopes, in the order given; returns their ids.

        Numbers are consecutive and unique, whatever other processes write and wherever one dies;
        repeat the call to store what is missing.
        """
        by_scope: defaultdict[str, dict[str, Snapshot]] = defaultdict(dict)
        for snapshot in snapshots:
            by_scope[key_of(snapshot)].setdefault(snapshot.id, snapshot)
        stored: list[str] = []
        for key, several in by_scope.items():
            stored += self._append(key, several, matchday, waits)
        return stored

    def _append(
        self, key: str, wanted: dict[str, Snapshot], matchday: str | None, waits: bool
    ) -> list[str]:
        stored: list[str] = []
        for _ in range(MAX_ATTEMPTS):
            known = set(self._snapshots.distinct("_id", {"_id": {"$in": list(wanted)}}))
            fresh = [one for id, one in wanted.items() if id not in known]
            if not fresh:
                return stored
            last = self.last_number(key)
            documents = [
                snapshot_document(one, number, matchday) | ({"waits": True} if waits else {})
                for number, one in enumerate(fresh, start=last + 1)
            ]
            try:
                self._snapshots.insert_many(documents, ordered=True)
            except BulkWriteError as error:
                stored += [one.id for one in fresh[: error.details["nInserted"]]]
            else:
                return [*stored, *(one.id for one in fresh)]
        raise RuntimeError(f"{key}: others wrote {MAX_ATTEMPTS} times while we tried")

    def last_number(self, key: str) -> int:
        last = self._snapshots.find_one({"scope_key": key}, {"number": 1}, sort=[("number", -1)])
        return last["number"] if last else 0

    def waiting_scopes(self) -> list[str]:
        """Scopes with snapshots to evaluate."""
        return sorted(self._snapshots.distinct("scope_key", {"waits": True}))

    def numbered(self, key: str, after: int = 0, limit: int = 0) -> list[Numbered]:
        query = {"scope_key": key, "number": {"$gt": after}}
        found = self._snapshots.find(query).sort("number", 1).limit(limit)
        return [(document["number"], snapshot_from(document)) for document in found]

    def mark_evaluated(self, key: str, up_to: int) -> None:
        self._snapshots.update_many(
            {"waits": True, "scope_key": key, "number": {"$lte": up_to}}, {"$unset": {"waits": ""}}
        )

    def get(self, id: str) -> Numbered | None:
        document = self._snapshots.find_one({"_id": id})
        return (document["number"], snapshot_from(document)) if document else None

    def scopes_of(self, matchday: str) -> list[str]:
        return sorted(self._snapshots.distinct("scope_key", {"matchday": matchday}))

    def matchdays_of(self, keys: Iterable[str]) -> list[str]:
        return sorted(self._snapshots.distinct("matchday", {"scope_key": {"$in": list(keys)}}))

    def count(self, keys: Iterable[str]) -> int:
        return self._snapshots.count_documents({"scope_key": {"$in": list(keys)}})


def snapshot_document(snapshot: Snapshot, number: int, matchday: str | None) -> Document:
    document = snapshot.model_dump(exclude_none=True)
    document["_id"] = document.pop("id")
    document |= {"scope_key": key_of(snapshot), "number": number}
    return document | ({"matchday": matchday} if matchday else {})


def snapshot_from(document: Document) -> Snapshot:
    fields = {name: document[name] for name in Snapshot.model_fields if name in document}
    return Snapshot(id=document["_id"], **fields)
