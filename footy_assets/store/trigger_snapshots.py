"""T1, T15: the first stage: snapshots, numbered within their scope, each stored once."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from pymongo.database import Database
from pymongo.errors import BulkWriteError

from footy_assets.store.collections import FIXTURES, SNAPSHOTS, Document
from footy_assets.triggers.snapshot import Snapshot

Numbered = tuple[int, Snapshot]
# How often another writer may be faster before we give up.
TRIES = 50


def scope_key(scope: str, scope_id: str) -> str:
    return f"{scope}/{scope_id}"


def key_of(snapshot: Snapshot) -> str:
    return scope_key(snapshot.scope, snapshot.scope_id)


class SnapshotStore:
    def __init__(self, database: Database[Document]) -> None:
        self._snapshots = database[SNAPSHOTS]
        self._fixtures = database[FIXTURES]

    def take_over(
        self,
        matchdays: Iterable[str] | None = None,
        since: str | None = None,
        waits: bool = True,
    ) -> dict[str, int]:
        """Store what polls wrote beside their fixtures; by matchday, how much was new.

        A snapshot leaves its fixture only once it is stored: killed in between, it is stored again,
        which changes nothing. What does not wait is for replays only: nobody is told of it.
        """
        query: Document = {"unstored.id": {"$exists": True}}
        if matchdays is not None:
            query["matchday"] = {"$in": list(matchdays)}
        elif since is not None:
            query["matchday"] = {"$gte": since}
        stored: dict[str, int] = {}
        for fixture in self._fixtures.find(query, {"unstored": 1, "matchday": 1}):
            snapshots = [Snapshot.model_validate(told) for told in fixture["unstored"]]
            day = fixture["matchday"]
            stored[day] = stored.get(day, 0) + len(self.store(snapshots, day, waits))
            ids = [snapshot.id for snapshot in snapshots]
            self._fixtures.update_one(
                {"_id": fixture["_id"]}, {"$pull": {"unstored": {"id": {"$in": ids}}}}
            )
        return stored

    def store(
        self, snapshots: Sequence[Snapshot], matchday: str | None = None, waits: bool = True
    ) -> list[str]:
        """Append to each scope what is not there yet, in the order given; the ids that were new.

        A number is the last one plus one and held by one snapshot only, so that there is never a
        gap, whoever else writes and wherever a process dies; what was left out is stored by the
        same call made again.
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
        for _ in range(TRIES):
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
        raise RuntimeError(f"{key}: others wrote {TRIES} times while we tried")

    def last_number(self, key: str) -> int:
        last = self._snapshots.find_one({"scope_key": key}, {"number": 1}, sort=[("number", -1)])
        return last["number"] if last else 0

    def waiting_scopes(self) -> list[str]:
        """Scopes with snapshots that were not evaluated yet."""
        return sorted(self._snapshots.distinct("scope_key", {"waits": True}))

    def numbered(self, key: str, after: int = 0, limit: int = 0) -> list[Numbered]:
        query = {"scope_key": key, "number": {"$gt": after}}
        found = self._snapshots.find(query).sort("number", 1).limit(limit)
        return [(document["number"], snapshot_from(document)) for document in found]

    def evaluated(self, key: str, up_to: int) -> None:
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
