"""Fixtures and goals as MongoDB documents, and the update between two versions of one."""

from functools import lru_cache

from footy_assets.matchday.rules.fixture import Fixture, FixtureHeading
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.sighting import League, Side
from footy_assets.store.collections import Document
from footy_assets.store.documents import DocumentConverter
from footy_assets.store.raw_documents import decoded

# Sets of poll ids: they grow by $addToSet, so that each poll counts once.
POLL_SETS = ("seen_in_polls", "missing_in_polls", "completed_polls")
# E7: written by search attempts, never by a poll.
NOT_WRITTEN_BY_POLLS = ("attempts_counted",)


def _converter() -> DocumentConverter:
    converter = DocumentConverter()
    for pair in (tuple[int, int], tuple[int | None, int | None]):
        converter.store_as(pair, _by_side, lambda stored: (stored["home"], stored["away"]))
    converter.rename(
        Fixture, id="_id", reported_status="told_status", reported_minute="told_minute"
    )
    converter.rename(GoalEvent, key="_id")
    return converter


def _by_side(pair: tuple[int | None, int | None]) -> Document:
    return {"home": pair[0], "away": pair[1]}


CONVERTER = _converter()


def fixture_document(fixture: Fixture) -> Document:
    """Its fields and `matchday`, for queries."""
    first = {"_id": fixture.id, "kickoff": fixture.kickoff}
    return {**first, "matchday": fixture.matchday.isoformat(), **CONVERTER.document(fixture)}


def fixture_from(document: Document) -> Fixture:
    return CONVERTER.read(document, Fixture)


# Of the matches that are polled: those of a few days, with some versions of each.
CACHED_FIXTURES = 4096
CACHED_GOALS = 16_384
CACHED_HEADINGS = 2048
HEADING_FIELDS = (
    *("kickoff", "league.id", "league.name", "league.country"),
    *("home.id", "home.name", "away.id", "away.name"),
)


@lru_cache(maxsize=CACHED_FIXTURES)
def fixture_of(content: bytes) -> Fixture:
    """Cached, as below: of the same bytes always the same object."""
    return fixture_from(decoded(content))


@lru_cache(maxsize=CACHED_GOALS)
def goal_of(content: bytes) -> GoalEvent:
    return goal_from(decoded(content))


@lru_cache(maxsize=CACHED_HEADINGS)
def heading_from(content: bytes) -> FixtureHeading:
    """Of a document with `HEADING_FIELDS` only. Cached, because they seldom change, and every poll
    reads many."""
    document = decoded(content)
    league, home, away = document["league"], document["home"], document["away"]
    return FixtureHeading(
        document["_id"],
        document["kickoff"],
        League(id=league["id"], name=league["name"], country=league.get("country")),
        Side(home["id"], home["name"]),
        Side(away["id"], away["name"]),
    )


def goal_document(goal: GoalEvent) -> Document:
    """Its fields and `live`, for the unique index on event ids of live goals (E3)."""
    first = {"_id": goal.key, "event_id": goal.event_id, "fixture_id": goal.fixture_id}
    return {**first, "live": goal.live, **CONVERTER.document(goal)}


def goal_from(document: Document) -> GoalEvent:
    return CONVERTER.read(document, GoalEvent)


def update_between(before: Document, after: Document) -> Document:
    """The smallest update that turns one document into the other; {} if there is none."""
    sets: Document = {}
    grows: Document = {}
    for name, value in after.items():
        old = before.get(name)
        if value == old or name in NOT_WRITTEN_BY_POLLS or name == "revision":
            continue
        if name in POLL_SETS and value[: len(old or ())] == (old or []):
            grows[name] = {"$each": value[len(old or ()) :]}
        else:
            sets[name] = value
    update: Document = {}
    if sets:
        update["$set"] = sets
    if grows:
        update["$addToSet"] = grows
    return update
