"""A lead that is switched off is asked for nothing."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import ProviderSwitchedOff
from footy_assets.matchday.ingest import Ingest
from footy_assets.matchday.rules.feed import Failure
from footy_assets.matchday.rules.fixture import AddedBy, new_fixture
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.tracking import TrackingPolicy
from footy_assets.providers.connection import ProvidersFileLoader, open_provider
from footy_assets.providers.feed import MergedFeed
from footy_assets.providers.rosters import refresh_rosters
from footy_assets.providers.store.provider_state import ProviderState
from footy_assets.settings import Settings, settings_of
from footy_assets.sim import SimServer, World
from footy_assets.store.collections import Document
from footy_assets_tests.providers.reports import HOME, NOON, sighting
from footy_assets_tests.resources.espn_answers import FakeEspn

REASON = "{0} is switched off: footy sources enable {0}"
DAY = date(2025, 5, 10)


@pytest.fixture
def espn() -> Iterator[FakeEspn]:
    with FakeEspn() as running:
        yield running


@pytest.fixture
def sim() -> Iterator[SimServer]:
    with SimServer(World.from_scripts([], day=DAY), ManualClock(NOON)) as running:
        yield running


@pytest.fixture(params=["espn", "api_football"])
def lead(request: pytest.FixtureRequest, database: Database[Document]) -> str:
    """Switched off."""
    name: str = request.param
    ProviderState(database).switch(name, False, NOON)
    return name


@pytest.fixture
def settings(espn: FakeEspn, sim: SimServer, lead: str, tmp_path: Path) -> Settings:
    urls = {"espn_url": espn.url, "api_football_url": sim.url}
    return settings_of(home=tmp_path, provider=lead, **urls)


def test_a_lead_that_is_switched_off_is_asked_for_nothing(
    lead: str, settings: Settings, database: Database[Document], espn: FakeEspn, sim: SimServer
) -> None:
    store, clock, reason = MatchdayStore(database), ManualClock(NOON), REASON.format(lead)
    playing = new_fixture(sighting(elapsed=30), FixtureState.ACTIVE, NOON, AddedBy.BY_ID)
    store.add([playing])
    with open_provider(settings, database, clock) as opened:
        ingest = Ingest(store, opened.feed, clock, TrackingPolicy((39,)))
        for run in (ingest.daily, ingest.day):
            with pytest.raises(ProviderSwitchedOff, match=f"^{reason}$"):
                run(DAY)
        with pytest.raises(ProviderSwitchedOff):
            opened.feed.days_with_matches(DAY, DAY)
        assert ingest.ids([5000]).failures == [Failure(lead, reason, (5000,))]
        rosters = refresh_rosters(store, [playing], opened.rosters, clock)
        assert {failure.reason for failure in rosters.failures} == {reason}
        named = opened.teams.teams([HOME.id])
        assert named.profiles == {}
        load_file = ProvidersFileLoader(settings)
        polled = MergedFeed(opened.feed, store, clock, load_file).by_ids([5000])
        assert (polled.warnings, polled.failures) == ([reason], [])
    assert espn.requests == []
    assert sim.requests == []


def test_a_lead_that_is_switched_on_again_is_asked_by_the_same_process(
    lead: str, settings: Settings, database: Database[Document], espn: FakeEspn, sim: SimServer
) -> None:
    with open_provider(settings, database, ManualClock(NOON)) as opened:
        ProviderState(database).switch(lead, True, NOON)
        opened.feed.by_date(DAY)
    assert len(espn.requests) + len(sim.requests) > 0


def test_a_lead_that_the_file_switches_off_is_asked_for_nothing(
    espn: FakeEspn, database: Database[Document], tmp_path: Path
) -> None:
    (tmp_path / "sources.yaml").write_text("providers:\n  espn: {adapter: espn, enabled: false}\n")
    settings = settings_of(home=tmp_path, espn_url=espn.url)
    with (
        open_provider(settings, database, ManualClock(NOON)) as opened,
        pytest.raises(ProviderSwitchedOff),
    ):
        opened.feed.by_date(DAY)
    assert espn.requests == []
