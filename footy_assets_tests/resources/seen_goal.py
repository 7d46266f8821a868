"""One goal, as the feed reports it and as fans post it."""

from datetime import UTC, datetime, timedelta

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import League, Player, Side
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.search.rules.posts import Window
from footy_assets.search.rules.query import GoalQuery
from footy_assets.sim.social.soccer_titles import TitledGoal

NOW = datetime(2026, 9, 12, 15, 30, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
MATCH = Fixture(
    1, NOW - timedelta(minutes=90), "2H", League(39, "Premier League"), Side(1, "Fulham"),
    Side(2, "Everton"), FixtureState.ACTIVE,
)  # fmt: skip
GOAL = GoalEvent(
    key="1", event_id="1_2_7_Goal_1", fixture_id=1, team_id=2, player=Player(7, "I. Ndiaye"),
    minute=MatchMinute(67), detail="Normal Goal", side="away", score_after=(1, 2),
)  # fmt: skip
QUERY = GoalQuery(("Ndiaye",), ("Everton", "Toffees"), GOAL, MATCH)
WINDOW = Window(NOW - timedelta(minutes=5))
SEEN = TitledGoal("Fulham", "Everton", (1, 2), False, "Iliman Ndiaye", "67")
