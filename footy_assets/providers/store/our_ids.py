"""L1: the ids that we give to what a provider names by its own: `espn:team:359` is ours to number.

API-Football's numbers are ours already, so numbers that we give begin far above them.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from uuid import uuid4

from pymongo import ReturnDocument, UpdateOne
from pymongo.database import Database

from footy_assets.providers.rules.descriptors import API_FOOTBALL
from footy_assets.store.collections import PROVIDER_IDS, Document
from footy_assets.store.conditional import write_conditionally
from footy_assets.store.retrying import retry_on_disconnect

FIRST_OF_OURS = 1_000_000_000
COUNTER = "last"
# How many numbers a process remembers, and of how many databases.
MOST_REMEMBERED = 200_000
MOST_GENERATIONS = 4
NOTHING_SAME: Mapping[str, int] = MappingProxyType({})


class Kind(StrEnum):
    """What is numbered. As stored."""

    MATCH = "match"
    LEAGUE = "league"
    TEAM = "team"
    PLAYER = "player"


@dataclass(slots=True)
class _Generation:
    """The numbers of one database since it was last empty: a number that was given stays.

    `taken` is the highest count of numbers that was seen.
    """

    taken: int = 0
    numbers: dict[str, int] = field(default_factory=dict)


# What this process has read, by the id that the database gives its numbers: an emptied or another
# database has another. Every tick of a sensor opens `OurIds` anew.
_generations: dict[str, _Generation] = {}


@retry_on_disconnect
class OurIds:
    """The numbers of one provider's matches, leagues, teams and players."""

    def __init__(self, database: Database[Document], domain: str) -> None:
        self._ids = database[PROVIDER_IDS]
        self._domain = domain
        self._known: dict[str, int] | None = None

    def of(
        self, kind: Kind, theirs: Collection[str], same: Mapping[str, int] = NOTHING_SAME
    ) -> dict[str, int]:
        """Our number of each; one that has none yet gets one, the same in every process: that of
        the `same` thing at API-Football, or a new one."""
        if self._domain == API_FOOTBALL:
            return {one: int(one) for one in theirs}
        if not theirs:
            return {}
        if self._known is None:
            self._known = self._remembered()
        prefix, known = self._key(kind, ""), self._known
        keys = {one: prefix + one for one in theirs}
        unknown = [one for one, key in keys.items() if key not in known]
        if unknown:
            known |= self._read([keys[one] for one in unknown])
            if new := [one for one in unknown if keys[one] not in known]:
                first = self._take(len(new))
                given = {one: first + n for n, one in enumerate(new)}
                self._insert(kind, {one: same.get(one, given[one]) for one in new})
                known |= self._read([keys[one] for one in new])
        return {one: known[key] for one, key in keys.items()}

    def set(self, kind: Kind, ours: Mapping[str, int]) -> None:
        """Gives numbers that exist already, such as those of a match that another provider found;
        one that has a number keeps it."""
        if self._domain != API_FOOTBALL:
            self._insert(kind, ours)

    def theirs(self, kind: Kind, ours: Collection[int]) -> dict[int, str]:
        """The provider's own ids; one that it has never named is missing."""
        if self._domain == API_FOOTBALL:
            return {one: str(one) for one in ours if one < FIRST_OF_OURS}
        if not ours:
            return {}
        query = {"domain": self._domain, "kind": kind.value, "ours": {"$in": list(ours)}}
        return {one["ours"]: one["theirs"] for one in self._ids.find(query)}

    def _read(self, keys: Collection[str]) -> dict[str, int]:
        # All in one batch, by default it has 101.
        found = self._ids.find({"_id": {"$in": list(keys)}}, {"ours": 1}, batch_size=len(keys) + 1)
        return {one["_id"]: one["ours"] for one in found}

    def _remembered(self) -> dict[str, int]:
        """What this process knows of this database, to be added to."""
        counter = self._ids.find_one({"_id": COUNTER})
        if counter is None:
            return {}
        if "generation" not in counter:
            # Of a former version.
            unnamed = {"_id": COUNTER, "generation": {"$exists": False}}
            self._ids.update_one(unnamed, {"$set": {"generation": uuid4().hex}})
            return {}
        id_, taken = counter["generation"], counter["number"]
        known = _generations.pop(id_, _Generation())
        if taken < known.taken or len(known.numbers) > MOST_REMEMBERED:
            # Fewer than before: the database is that of an older backup.
            known = _Generation()
        known.taken = taken
        _generations[id_] = known
        for oldest in list(_generations)[:-MOST_GENERATIONS]:
            _generations.pop(oldest, None)
        return known.numbers

    def _insert(self, kind: Kind, ours: Mapping[str, int]) -> None:
        write_conditionally(
            self._ids,
            [
                UpdateOne(
                    {"_id": self._key(kind, theirs)},
                    {
                        "$setOnInsert": {
                            "domain": self._domain,
                            "kind": kind.value,
                            "theirs": theirs,
                            "ours": number,
                        }
                    },
                    upsert=True,
                )
                for theirs, number in ours.items()
            ],
        )

    def _take(self, count: int) -> int:
        """The first of so many free numbers. A process that dies here leaves a gap, no harm."""
        counter = self._ids.find_one_and_update(
            {"_id": COUNTER},
            {"$inc": {"number": count}, "$setOnInsert": {"generation": uuid4().hex}},
            upsert=True,
            return_document=ReturnDocument.AFTER,
        )
        taken = int(counter["number"]) if counter else count
        return FIRST_OF_OURS + taken - count

    def _key(self, kind: Kind, theirs: str) -> str:
        return f"{self._domain}:{kind}:{theirs}"
