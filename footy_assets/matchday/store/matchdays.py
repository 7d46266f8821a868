"""Fixtures and their goals in MongoDB. Writes are conditional updates; no document is replaced."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import partial

from pymongo import InsertOne, UpdateOne, timeout
from pymongo.client_session import ClientSession
from pymongo.database import Database
from pymongo.errors import PyMongoError

from footy_assets.matchday.rules.feed import Failure
from footy_assets.matchday.rules.fixture import Fixture, FixtureHeading
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.lifecycle import ACTIVATE_BEFORE_KICKOFF, is_poll_due
from footy_assets.matchday.rules.plan import FixturePlan, PollInput
from footy_assets.matchday.rules.statuses import IN_PROGRESS, FixtureState, MatchStatus
from footy_assets.matchday.store.documents import (
    HEADING_FIELDS,
    fixture_document,
    fixture_from,
    fixture_of,
    goal_document,
    goal_of,
    heading_from,
    update_between,
)
from footy_assets.matchday.store.journal import Journal
from footy_assets.store.collections import EVENTS, FIXTURES, Document
from footy_assets.store.raw_documents import contents_of

# A process killed in a transaction leaves its match locked until MongoDB aborts the transaction,
# after a minute or more. A poll does not wait for that: the next one writes.
WRITE_WITHIN = 5.0
# A tick must end far below 60 s, whatever the database does.
READ_WITHIN = 10.0
WRITE_ALL_WITHIN = 15.0
# Those that triggers have not taken yet: many, and of no use to a poll.
WITHOUT_SNAPSHOTS = {"unstored": 0}
# The course of its search changes often, and is of no use here.
WITHOUT_SEARCH = {"search": 0, "ahead": 0}
# Documents in one answer of the server, which is 101 by default.
MOST_AT_ONCE = 10_000


@dataclass(slots=True)
class WriteResult:
    """The outcome of writing a poll's plans."""

    written: list[FixturePlan] = field(default_factory=list)
    superseded: int = 0
    failures: list[Failure] = field(default_factory=list)


class _Superseded(Exception):
    """Another poll wrote this fixture since we read it."""


