"""L1: by which ids the providers know the matches and teams that have a number of ours."""

from collections.abc import Collection

from pymongo.database import Database

from footy_assets.parsing import LARGEST_INTEGER
from footy_assets.providers.rules.descriptors import API_FOOTBALL
from footy_assets.providers.store.our_ids import FIRST_OF_OURS, Kind
from footy_assets.store.collections import PROVIDER_IDS, PROVIDER_MAPPINGS, Document
from footy_assets.store.retrying import retry_on_disconnect


@retry_on_disconnect
class ProviderIds:
    def __init__(self, database: Database[Document]) -> None:
        self._ids = database[PROVIDER_IDS]
        self._mappings = database[PROVIDER_MAPPINGS]

    def of_matches(self, ours: Collection[int]) -> dict[int, dict[str, str]]:
        """Of each match: provider to id, of the providers that have reported it."""
        found = self._numbered(Kind.MATCH, ours)
        for one in self._mappings.find({"match_id": {"$in": list(ours)}}):
            found[one["match_id"]][one["domain"]] = one["theirs"]
        return found

    def of_teams(self, ours: Collection[int]) -> dict[int, dict[str, str]]:
        return self._numbered(Kind.TEAM, ours)

    def match(self, provider: str, theirs: str) -> int | None:
        """Our number of a provider's match."""
        mapped = self._mappings.find_one({"_id": f"{provider}:{theirs}"})
        if mapped is not None and mapped["match_id"] is not None:
            return int(mapped["match_id"])
        if provider == API_FOOTBALL:
            number = int(theirs) if theirs.isdecimal() and len(theirs) < 20 else 0
            return number if 0 < number <= LARGEST_INTEGER else None
        numbered = self._ids.find_one({"_id": f"{provider}:{Kind.MATCH}:{theirs}"})
        return int(numbered["ours"]) if numbered is not None else None

    def _numbered(self, kind: Kind, ours: Collection[int]) -> dict[int, dict[str, str]]:
        """API-Football's numbers are ours as they are."""
        found: dict[int, dict[str, str]] = {
            one: {API_FOOTBALL: str(one)} if one < FIRST_OF_OURS else {} for one in ours
        }
        for one in self._ids.find({"kind": kind.value, "ours": {"$in": list(ours)}}):
            found[one["ours"]][one["domain"]] = one["theirs"]
        return found
