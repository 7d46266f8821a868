"""L1: football-data.org leads a matchday: its matches, goals and scorers in our numbers."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import ProviderRateLimited, ProviderRefused
from footy_assets.matchday.ingest import Ingest
from footy_assets.matchday.monitor import CycleReport, run_cycle
from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.tracking import TrackingPolicy
from footy_assets.providers.feed import MergedFeed
from footy_assets.providers.lead import LeadFeed
from footy_assets.providers.rules.descriptors import Descriptor, ProvidersFile
from footy_assets.providers.rules.identify import Aliases
from footy_assets.providers.store.our_ids import FIRST_OF_OURS, Kind
from footy_assets.sim import World, fixture_json, goal
from footy_assets.sim.football_data import ID_OFFSET
from footy_assets.sim.other_providers import OtherProviders
from footy_assets.store.collections import Document, ensure_indexes
from footy_assets_tests.policies import polling_policy
from resources.football_data.client import FootballData

NAME = "football_data"
HOME, AWAY = 40, 50
SALAH, JONES = (306, "Mohamed Salah"), (293, "Curtis Jones")


@dataclass
class LeadHarness:
    store: MatchdayStore
    clock: ManualClock
    server: OtherProviders
    lead: LeadFeed

    def __post_init__(self) -> None:
        file = ProvidersFile(providers={NAME: Descriptor(adapter=NAME, lead=True)})
        self.feed = MergedFeed(self.lead, self.store, self.clock, lambda: file)

    def put(self, status: str, elapsed: int | None, *events: Any, **fields: Any) -> None:
        self.server.put(
            fixture_json(
                9001,
                home=HOME,
                away=AWAY,
                kickoff=self.server.world.starts_at,
                status=status,
                elapsed=elapsed,
                goals=list(events),
                **fields,
            )
        )

    def poll(self, times: int = 1) -> CycleReport:
        for _ in range(times):
            self.clock.advance(30)
            report = run_cycle(self.store, self.feed, self.clock, polling_policy())
        return report

    @property
    def match(self) -> Fixture:
        id_ = self.lead.ids.of(Kind.MATCH, [str(ID_OFFSET + 9001)])[str(ID_OFFSET + 9001)]
        return self.store.fixtures_by_id([id_])[id_]

    def goals(self) -> list[GoalEvent]:
        id_ = self.match.id
        return [one for one in self.store.goals_of([id_])[id_] if one.live]

    def player(self, number: int) -> int:
        own = str(ID_OFFSET + number)
        return self.lead.ids.of(Kind.PLAYER, [own])[own]


@pytest.fixture
def leads(
    database: Database[Document], other_providers: OtherProviders, world: World, clock: ManualClock
) -> Iterator[LeadHarness]:
    ensure_indexes(database)
    store = MatchdayStore(database)
    for id_ in world.fixture_ids:
        other_providers.drop(id_)
    adapter = FootballData(other_providers.url, competitions=["PL"])
    harness = LeadHarness(
        store, clock, other_providers, LeadFeed(NAME, adapter, store, clock, Aliases())
    )
    harness.put("NS", None)
    other_providers.put(fixture_json(9002, home=541, away=529, league=140, kickoff=clock.now()))
    clock.at = world.starts_at - timedelta(hours=2)
    report = Ingest(store, harness.feed, clock, TrackingPolicy()).day(world.starts_at.date())
    assert (report.failures, report.unreadable, report.added) == ([], [], 1)
    clock.at = world.starts_at + timedelta(minutes=30)
    yield harness
    adapter.close()


def test_l1_its_matches_have_our_numbers_and_the_leagues_those_of_api_football(
    leads: LeadHarness,
) -> None:
    match = leads.match
    assert min(match.id, match.home.id, match.away.id) >= FIRST_OF_OURS
    assert (match.league.id, match.league.country) == (39, "England")
    assert match.league.season is not None
    assert match.home.name == "Liverpool FC"


def test_l1_its_goals_become_stable_with_their_scorers(leads: LeadHarness) -> None:
    salah = goal(29, team=HOME, player=SALAH[0], name=SALAH[1])
    leads.put("1H", 30, salah)
    assert leads.poll().failures == []
    [first] = leads.goals()
    assert not first.stable
    leads.poll(2)
    [first] = leads.goals()
    assert first.stable
    assert first.player.name == SALAH[1]
    team = leads.match.home.id
    assert first.event_id == f"{leads.match.id}_{team}_{leads.player(SALAH[0])}_Goal_1"

    # A second one whose scorer comes late, and an own goal.
    late = goal(52, team=AWAY, player=None, name=None)
    own = goal(60, team=HOME, player=JONES[0], name=JONES[1], detail="Own Goal")
    leads.put("2H", 61, salah, late, own)
    leads.poll(3)
    unnamed = [one for one in leads.goals() if not one.stable]
    assert [one.minute.elapsed for one in unnamed] == [52]
    leads.put("2H", 62, salah, goal(52, team=AWAY, player=617, name="Ederson"), own)
    leads.poll(3)
    assert [one.stable for one in leads.goals()] == [True] * 3
    assert leads.match.goals == (2, 1)

    # A cancelled goal vanishes from list and score.
    leads.put("2H", 70, salah, own)
    leads.poll(3)
    assert sorted(one.minute.elapsed for one in leads.goals()) == [29, 60]


def test_l4_a_provider_is_left_alone_for_as_long_as_it_says(leads: LeadHarness) -> None:
    until = leads.clock.now() + timedelta(minutes=20)
    error = ProviderRateLimited("too many requests")
    error.ask_again_at = until
    with pytest.raises(ProviderRateLimited), leads.lead.unless_refused():
        raise error
    assert f"before {until:%H:%M:%S} UTC" in leads.poll().failures[0].reason
    leads.clock.at = until - timedelta(seconds=1)
    with pytest.raises(ProviderRefused), leads.lead.unless_refused():
        pass
    leads.clock.at = until
    with leads.lead.unless_refused():
        pass


def test_l4_refused_it_is_not_asked_again_for_a_while(leads: LeadHarness) -> None:
    leads.put("1H", 30, goal(29, team=HOME, player=SALAH[0], name=SALAH[1]))
    leads.poll(3)
    leads.server.football_data.broken = "refused"
    leads.poll()
    asked = leads.server.football_data.request_count
    report = leads.poll()
    assert "not asked again before" in report.failures[0].reason
    assert leads.server.football_data.request_count == asked
    leads.server.football_data.broken = None
    leads.clock.advance(30 * 60)
    assert leads.poll().failures == []
    assert [one.stable for one in leads.goals()] == [True]
