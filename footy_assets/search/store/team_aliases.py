"""SE3: the resolved aliases of each team, in MongoDB."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

from footy_assets.store.collections import TEAM_ALIASES, Document
from footy_assets.store.documents import DocumentConverter


class AliasProvenance(StrEnum):
    """Where aliases come from, best first."""

    WIKIDATA = "wikidata"
    # Wikidata answered, but has no item of the team.
    NAME = "name"
    # The provider or Wikidata did not answer.
    FALLBACK = "fallback"


@dataclass(frozen=True, slots=True)
class ResolvedAliases:
    team_id: int
    name: str
    words: tuple[str, ...]
    provenance: AliasProvenance
    resolved_at: datetime
    expires_at: datetime
    # Wikidata's item and its points, each word's kind, and what picked the words.
    facts: dict[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    def is_fresh(self, now: datetime) -> bool:
        return now < self.expires_at

    def is_better_than(self, other: "ResolvedAliases") -> bool:
        """By provenance."""
        ranks = list(AliasProvenance)
        return ranks.index(self.provenance) < ranks.index(other.provenance)


CONVERTER = DocumentConverter()
CONVERTER.rename(ResolvedAliases, team_id="_id")


class TeamAliasStore:
    def __init__(self, database: Database[Document]) -> None:
        self._aliases = database[TEAM_ALIASES]

    def get(self, team_id: int) -> ResolvedAliases | None:
        return self.known([team_id]).get(team_id)

    def known(self, team_ids: Collection[int]) -> dict[int, ResolvedAliases]:
        query = {"_id": {"$in": list(set(team_ids))}}
        return {d["_id"]: CONVERTER.read(d, ResolvedAliases) for d in self._aliases.find(query)}

    def all(self) -> list[ResolvedAliases]:
        return [CONVERTER.read(d, ResolvedAliases) for d in self._aliases.find().sort("name", 1)]

    def put(self, found: ResolvedAliases) -> bool:
        """Store aliases, unless better ones are stored. False if those were kept.

        One conditional upsert: a fallback never replaces resolved aliases, and of two resolved
        ones the later stays.
        """
        worse: Document = {"provenance": AliasProvenance.FALLBACK}
        earlier: Document = {"resolved_at": {"$lte": found.resolved_at}}
        is_fallback = found.provenance is AliasProvenance.FALLBACK
        replaceable = worse | earlier if is_fallback else {"$or": [worse, earlier]}
        document = CONVERTER.document(found)
        where: Document = {"_id": document.pop("_id"), **replaceable}
        try:
            self._aliases.update_one(where, {"$set": document}, upsert=True)
        except DuplicateKeyError:
            return False
        return True

    def extend(self, known: ResolvedAliases, until: datetime, problems: Collection[str]) -> None:
        """Let aliases expire later, unless they were resolved again meanwhile."""
        self._aliases.update_one(
            {"_id": known.team_id, "resolved_at": known.resolved_at},
            {"$max": {"expires_at": until}, "$set": {"problems": list(problems)}},
        )
