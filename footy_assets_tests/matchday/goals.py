"""A match and its goals, written directly to the database."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from pymongo.database import Database

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import League, Player, Side
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.documents import fixture_document, goal_document
from footy_assets.store.collections import EVENTS, FIXTURES, Document, ensure_indexes

KICKOFF = datetime(2025, 5, 10, 14, tzinfo=UTC)
STABLE = KICKOFF + timedelta(minutes=31)

FIXTURE = Fixture(
    id=5000,
    kickoff=KICKOFF,
    status="1H",
    league=League(39, "Premier League", 2024),
    home=Side(40, "Liverpool"),
    away=Side(33, "Manchester United"),
    state=FixtureState.ACTIVE,
)
GOAL = GoalEvent(
    key="goal-a",
    event_id="5000_40_306_Goal_1",
    fixture_id=5000,
    team_id=40,
    player=Player(306, "Mohamed Salah"),
    minute=MatchMinute(30),
    detail="Normal Goal",
    side="home",
    score_after=(1, 0),
    first_seen_at=STABLE - timedelta(minutes=1),
    stable_at=STABLE,
    seen_in_polls=("p1", "p2", "p3"),
    attempts_planned=10,
)


def put_goal(database: Database[Document], goal: GoalEvent = GOAL) -> GoalEvent:
    ensure_indexes(database)
    fixture = replace(FIXTURE, id=goal.fixture_id)
    database[FIXTURES].replace_one({"_id": fixture.id}, fixture_document(fixture), upsert=True)
    database[EVENTS].insert_one(goal_document(goal))
    return goal
