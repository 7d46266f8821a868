"""The baseline of the poll cost benchmark: the straightforward implementation."""

from collections.abc import Iterable
from datetime import datetime

from pymongo import ReplaceOne
from pymongo.database import Database

from footy_assets.matchday.rules.feed import Feed
from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.sighting import FixtureSighting, GoalSighting
from footy_assets.matchday.store.documents import fixture_document
from footy_assets.store.collections import Document


class ReplaceAll:
    """Stores a fixture as one document with its events, and replaces it at every poll.

    It uses the pipeline's client with the same batches, and counts the polls that saw a goal. With
    `bulk` one command writes all documents.
    """

    def __init__(self, database: Database[Document], feed: Feed, *, bulk: bool) -> None:
        self._fixtures = database["fixtures"]
        self._feed = feed
        self._bulk = bulk

    def insert(self, fixtures: Iterable[Fixture]) -> None:
        self._fixtures.create_index("state")
        self._fixtures.insert_many(fixture_document(f) | {"events": []} for f in fixtures)

    def poll(self, now: datetime, within: float) -> int:
        """Returns the number of API calls."""
        known = list(self._fixtures.find({"state": "active"}))
        answer = self._feed.by_ids([document["_id"] for document in known], within)
        replacements = [
            (document["_id"], updated_document(document, answer.sightings[document["_id"]], now))
            for document in known
            if document["_id"] in answer.sightings
        ]
        if self._bulk:
            self._fixtures.bulk_write([ReplaceOne({"_id": key}, doc) for key, doc in replacements])
            return answer.calls
        for key, document in replacements:
            self._fixtures.replace_one({"_id": key}, document)
        return answer.calls


def updated_document(document: Document, sighting: FixtureSighting, now: datetime) -> Document:
    """The whole document after this poll."""
    known = {event["id"]: event["polls"] for event in document["events"]}
    return document | {
        "status": sighting.status,
        "elapsed": sighting.elapsed,
        "kickoff": sighting.kickoff,
        "goals": {"home": sighting.goals_home, "away": sighting.goals_away},
        "last_polled": now,
        "events": [_event(number, goal, known) for number, goal in enumerate(sighting.goals or ())],
    }


def _event(number: int, goal: GoalSighting, known: dict[str, int]) -> Document:
    identity = f"{goal.team_id}_{goal.scorer.id}_{number}"
    return {
        "id": identity,
        "team_id": goal.team_id,
        "player": {"id": goal.scorer.id, "name": goal.scorer.name},
        "assist": {"id": goal.assist.id, "name": goal.assist.name},
        "elapsed": goal.minute.elapsed,
        "extra": goal.minute.extra,
        "detail": goal.detail,
        "comments": goal.comments,
        "polls": known.get(identity, 0) + 1,
    }
