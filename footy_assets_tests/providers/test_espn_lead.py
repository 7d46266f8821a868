"""L1: a matchday that ESPN leads, with no key: the same goals as with API-Football."""

from collections.abc import Iterator
from datetime import timedelta
from random import Random

import pytest
from pymongo.database import Database

from footy_assets.matchday.integrity import identities_unique, no_fixture_lost, score_agrees
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.providers.store.our_ids import FIRST_OF_OURS, Kind, OurIds
from footy_assets.providers.store.refusals import ProviderRefusals
from footy_assets.sim import World, make_world
from footy_assets.sim.check_goals import check_goals
from footy_assets.store.collections import Document
from footy_assets_tests.providers.espn_lead import EspnLead, espn_lead

pytestmark = pytest.mark.slow

ACTIVE = FixtureState.ACTIVE


@pytest.fixture(scope="module")
def short_day() -> World:
    return make_world(23).only(("VAR reversals", "late scorer names", "re-attributions"))


@pytest.fixture
def lead(database: Database[Document], short_day: World) -> Iterator[EspnLead]:
    with espn_lead(database, short_day) as lead:
        yield lead


def throw_fault(lead: EspnLead, chance: Random) -> None:
    """One poll in six gets a fault of ESPN's."""
    faults, one = lead.server.espn, chance.choice(lead.world.fixture_ids)
    faults.broken, faults.capped_clock = None, chance.random() < 0.1
    match chance.randrange(24):
        case 0:
            faults.broken = "down"
        case 1:
            faults.broken = "garbage"
        case 2:
            faults.missing_matches[one] = 1
        case 3:
            faults.missing_goals[one] = 1


def test_a_matchday_led_by_a_faulty_espn_ends_with_the_true_goals(lead: EspnLead) -> None:
    """Goals are named late; events, matches and whole answers are missing for a poll."""
    assert lead.ingest().failures == []
    lead.server.espn.unnamed_seconds = 45
    chance = Random(5)
    while lead.clock.now() < lead.world.ends_at:
        throw_fault(lead, chance)
        lead.poll()
    lead.server.espn.broken = None
    for _ in range(6):
        lead.poll()
    verdict = check_goals(lead.world, *lead.rows())
    assert verdict.right, (verdict.problems, verdict.unexpected, verdict.fixtures)
    for finding in (no_fixture_lost, identities_unique, score_agrees):
        assert finding(lead.store, lead.world.day).passed


def test_L1_matches_teams_and_players_have_our_numbers_and_leagues_those_of_api_football(
    lead: EspnLead,
) -> None:
    report = lead.ingest()
    assert report.added == len(lead.world.fixture_ids)
    fixtures = lead.store.fixtures_of(lead.world.day)
    assert min(one.id for one in fixtures) >= FIRST_OF_OURS
    assert {one.league.id for one in fixtures} == {s.league.id for s in lead.world.scripts}
    theirs = OurIds(lead.store.database, "espn").theirs(Kind.MATCH, [one.id for one in fixtures])
    assert len(theirs) == len(fixtures)
    again = lead.ingest()
    assert (again.added, again.failures) == (0, [])


def test_the_summary_is_asked_for_only_when_the_list_of_a_match_changed(lead: EspnLead) -> None:
    lead.ingest()
    lead.clock.at = lead.world.scripts[0].kickoff + timedelta(minutes=20)
    lead.poll(0)
    lead.poll(0)
    requests = lead.server.espn.requests
    requests.clear()
    lead.poll(0)
    assert requests
    assert not [path for path in requests if "/summary" in path]
    playing = {one.league.id for one in lead.store.unfinished() if one.state is ACTIVE}
    assert len(requests) == len(playing)


def test_L4_espn_that_refuses_us_is_left_alone_by_every_process(lead: EspnLead) -> None:
    lead.ingest()
    lead.clock.at = lead.world.scripts[0].kickoff + timedelta(minutes=20)
    lead.server.espn.broken = "refused"
    first = lead.poll()
    assert "403" in first.failures[0].reason
    lead.server.espn.broken, before = None, lead.server.espn.request_count
    with espn_lead(lead.store.database, lead.world) as other:
        other.clock.at = lead.clock.at
        report = other.poll()
        assert "not asked again before" in report.failures[0].reason
        assert other.server.espn.request_count == 0
    assert lead.server.espn.request_count == before
    ProviderRefusals(lead.store.database).forget("espn")
    with espn_lead(lead.store.database, lead.world) as other:
        other.clock.at = lead.clock.at
        assert other.poll().failures == []
