"""V7: what scorebugs call the teams of a competition, learned from verified clips."""

from collections.abc import Collection
from datetime import datetime

from pymongo.database import Database

from footy_assets.store.collections import TEAM_ABBREVIATIONS, Document
from footy_assets.store.retrying import retry_on_disconnect

# An abbreviation counts once this many other matches have shown it.
MIN_MATCHES = 2


@retry_on_disconnect
class TeamAbbreviations:
    def __init__(self, database: Database[Document]) -> None:
        self._abbreviations = database[TEAM_ABBREVIATIONS]

    def learn(self, league_id: int, team_id: int, text: str, fixture_id: int, at: datetime) -> None:
        """A verified clip of this match showed it. Told twice, a match counts once."""
        self._abbreviations.update_one(
            {"_id": f"{league_id}|{team_id}|{text}"},
            {
                "$setOnInsert": {
                    "league_id": league_id,
                    "team_id": team_id,
                    "text": text,
                    "first_seen_at": at,
                },
                "$addToSet": {"fixtures": fixture_id},
            },
            upsert=True,
        )

    def of_teams(
        self, league_id: int, team_ids: Collection[int], but_of_fixture: int
    ) -> dict[int, tuple[str, ...]]:
        """By team, what enough other matches have shown. What the match itself taught does not
        count for it."""
        query = {"league_id": league_id, "team_id": {"$in": list(team_ids)}}
        found: dict[int, tuple[str, ...]] = dict.fromkeys(team_ids, ())
        for document in self._abbreviations.find(query).sort("_id", 1):
            if len({*document["fixtures"]} - {but_of_fixture}) >= MIN_MATCHES:
                found[document["team_id"]] += (document["text"],)
        return found
