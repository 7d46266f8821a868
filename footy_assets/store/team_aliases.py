"""S3: the words for each team, as last found out."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

from footy_assets.store.collections import TEAM_ALIASES, Document


class Provenance(StrEnum):
    """How good the words are, worst last."""

    WIKIDATA = "wikidata"
    # Everybody answered, but Wikidata knows no such team.
    NAME = "name"
    # Somebody did not answer.
    FALLBACK = "fallback"


@dataclass(frozen=True, slots=True)
class TeamWords:
    team_id: int
    name: str
    words: tuple[str, ...]
    provenance: Provenance
    resolved_at: datetime
    expires_at: datetime
    # What the words are made of: the item, the points for it, each word's kind, who picked.
    facts: dict[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    def fresh(self, now: datetime) -> bool:
        return now < self.expires_at

    def better_than(self, other: "TeamWords") -> bool:
        """Found out further."""
        ranks = list(Provenance)
        return ranks.index(self.provenance) < ranks.index(other.provenance)


class TeamAliasStore:
    def __init__(self, database: Database[Document]) -> None:
        self._aliases = database[TEAM_ALIASES]

    def get(self, team_id: int) -> TeamWords | None:
        return self.known([team_id]).get(team_id)

    def known(self, team_ids: Collection[int]) -> dict[int, TeamWords]:
        query = {"_id": {"$in": list(set(team_ids))}}
        return {document["_id"]: _words(document) for document in self._aliases.find(query)}

    def all(self) -> list[TeamWords]:
        return [_words(document) for document in self._aliases.find().sort("name", 1)]

    def put(self, found: TeamWords) -> bool:
        """Keep what was found, unless better is known.

        One conditional upsert: a fallback never takes the place of words that were found out, and
        of two that were, the later stays. False if the one that is there was kept.
        """
        worse: Document = {"provenance": Provenance.FALLBACK}
        earlier: Document = {"resolved_at": {"$lte": found.resolved_at}}
        is_fallback = found.provenance is Provenance.FALLBACK
        room = worse | earlier if is_fallback else {"$or": [worse, earlier]}
        where: Document = {"_id": found.team_id, **room}
        try:
            self._aliases.update_one(where, {"$set": _document(found)}, upsert=True)
        except DuplicateKeyError:
            return False
        return True

    def serve_until(self, known: TeamWords, until: datetime, problems: Collection[str]) -> None:
        """What was found out before goes on to serve; only if nobody has found out anew."""
        self._aliases.update_one(
            {"_id": known.team_id, "resolved_at": known.resolved_at},
            {"$max": {"expires_at": until}, "$set": {"problems": list(problems)}},
        )


def _document(found: TeamWords) -> Document:
    return {
        "name": found.name,
        "words": list(found.words),
        "provenance": str(found.provenance),
        "resolved_at": found.resolved_at,
        "expires_at": found.expires_at,
        "facts": found.facts,
        "problems": list(found.problems),
    }


def _words(document: Document) -> TeamWords:
    return TeamWords(
        team_id=document["_id"],
        name=document["name"],
        words=tuple(document["words"]),
        provenance=Provenance(document["provenance"]),
        resolved_at=document["resolved_at"],
        expires_at=document["expires_at"],
        facts=document["facts"],
        problems=tuple(document["problems"]),
    )
