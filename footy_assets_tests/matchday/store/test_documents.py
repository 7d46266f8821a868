"""A document holds every field of its value, and an update holds only what changed."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from bson import encode
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

from footy_assets.matchday.rules.fixture import AddedBy, ClosedBy, Fixture, FixtureHeading
from footy_assets.matchday.rules.goal import (
    FormerIdentity,
    GoalEvent,
    Removal,
    RemovalReason,
    RenameReason,
)
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import Incident, IncidentKind, League, Player, Side
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.documents import (
    fixture_document,
    fixture_from,
    goal_document,
    goal_from,
    heading_from,
    update_between,
)
from footy_assets.store.collections import Document, ensure_indexes
from footy_assets_tests.store.stored import assert_same_bytes

EPOCH = datetime(2020, 1, 1, tzinfo=UTC)
ids = st.integers(1, 10**7)
texts = st.text(max_size=20).filter(lambda text: "\0" not in text)
# MongoDB keeps milliseconds.
moments = st.integers(0, 10**12).map(lambda ms: EPOCH + timedelta(milliseconds=ms))
players = st.builds(Player, st.none() | ids, st.none() | texts)
minutes = st.builds(MatchMinute, st.integers(-5, 130), st.none() | st.integers(1, 30))
polls = st.lists(st.uuids().map(str), max_size=4, unique=True).map(tuple)
counts = st.integers(0, 20)
scores = st.tuples(counts, counts)
removals = st.builds(
    Removal,
    moments,
    st.sampled_from(RemovalReason),
    st.none() | texts,
    st.none() | texts,
    st.none() | texts,
)
formers = st.builds(FormerIdentity, texts, moments, texts, st.sampled_from(RenameReason))
goals = st.builds(
    GoalEvent,
    key=st.uuids().map(str),
    event_id=texts,
    fixture_id=ids,
    team_id=ids,
    player=players,
    minute=minutes,
    detail=texts,
    assist=players,
    comments=st.none() | texts,
    side=st.sampled_from([None, "home", "away"]),
    score_after=st.none() | scores,
    first_seen_at=st.none() | moments,
    stable_at=st.none() | moments,
    seen_in_polls=polls,
    missing_in_polls=polls,
    attempts_planned=counts,
    attempts_counted=counts,
    formerly=st.lists(formers, max_size=3).map(tuple),
    removal=st.none() | removals,
)
fixtures = st.builds(
    Fixture,
    id=ids,
    kickoff=moments,
    status=texts,
    league=st.builds(League, ids, texts, st.none() | ids, st.none() | texts, st.none() | texts),
    home=st.builds(Side, ids, texts, st.none() | st.booleans(), st.none() | texts),
    away=st.builds(Side, ids, texts, st.none() | st.booleans(), st.none() | texts),
    state=st.sampled_from(FixtureState),
    goals=st.tuples(st.none() | counts, st.none() | counts),
    listed=st.none() | scores,
    elapsed=st.none() | counts,
    elapsed_at=st.none() | moments,
    last_polled=st.none() | moments,
    completed_polls=polls,
    completed_at=st.none() | moments,
    closed_because=st.none() | texts,
    closed_by=st.sampled_from(ClosedBy),
    added_by=st.sampled_from(AddedBy),
    revision=counts,
).map(lambda one: one if one.closed_because is not None else replace(one, closed_by=None))
on_a_server = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

# Without the index that forbids two live goals with one identity.
ANY_GOALS = "any_goals"


@on_a_server
@given(goal=goals)
def test_a_stored_goal_is_read_back_equal(database: Database[Document], goal: GoalEvent) -> None:
    some = database[ANY_GOALS]
    some.replace_one({"_id": goal.key}, goal_document(goal), upsert=True)
    stored = some.find_one({"_id": goal.key})
    assert stored is not None
    assert goal_from(stored) == goal


@on_a_server
@given(fixture=fixtures)
def test_a_stored_fixture_is_read_back_equal(
    database: Database[Document], fixture: Fixture
) -> None:
    document = fixture_document(fixture)
    database["fixtures"].replace_one({"_id": fixture.id}, document, upsert=True)
    stored = database["fixtures"].find_one({"_id": fixture.id})
    assert stored is not None
    assert fixture_from(stored) == fixture


def test_fields_that_others_add_do_not_disturb_reading() -> None:
    goal = goal_on(30)
    assert goal_from({**goal_document(goal), "clips": [], "objects_left": True}) == goal


@on_a_server
@given(before=goals, after=goals)
def test_an_update_turns_one_goal_into_the_other(
    database: Database[Document], before: GoalEvent, after: GoalEvent
) -> None:
    """The goal without the fields that a poll does not write (E7)."""
    after = replace(after, key=before.key, attempts_counted=before.attempts_counted)
    old, new = goal_document(before), goal_document(after)
    some = database[ANY_GOALS]
    some.replace_one({"_id": before.key}, {**old, "clips": ["theirs"]}, upsert=True)
    update = update_between(old, new)
    if update:
        some.update_one({"_id": before.key}, update)
    assert some.find_one({"_id": before.key}) == {**new, "clips": ["theirs"]}


def test_a_fixture_is_stored_like_this() -> None:
    league = League(39, "Premier League", 2024, "Regular Season - 36", "England")
    fixture = Fixture(
        id=5000,
        kickoff=EPOCH,
        status="2H",
        league=league,
        home=Side(40, "Liverpool", True, "https://logos.test/40.png"),
        away=Side(33, "Manchester United"),
        state=FixtureState.ACTIVE,
        goals=(1, None),
        listed=(1, 0),
        elapsed=67,
        elapsed_at=EPOCH,
        last_polled=EPOCH,
        completed_polls=("p1", "p2"),
        closed_because="closed by ada: abandoned",
        closed_by=ClosedBy.OPERATOR,
        added_by=AddedBy.BY_ID,
        revision=7,
        incidents=(
            Incident(IncidentKind.CARD, 40, Player(1, "A"), MatchMinute(45, 2), "Yellow Card"),
        ),
        corners=(3, 4),
        reported_status="HT",
        reported_minute=45,
    )
    no_player = {"id": None, "name": None}
    expected = {
        "_id": 5000,
        "kickoff": EPOCH,
        "matchday": "2020-01-01",
        "status": "2H",
        "league": {
            "id": 39,
            "name": "Premier League",
            "season": 2024,
            "round": "Regular Season - 36",
            "country": "England",
        },
        "home": {
            "id": 40,
            "name": "Liverpool",
            "winner": True,
            "logo": "https://logos.test/40.png",
        },
        "away": {"id": 33, "name": "Manchester United", "winner": None, "logo": None},
        "state": "active",
        "goals": {"home": 1, "away": None},
        "listed": {"home": 1, "away": 0},
        "elapsed": 67,
        "elapsed_at": EPOCH,
        "last_polled": EPOCH,
        "completed_polls": ["p1", "p2"],
        "completed_at": None,
        "closed_because": "closed by ada: abandoned",
        "closed_by": "operator",
        "added_by": "by_id",
        "revision": 7,
        "incidents": [
            {
                "kind": "card",
                "team_id": 40,
                "player": {"id": 1, "name": "A"},
                "minute": {"elapsed": 45, "extra": 2},
                "detail": "Yellow Card",
                "other": no_player,
            }
        ],
        "corners": {"home": 3, "away": 4},
        "told_status": "HT",
        "told_minute": 45,
    }
    assert_same_bytes(fixture_document(fixture), expected)
    assert fixture_from(expected) == fixture
    # A document written before triggers existed.
    for name in ("incidents", "corners", "told_status", "told_minute"):
        del expected[name]
    assert fixture_from(expected).incidents == ()


def test_a_goal_is_stored_like_this() -> None:
    goal = goal_on(
        45,
        assist=Player(7, "L. Díaz"),
        side="home",
        score_after=(1, 0),
        first_seen_at=EPOCH,
        stable_at=EPOCH,
        missing_in_polls=("p4",),
        attempts_planned=10,
        attempts_counted=2,
        formerly=(FormerIdentity("5000_40_unknown_Goal_1", EPOCH, "p2", RenameReason.NAMED),),
        removal=Removal(EPOCH, RemovalReason.VAR, "p5", "40:234:45':Goal cancelled", "offside"),
    )
    expected = {
        "_id": "k",
        "event_id": "5000_40_234_Goal_1",
        "fixture_id": 5000,
        "live": False,
        "team_id": 40,
        "player": {"id": 234, "name": "M. Salah"},
        "minute": {"elapsed": 45, "extra": None},
        "detail": "Normal Goal",
        "assist": {"id": 7, "name": "L. Díaz"},
        "comments": None,
        "side": "home",
        "score_after": {"home": 1, "away": 0},
        "first_seen_at": EPOCH,
        "stable_at": EPOCH,
        "seen_in_polls": ["p1"],
        "last_counted_at": None,
        "missing_in_polls": ["p4"],
        "attempts_planned": 10,
        "attempts_counted": 2,
        "formerly": [
            {
                "event_id": "5000_40_unknown_Goal_1",
                "until": EPOCH,
                "poll_id": "p2",
                "reason": "named",
            }
        ],
        "removal": {
            "at": EPOCH,
            "reason": "var",
            "poll_id": "p5",
            "cancellation": "40:234:45':Goal cancelled",
            "detail": "offside",
        },
        "traceparent": None,
    }
    assert_same_bytes(goal_document(goal), expected)
    assert goal_from(expected) == goal
    bare = goal_document(goal_on(30))
    assert (bare["score_after"], bare["removal"], bare["live"]) == (None, None, True)


def goal_on(elapsed: int, **changes: Any) -> GoalEvent:
    goal = GoalEvent(
        key="k",
        event_id="5000_40_234_Goal_1",
        fixture_id=5000,
        team_id=40,
        player=Player(234, "M. Salah"),
        minute=MatchMinute(elapsed),
        detail="Normal Goal",
        seen_in_polls=("p1",),
    )
    return replace(goal, **changes)


def difference(before: GoalEvent, after: GoalEvent) -> Document:
    return update_between(goal_document(before), goal_document(after))


def test_without_a_change_there_is_no_update() -> None:
    assert difference(goal_on(30), goal_on(30)) == {}


def test_an_update_names_only_what_changed() -> None:
    assert difference(goal_on(30), goal_on(31)) == {
        "$set": {"minute": {"elapsed": 31, "extra": None}}
    }


def test_polls_are_added_to_their_set_and_never_rewritten() -> None:
    """E4: a poll that is added twice counts once."""
    update = difference(goal_on(30), goal_on(30, seen_in_polls=("p1", "p2")))
    assert update == {"$addToSet": {"seen_in_polls": {"$each": ["p2"]}}}


def test_a_reappearance_empties_the_misses() -> None:
    update = difference(goal_on(30, missing_in_polls=("p2",)), goal_on(30))
    assert update == {"$set": {"missing_in_polls": []}}


def test_attempts_and_revisions_are_never_written_by_an_update() -> None:
    assert difference(goal_on(30), goal_on(30, attempts_counted=9)) == {}
    assert update_between({"revision": 1}, {"revision": 2}) == {}


def test_E3_the_database_itself_allows_one_live_goal_per_identity(
    database: Database[Document],
) -> None:
    ensure_indexes(database)
    events = database["events"]
    events.insert_one(goal_document(goal_on(30)))
    with pytest.raises(DuplicateKeyError):
        events.insert_one(goal_document(goal_on(60, key="other")))


def test_E3_a_tombstone_frees_its_number(database: Database[Document]) -> None:
    ensure_indexes(database)
    events = database["events"]
    for key in ("a", "b"):
        gone = goal_on(30, key=key, removal=Removal(EPOCH, RemovalReason.VAR))
        events.insert_one(goal_document(gone))
    events.insert_one(goal_document(goal_on(60, key="c")))
    with pytest.raises(DuplicateKeyError):
        events.update_one({"_id": "a"}, {"$set": {"live": True}})


def test_indexes_may_be_made_again(database: Database[Document]) -> None:
    ensure_indexes(database)
    ensure_indexes(database)
    assert "one_live_goal_per_identity" in database["events"].index_information()


@given(fixtures)
def test_a_heading_names_the_match_as_its_fixture_does(fixture: Fixture) -> None:
    league, home, away = fixture.league, fixture.home, fixture.away
    assert heading_from(encode(fixture_document(fixture))) == FixtureHeading(
        fixture.id,
        fixture.kickoff,
        League(league.id, league.name, country=league.country),
        Side(home.id, home.name),
        Side(away.id, away.name),
    )
