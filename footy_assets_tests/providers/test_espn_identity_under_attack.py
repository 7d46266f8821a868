"""E2–E8 against random histories, as ESPN tells them over HTTP: no ids of goals, no tombstones."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule, run_state_machine_as_test
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.matchday.monitor import run_cycle
from footy_assets.matchday.rules.fixture import new_fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.sighting import FixtureSighting
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.providers.lead import LeadFeed
from footy_assets.providers.rules.identify import Aliases
from footy_assets.providers.store.our_ids import Kind, OurIds
from footy_assets.providers.store.records import ProviderRecords
from footy_assets.sim import World, fixture_json, goal, make_world, var_cancel
from footy_assets.sim.espn_words import ID_OFFSET
from footy_assets.sim.other_providers import OtherProviders
from footy_assets.store.collections import Document
from footy_assets_tests.matchday.rules.polled_match import AWAY, HOME, KICKOFF, sighting
from footy_assets_tests.matchday.rules.provider_model import PLAYERS, ProviderMachine, RealGoal
from footy_assets_tests.matchday.rules.test_identity_under_attack import histories
from footy_assets_tests.policies import polling_policy
from resources.espn.client import Espn

pytestmark = pytest.mark.slow

ID = 5000


def theirs(number: int) -> str:
    return str(ID_OFFSET + number)


class EspnMachine(ProviderMachine):
    """ESPN clears a disallowed goal from its list, and its score falls with it."""

    def __init__(self, database: Database[Document], server: OtherProviders) -> None:
        super().__init__()
        for name in ("fixtures", "events", "polls", "provider_details"):
            database[name].delete_many({})
        self.store, self.server = MatchdayStore(database), server
        # After every minute of the histories: ESPN names no scorer before the goal.
        self.clock = ManualClock(KICKOFF + timedelta(hours=3))
        server.clock = self.clock
        self.espn = Espn(server.url, ["eng.1"], clock=self.clock)
        self.feed = LeadFeed("espn", self.espn, self.store, self.clock, Aliases())
        self.store.add([new_fixture(sighting(status="1H"), FixtureState.ACTIVE, KICKOFF)])
        ProviderRecords(database).save_mapping("espn", theirs(ID), ID, KICKOFF)
        ids = OurIds(database, "espn")
        ids.set(Kind.TEAM, {theirs(team): team for team in (HOME, AWAY)})
        ids.set(Kind.PLAYER, {theirs(player): player for player in PLAYERS})
        ids.set(Kind.LEAGUE, {"eng.1": 39})

    def teardown(self) -> None:
        super().teardown()
        self.espn.close()

    @precondition(lambda self: False)
    @rule()
    def a_goal_is_listed_twice(self) -> None:
        """Not at ESPN: its list then differs from its score, and is not complete."""

    @precondition(lambda self: self.untouched(named=True))
    @rule(data=st.data())
    def a_goal_is_disallowed(self, data: st.DataObject) -> None:
        super().a_goal_is_disallowed(data, later=0, clears=True, lags=False)

    def vanished(self) -> list[RealGoal]:
        return [goal for goal in self.ended() if goal.cancelled is None]

    @precondition(lambda self: self.vanished())
    @rule(data=st.data())
    def a_removed_goal_comes_back(self, data: st.DataObject) -> None:
        """Not one that was disallowed: a second decision on it would read like the first."""
        old = self.pick(data, self.vanished())
        self.add(old.team, old.slot, old.minute, old.player, old.player)

    def poll_provider(self, seen: FixtureSighting) -> str:
        self.clock.advance(30)
        self.server.put(_as_json(seen))
        report = run_cycle(self.store, self.feed, self.clock, polling_policy(search_attempts=10))
        assert report.failures == []
        return report.poll.id

    def known(self) -> dict[str, GoalEvent]:
        return {one.key: one for one in self.store.goals_of([ID])[ID]}


def _as_json(seen: FixtureSighting) -> Document:
    goals = [
        goal(
            one.minute.elapsed,
            extra=one.minute.extra,
            team=one.team_id,
            player=one.scorer.id,
            name=one.scorer.name,
        )
        for one in seen.goals or ()
    ]
    decisions = [
        var_cancel(
            one.minute.elapsed,
            extra=one.minute.extra,
            team=one.team_id,
            player=one.player_id,
            name=f"Player {one.player_id}",
            detail=one.detail,
        )
        for one in seen.cancellations
    ]
    return fixture_json(
        ID,
        home=HOME,
        away=AWAY,
        status=seen.status,
        elapsed=seen.elapsed,
        kickoff=KICKOFF,
        goals=goals,
        events=decisions,
    )


@pytest.fixture(scope="module")
def server() -> Iterator[OtherProviders]:
    world: World = make_world(matches=1)
    with OtherProviders(world, ManualClock(KICKOFF)) as running:
        yield running


def test_identities_never_move_whatever_espn_does(
    database: Database[Document], server: OtherProviders
) -> None:
    run_state_machine_as_test(
        lambda: EspnMachine(database, server), settings=histories(12, steps=40)
    )
