"""L1: the ids that we give to what a provider names by its own: `espn:team:359` is ours to number.

API-Football's numbers are ours already, so numbers that we give begin far above them.
"""

from collections import defaultdict
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

    `ours` and `theirs` are by provider and kind. `taken` is the highest count of numbers that was
    seen.
    """

    taken: int = 0
    ours: defaultdict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    theirs: defaultdict[str, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))

    @property
    def is_full(self) -> bool:
        return sum(map(len, self.ours.values())) > MOST_REMEMBERED


# What this process has read, by the id that the database gives its numbers: an emptied or another
# database has another. Every tick of a sensor opens `OurIds` anew.
_generations: dict[str, _Generation] = {}


@retry_on_disconnect
class OurIds:
    """The numbers of one provider's matches, leagues, teams and players."""

    def __init__(self, database: Database[Document], domain: str) -> None:
        self._ids = database[PROVIDER_IDS]
        self._domain = domain
        self._generation: _Generation | None = None

    def of(
        self, kind: Kind, theirs: Collection[str], same: Mapping[str, int] = NOTHING_SAME
    ) -> dict[str, int]:
        """Our number of each; one that has none yet gets one, the same in every process: that of
        the `same` thing at API-Football, or a new one."""
        known = self.known(kind, theirs, same)
        return {one: known[one] for one in theirs}

    def known(
        self, kind: Kind, theirs: Collection[str], same: Mapping[str, int] = NOTHING_SAME
    ) -> Mapping[str, int]:
        """As `of`, with others that are known; the same object each time, to which more are
        added."""
        if self._domain == API_FOOTBALL:
            return {one: int(one) for one in theirs}
        if not theirs:
            return {}
        known = self._remembered().ours[self._key(kind, "")]
        if unknown := [one for one in theirs if one not in known]:
            known |= self._read(kind, unknown)
            if new := [one for one in unknown if one not in known]:
                first = self._take(len(new))
                given = {one: first + n for n, one in enumerate(new)}
                self._insert(kind, {one: same.get(one, given[one]) for one in new})
                known |= self._read(kind, new)
        return known

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
        known = self._remembered().theirs[self._key(kind, "")]
        if unknown := [one for one in ours if one not in known]:
            query = {"domain": self._domain, "kind": kind.value, "ours": {"$in": unknown}}
            known |= {one["ours"]: one["theirs"] for one in self._ids.find(query)}
        return {one: known[one] for one in ours if one in known}

    def _read(self, kind: Kind, theirs: Collection[str]) -> dict[str, int]:
        keys = [self._key(kind, one) for one in theirs]
        fields = {"_id": 0, "theirs": 1, "ours": 1}
        # All in one batch, by default it has 101.
        found = self._ids.find({"_id": {"$in": keys}}, fields, batch_size=len(keys) + 1)
        return {one["theirs"]: one["ours"] for one in found}

    def _remembered(self) -> _Generation:
        """What this process knows of this database, to be added to."""
        if self._generation is None:
            self._generation = self._find_generation()
        return self._generation

    def _find_generation(self) -> _Generation:
        counter = self._ids.find_one({"_id": COUNTER})
        if counter is None:
            return _Generation()
        if "generation" not in counter:
            # Of a former version.
            unnamed = {"_id": COUNTER, "generation": {"$exists": False}}
            self._ids.update_one(unnamed, {"$set": {"generation": uuid4().hex}})
            return _Generation()
        id_, taken = counter["generation"], counter["number"]
        known = _generations.pop(id_, _Generation())
        if taken < known.taken or known.is_full:
            # Fewer than before: the database is that of an older backup.
            known = _Generation()
        known.taken = taken
        _generations[id_] = known
        for oldest in list(_generations)[:-MOST_GENERATIONS]:
            _generations.pop(oldest, None)
        return known

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
