"""L1: the ids that we give to what a provider names by its own: `espn:team:359` is ours to number.

API-Football's numbers are ours already, so numbers that we give begin far above them.
"""

from collections.abc import Collection, Mapping
from enum import StrEnum
from types import MappingProxyType

from pymongo import ReturnDocument, UpdateOne
from pymongo.database import Database

from footy_assets.providers.rules.descriptors import API_FOOTBALL
from footy_assets.store.collections import PROVIDER_IDS, Document
from footy_assets.store.conditional import write_conditionally
from footy_assets.store.retrying import retry_on_disconnect

FIRST_OF_OURS = 1_000_000_000
COUNTER = "last"
NOTHING_SAME: Mapping[str, int] = MappingProxyType({})


class Kind(StrEnum):
    """What is numbered. As stored."""

    MATCH = "match"
    LEAGUE = "league"
    TEAM = "team"
    PLAYER = "player"


@retry_on_disconnect
class OurIds:
    """The numbers of one provider's matches, leagues, teams and players."""

    def __init__(self, database: Database[Document], domain: str) -> None:
        self._ids = database[PROVIDER_IDS]
        self._domain = domain
        self._known: dict[tuple[Kind, str], int] = {}

    def of(
        self, kind: Kind, theirs: Collection[str], same: Mapping[str, int] = NOTHING_SAME
    ) -> dict[str, int]:
        """Our number of each; one that has none yet gets one, the same in every process: that of
        the `same` thing at API-Football, or a new one."""
        if self._domain == API_FOOTBALL:
            return {one: int(one) for one in theirs}
        unknown = [one for one in dict.fromkeys(theirs) if (kind, one) not in self._known]
        if unknown:
            self._read(kind, unknown)
            if new := [one for one in unknown if (kind, one) not in self._known]:
                first = self._take(len(new))
                given = {one: first + n for n, one in enumerate(new)}
                self._insert(kind, {one: same.get(one, given[one]) for one in new})
                self._read(kind, new)
        return {one: self._known[kind, one] for one in theirs}

    def set(self, kind: Kind, ours: Mapping[str, int]) -> None:
        """Gives numbers that exist already, such as those of a match that another provider found;
        one that has a number keeps it."""
        if self._domain != API_FOOTBALL:
            self._insert(kind, ours)

    def theirs(self, kind: Kind, ours: Collection[int]) -> dict[int, str]:
        """The provider's own ids; one that it has never named is missing."""
        if self._domain == API_FOOTBALL:
            return {one: str(one) for one in ours if one < FIRST_OF_OURS}
        query = {"domain": self._domain, "kind": kind.value, "ours": {"$in": list(ours)}}
        return {one["ours"]: one["theirs"] for one in self._ids.find(query)}

    def _read(self, kind: Kind, theirs: Collection[str]) -> None:
        wanted = {"_id": {"$in": [self._key(kind, one) for one in theirs]}}
        for found in self._ids.find(wanted):
            self._known[kind, found["theirs"]] = found["ours"]

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
            {"$inc": {"number": count}},
            upsert=True,
            return_document=ReturnDocument.AFTER,
        )
        taken = int(counter["number"]) if counter else count
        return FIRST_OF_OURS + taken - count

    def _key(self, kind: Kind, theirs: str) -> str:
        return f"{self._domain}:{kind}:{theirs}"