class MatchdayStore:
    def __init__(self, database: Database[Document]) -> None:
        self.database = database
        self.fixtures = database[FIXTURES]
        self.events = database[EVENTS]
        self.journal = Journal(database)

    # -- reading --------------------------------------------------------------------------

    def poll_inputs(self, now: datetime, only: Collection[int] | None = None) -> list[PollInput]:
        """F5, F7: all active fixtures, and staging ones not polled in this quarter hour."""
        query: Document = {"state": {"$in": [FixtureState.ACTIVE, FixtureState.STAGING]}}
        if only is not None:
            query["_id"] = {"$in": list(only)}
        with timeout(READ_WITHIN):
            batches = self.fixtures.find_raw_batches(
                query, WITHOUT_SNAPSHOTS, sort=[("_id", 1)], batch_size=MOST_AT_ONCE
            )
            found = [fixture_of(content) for content in contents_of(batches)]
            fixtures = [
                fixture
                for fixture in found
                if fixture.state is FixtureState.ACTIVE or is_poll_due(fixture.last_polled, now)
            ]
            goals = self.goals_of([fixture.id for fixture in fixtures])
        return [
            PollInput(
                fixture,
                tuple(goal for goal in goals[fixture.id] if goal.live),
                tuple(goal for goal in goals[fixture.id] if not goal.live),
            )
            for fixture in fixtures
        ]

    def goals_of(self, fixture_ids: Collection[int]) -> dict[int, list[GoalEvent]]:
        found: dict[int, list[GoalEvent]] = defaultdict(list)
        if fixture_ids:
            query = {"fixture_id": {"$in": list(fixture_ids)}}
            batches = self.events.find_raw_batches(query, WITHOUT_SEARCH, batch_size=MOST_AT_ONCE)
            for goal in map(goal_of, contents_of(batches)):
                found[goal.fixture_id].append(goal)
        return found

    def fixtures_by_id(self, fixture_ids: Collection[int]) -> dict[int, Fixture]:
        query = {"_id": {"$in": list(fixture_ids)}}
        return {d["_id"]: fixture_from(d) for d in self.fixtures.find(query)}

    def headings_by_id(self, fixture_ids: Collection[int]) -> dict[int, FixtureHeading]:
        query = {"_id": {"$in": list(fixture_ids)}}
        batches = self.fixtures.find_raw_batches(query, HEADING_FIELDS)
        return {one.id: one for one in map(heading_from, contents_of(batches))}

    def fixtures_of(self, matchday: date) -> list[Fixture]:
        return self.find_fixtures(matchday)

    def find_fixtures(self, matchday: date | None = None) -> list[Fixture]:
        """The fixtures of a day, or all, by kickoff."""
        query = {"matchday": matchday.isoformat()} if matchday else {}
        found = self.fixtures.find(query).sort([("kickoff", 1), ("_id", 1)])
        return [fixture_from(document) for document in found]

    def unfinished(self) -> list[Fixture]:
        """Staging and active fixtures, by kickoff."""
        query = {"state": {"$in": [FixtureState.ACTIVE, FixtureState.STAGING]}}
        found = self.fixtures.find(query).sort([("kickoff", 1), ("_id", 1)])
        return [fixture_from(document) for document in found]

    def is_any_played(self) -> bool:
        """Whether a match is in play, or paused."""
        query = {
            "state": FixtureState.ACTIVE,
            "status": {"$in": sorted(IN_PROGRESS | {MatchStatus.INTERRUPTED})},
        }
        return self.fixtures.find_one(query, {"_id": 1}) is not None

    def matchdays_being_played(self) -> list[date]:
        found = self.fixtures.distinct("matchday", {"state": FixtureState.ACTIVE})
        return sorted(date.fromisoformat(day) for day in found)

    # -- a poll's writes ------------------------------------------------------------------

    def activate_due(self, now: datetime) -> list[Fixture]:
        """F6: staging fixtures within half an hour of kickoff."""
        query = {
            "state": FixtureState.STAGING,
            "kickoff": {"$lte": now + ACTIVATE_BEFORE_KICKOFF},
        }
        due = [fixture_from(document) for document in self.fixtures.find(query)]
        if due:
            activation = {"$set": {"state": FixtureState.ACTIVE}, "$inc": {"revision": 1}}
            self.fixtures.update_many(query, activation)
        return due

    def record_polled(self, fixture_ids: Collection[int], now: datetime) -> None:
        self.fixtures.update_many(
            {"_id": {"$in": list(fixture_ids)}, "state": FixtureState.STAGING},
            {"$max": {"last_polled": now}},
        )

    def apply(self, plans: Sequence[FixturePlan]) -> WriteResult:
        """Write each plan whose fixture is unchanged since it was read.

        A match whose goals change is written in one transaction. Matches with no changed goals are
        written in one bulk, each on its own condition.
        """
        outcome = WriteResult()
        with timeout(WRITE_ALL_WITHIN):
            if without_goals := [plan for plan in plans if not plan.goals]:
                self._write_fixtures(without_goals, outcome)
            for plan in plans:
                if plan.goals:
                    self._write_with_goals(plan, outcome)
        return outcome

    def _write_with_goals(self, plan: FixturePlan, outcome: WriteResult) -> None:
        try:
            with timeout(WRITE_WITHIN), self.database.client.start_session() as session:
                session.with_transaction(partial(self._write, plan))
        except _Superseded:
            outcome.superseded += 1
        except PyMongoError as error:
            outcome.failures.append(Failure(f"write {plan.before.id}", str(error)))
        else:
            outcome.written.append(plan)

    def _write_fixtures(self, plans: Sequence[FixturePlan], outcome: WriteResult) -> None:
        operations = [UpdateOne(*_fixture_update(plan)) for plan in plans]
        try:
            with timeout(WRITE_WITHIN):
                result = self.fixtures.bulk_write(operations, ordered=False)
        except PyMongoError as error:
            written = list(self._written(plans))
            lost = [Failure(f"write {p.before.id}", str(error)) for p in plans if p not in written]
            outcome.failures += lost
        else:
            written = list(plans if result.matched_count == len(plans) else self._written(plans))
            outcome.superseded += len(plans) - len(written)
        outcome.written += written

    def _written(self, plans: Sequence[FixturePlan]) -> Iterator[FixturePlan]:
        """The plans whose conditional write took effect."""
        current = self.fixtures_by_id([plan.before.id for plan in plans])
        for plan in plans:
            if current.get(plan.before.id) == replace(
                plan.after, revision=plan.before.revision + 1
            ):
                yield plan

    def _write(self, plan: FixturePlan, session: ClientSession) -> None:
        where, update = _fixture_update(plan)
        if not self.fixtures.update_one(where, update, session=session).matched_count:
            raise _Superseded
        # Removals first: they free event ids that renamed and new goals take.
        inserts: list[InsertOne[Document]] = []
        removals: list[UpdateOne] = []
        updates: list[UpdateOne] = []
        for change in plan.goals:
            document = goal_document(change.after)
            if change.before is None:
                inserts.append(InsertOne(document))
                continue
            update = update_between(goal_document(change.before), document)
            if not change.after.live:
                update.setdefault("$set", {})["objects_left"] = True
            if update:
                operations = updates if change.after.live else removals
                operations.append(UpdateOne({"_id": change.before.key}, update))
        self.events.bulk_write([*removals, *updates, *inserts], session=session)

    # -- ingest ---------------------------------------------------------------------------

    def add(self, fixtures: Sequence[Fixture]) -> int:
        """F4: a known fixture is not changed."""
        if not fixtures:
            return 0
        operations = [
            UpdateOne({"_id": f.id}, {"$setOnInsert": _without_id(f)}, upsert=True)
            for f in fixtures
        ]
        return self.fixtures.bulk_write(operations, ordered=False).upserted_count


def _fixture_update(plan: FixturePlan) -> tuple[Document, Document]:
    update = update_between(fixture_document(plan.before), fixture_document(plan.after))
    update["$inc"] = {"revision": 1}
    if plan.snapshots:
        update["$push"] = {"unstored": {"$each": list(plan.snapshots)}}
    return {"_id": plan.before.id, "revision": plan.before.revision}, update


def _without_id(fixture: Fixture) -> Document:
    document = fixture_document(fixture)
    del document["_id"]
    return document
