"""Line-ups by match and squads by team in MongoDB, each with the time it was fetched."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo import UpdateOne
from pymongo.collection import Collection as MongoCollection
from pymongo.database import Database

from footy_assets.matchday.rules.line_up import LastFetch, LineUp, MatchRosters, RosterPlayer
from footy_assets.store.collections import FIXTURES, LINE_UPS, SQUADS, Document
from footy_assets.store.documents import DocumentConverter

CONVERTER = DocumentConverter()


@dataclass(frozen=True, slots=True)
class StoredLineUps:
    """`fetched_at` is None while a team has not named its players; `failure` is the last one."""

    line_ups: tuple[LineUp, ...] = ()
    fetched_at: datetime | None = None
    failure: str | None = None


class RosterStore:
    def __init__(self, database: Database[Document]) -> None:
        self._line_ups = database[LINE_UPS]
        self._squads = database[SQUADS]
        self._fixtures = database[FIXTURES]

    # -- reading --------------------------------------------------------------------------

    def line_ups(self, fixture_id: int) -> StoredLineUps:
        found = self._line_ups.find_one({"_id": fixture_id})
        return CONVERTER.read(found, StoredLineUps) if found else StoredLineUps()

    def rosters(self, teams: Mapping[int, Collection[int]]) -> dict[int, MatchRosters]:
        """What is known of these matches, given as fixture id to team ids, in two requests."""
        team_ids = {id_ for several in teams.values() for id_ in several}
        line_ups = {d["_id"]: d for d in self._line_ups.find({"_id": {"$in": list(teams)}})}
        squads = {
            document["_id"]: tuple(
                CONVERTER.read(player, RosterPlayer) for player in document.get("players", ())
            )
            for document in self._squads.find({"_id": {"$in": list(team_ids)}})
        }
        return {
            fixture_id: MatchRosters(
                CONVERTER.read(line_ups.get(fixture_id, {}), StoredLineUps).line_ups,
                {id_: squads[id_] for id_ in of_match if id_ in squads},
            )
            for fixture_id, of_match in teams.items()
        }

    def last_fetches(
        self, fixture_ids: Collection[int], team_ids: Collection[int]
    ) -> tuple[dict[int, LastFetch], dict[int, LastFetch]]:
        """When the line-ups of these matches and the squads of these teams were fetched last."""
        return _times(self._line_ups, fixture_ids), _times(self._squads, team_ids)

    # -- writing --------------------------------------------------------------------------

    def save_line_ups(
        self,
        fixture_id: int,
        line_ups: Sequence[LineUp],
        now: datetime,
        *,
        complete: bool,
        snapshots: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """The snapshots come first: after a crash the same ones are written again (T15)."""
        if snapshots:
            push = {"$push": {"unstored": {"$each": list(snapshots)}}}
            self._fixtures.update_one({"_id": fixture_id}, push)
        sets: Document = {"asked_at": now, "failure": None}
        if line_ups:
            sets["line_ups"] = [CONVERTER.document(one) for one in line_ups]
        if complete:
            sets["fetched_at"] = now
        self._line_ups.update_one({"_id": fixture_id}, {"$set": sets}, upsert=True)

    def save_squad(self, team_id: int, players: Sequence[RosterPlayer], now: datetime) -> None:
        """An empty answer keeps the players of the last one."""
        sets: Document = {"asked_at": now, "fetched_at": now, "failure": None}
        if players:
            sets["players"] = [CONVERTER.document(one) for one in players]
        self._squads.update_one({"_id": team_id}, {"$set": sets}, upsert=True)

    def record_failure(
        self, fixture_ids: Collection[int], team_ids: Collection[int], reason: str, now: datetime
    ) -> None:
        """What was fetched before stays."""
        update = {"$set": {"asked_at": now, "failure": reason}}
        for collection, ids in ((self._line_ups, fixture_ids), (self._squads, team_ids)):
            writes = [UpdateOne({"_id": id_}, update, upsert=True) for id_ in ids]
            if writes:
                collection.bulk_write(writes, ordered=False)


def _times(collection: MongoCollection[Document], ids: Collection[int]) -> dict[int, LastFetch]:
    if not ids:
        return {}
    found = collection.find({"_id": {"$in": list(ids)}}, {"asked_at": 1, "fetched_at": 1})
    return {document["_id"]: CONVERTER.read(document, LastFetch) for document in found}
