"""API-Football as an adapter like any other: what it is asked, and what it claims."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from footy_assets.clock import ManualClock
from footy_assets.errors import ProviderRefused, ProviderUnavailable
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.providers.rules.adapter import (
    Adapter,
    CancellationClaim,
    DetailsAdapter,
    LeagueClaim,
    LineUpPlayer,
    SquadAdapter,
)
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets.providers.rules.match import GoalClaim, PersonClaim, Score
from footy_assets.providers.rules.normalise import to_report
from footy_assets.sim import SimServer, World, clubs_of, fixture_json, goal, var_cancel
from footy_assets_tests.resources.free_plan import FreePlanServer
from resources.api_football.adapter import ApiFootballAdapter
from resources.api_football.claims import claim_line_ups, to_provider_match
from resources.api_football.client import ApiFootball
from resources.api_football.translate import parse_fixtures
from resources.json_parts import to_bytes

DAY = date(2025, 5, 10)
NOON = datetime(2025, 5, 10, 12, tzinfo=UTC)
SALAH = goal(30, player=234, name="M. Salah", assist=7, assist_name="L. Diaz")


@pytest.fixture(scope="module")
def shared_server() -> Iterator[SimServer]:
    with SimServer(World(DAY, ()), ManualClock(NOON)) as server:
        yield server


@pytest.fixture
def sim(shared_server: SimServer) -> SimServer:
    """Match 1 in play, match 2 of another league, match 3 tomorrow."""
    shared_server.reset()
    shared_server.put(fixture_json(1, kickoff=NOON, status="1H", elapsed=31, goals=[SALAH]))
    shared_server.put(fixture_json(2, kickoff=NOON, league=140))
    shared_server.put(fixture_json(3, kickoff=NOON + timedelta(days=1)))
    return shared_server


async def no_sleep(seconds: float) -> None:
    """Retries without waiting."""


@pytest.fixture
def adapter(sim: SimServer) -> Iterator[ApiFootballAdapter]:
    opened = ApiFootballAdapter(ApiFootball(sim.url, None, sleep=no_sleep), leagues=[39])
    yield opened
    opened.close()


def wanted(id_: str, start: datetime = NOON) -> ListedMatch:
    return ListedMatch(id_, start, "Liverpool", "Manchester City", "Premier League")


def test_it_implements_the_interfaces(adapter: ApiFootballAdapter) -> None:
    interfaces: tuple[Adapter, DetailsAdapter, SquadAdapter] = (adapter, adapter, adapter)
    assert interfaces
    assert adapter.figures() is None
    adapter.recycle()
    adapter.reset()


def test_a_day_has_the_matches_of_its_leagues(adapter: ApiFootballAdapter, sim: SimServer) -> None:
    assert [match.listed.id for match in adapter.discover(DAY, 5).matches] == ["1"]
    assert [request.params for request in sim.requests] == [{"date": "2025-05-10"}]


def test_known_matches_are_fetched_by_id_and_others_by_their_days(
    adapter: ApiFootballAdapter, sim: SimServer
) -> None:
    tomorrow = wanted("", NOON + timedelta(days=1))
    found = adapter.fetch([wanted("1"), tomorrow, tomorrow], 5).matches
    assert [match.listed.id for match in found] == ["1", "3"]
    asked = [request.params for request in sim.requests]
    assert asked == [{"ids": "1"}, {"date": "2025-05-11"}]


def test_a_match_has_ids_goals_and_league_as_claims(adapter: ApiFootballAdapter) -> None:
    [match] = adapter.fetch([wanted("1")], 5).matches
    assert (match.listed.start, match.listed.competition_id) == (NOON, "39")
    assert (match.period, match.minute, match.score) == ("1H", MatchMinute(31), Score(1, 0))
    assert match.home is not None
    assert match.home.id == "40"
    assert match.league == LeagueClaim(
        "39", "Premier League", 2024, match.league and match.league.round, "England"
    )
    [claim] = match.goals or ()
    assert claim == GoalClaim(
        "home", MatchMinute(30), "Normal Goal", "M. Salah", "234", PersonClaim("7", "L. Diaz")
    )


def test_var_decisions_cards_and_corners_are_claims() -> None:
    raw = fixture_json(
        1,
        status="1H",
        elapsed=40,
        goals=[goal(30, team=50, player=9, name="E. Haaland")],
        events=[var_cancel(33, player=234, name="M. Salah")],
        corners=(3, 2),
    )
    card = {"type": "Card", "detail": "Yellow Card", "time": {"elapsed": 20}, "team": {"id": 50}}
    raw["events"].append(card)
    match = to_provider_match(parse_fixtures([to_bytes(raw)]).sightings[1])
    assert [claim.side for claim in match.goals or ()] == ["away"]
    [decision] = match.cancellations
    assert isinstance(decision, CancellationClaim)
    assert (decision.side, decision.minute, decision.scorer.id) == ("home", MatchMinute(33), "234")
    kinds = [(one.kind, one.side) for one in match.incidents or ()]
    assert ("card", "away") in kinds
    assert (match.cards, match.corners) == (Score(0, 1), (3, 2))


def test_its_claims_say_what_the_leading_provider_says() -> None:
    raw = fixture_json(1, status="2H", elapsed=60, goals=[SALAH])
    sighting = parse_fixtures([to_bytes(raw)]).sightings[1]
    leading = to_report(sighting, "api_football", NOON)
    claimed = to_provider_match(sighting).to_report(1, "api_football", NOON, 1.0)
    assert claimed.match.score == leading.match.score
    assert (claimed.match.period, claimed.match.minute) == ("2H", MatchMinute(60))
    assert claimed.match.cards == leading.match.cards
    assert [one.scorer for one in claimed.goals or ()] == [
        one.scorer for one in leading.goals or ()
    ]


def test_a_list_that_may_miss_a_goal_says_so() -> None:
    raw = fixture_json(1, status="1H", goals=[SALAH])
    raw["events"].append({"type": "Goal", "time": {"elapsed": None}, "team": {"id": 40}})
    assert not to_provider_match(parse_fixtures([to_bytes(raw)]).sightings[1]).goals_complete


def test_without_an_answer_it_raises_and_with_a_part_it_reports(
    adapter: ApiFootballAdapter, sim: SimServer
) -> None:
    sim.faults.fail(500, times=None, path="/fixtures")
    with pytest.raises(ProviderUnavailable, match="500"):
        adapter.fetch([wanted("1")], 5)
    sim.faults.clear()
    answer = adapter.fetch([wanted("1"), wanted("404")], 5)
    assert [match.listed.id for match in answer.matches] == ["1"]
    assert [piece.subject for piece in answer.unreadable] == ["fixture 404"]


def test_a_refusal_of_the_key_is_raised(adapter: ApiFootballAdapter, sim: SimServer) -> None:
    sim.faults.fail(403)
    with pytest.raises(ProviderRefused):
        adapter.discover(DAY, 5)


def test_a_slow_answer_is_not_waited_for(adapter: ApiFootballAdapter, sim: SimServer) -> None:
    sim.faults.slow(60, times=None)
    with pytest.raises(ProviderUnavailable, match=r"within 0\.2 s"):
        adapter.discover(DAY, 0.2)


def test_a_squad_has_numbers_and_positions(adapter: ApiFootballAdapter) -> None:
    squad = adapter.squad(str(clubs_of(39)[0].id), 5)
    assert len(squad) > 11
    assert all(player.person.id and player.person.name for player in squad)
    assert {player.position for player in squad} >= {"Goalkeeper", "Defender"}
    assert not any(player.starts for player in squad)
    assert adapter.squad("424242", 5) == ()


# -- line-ups -------------------------------------------------------------------------------


def a_line_up(team: int, name: str, **more: Any) -> dict[str, Any]:
    return {
        "team": {"id": team, "name": name},
        "formation": "4-3-3",
        "startXI": [{"player": {"id": 1, "name": "A. Keeper", "number": 1, "pos": "G"}}],
        "substitutes": [{"player": {"id": None, "name": "B. Sub", "number": 12, "pos": None}}],
        **more,
    }


def test_line_ups_have_those_who_start_and_those_who_wait() -> None:
    items = [a_line_up(50, "Manchester City"), a_line_up(40, "Liverpool")]
    line_ups, unreadable = claim_line_ups(items, wanted("1"), home_id=40)
    assert ([one.side for one in line_ups], unreadable) == (["away", "home"], ())
    assert line_ups[0].formation == "4-3-3"
    assert line_ups[0].players == (
        LineUpPlayer(PersonClaim("1", "A. Keeper"), 1, "G", True),
        LineUpPlayer(PersonClaim(None, "B. Sub"), 12, None, False),
    )


def test_the_side_of_a_line_up_is_never_guessed() -> None:
    items = [a_line_up(50, "Manchester City FC"), a_line_up(9, "Somebody Else"), {"team": 7}]
    line_ups, unreadable = claim_line_ups(items, wanted("1"), home_id=None)
    assert [one.side for one in line_ups] == ["away"]
    assert [piece.subject for piece in unreadable] == [
        "line-up of fixture 1",
        "line-up of fixture 1, team 9",
    ]


def test_line_ups_that_are_not_out_yet_are_none() -> None:
    empty = a_line_up(40, "Liverpool", startXI=None, substitutes=None)
    [line_up] = claim_line_ups([empty], wanted("1"), home_id=40)[0]
    assert line_up.players == ()
    assert claim_line_ups([], wanted("1"), None) == ((), ())


def test_details_request_the_line_ups_of_the_match() -> None:
    """Also on the free plan. The simulated world has no line-ups."""
    with FreePlanServer(ManualClock(NOON)) as server:
        server.put(fixture_json(1, kickoff=NOON, status="1H", elapsed=31, goals=[SALAH]))
        server.line_ups = [a_line_up(50, "City (names differ)"), a_line_up(40, "Liverpool")]
        adapter = ApiFootballAdapter(ApiFootball(server.url, None, clock=server.clock))
        [match] = adapter.fetch([wanted("1")], 5).matches
        details = adapter.details(wanted("1"), 5)
        adapter.close()
    assert len(match.goals or ()) == 1
    assert ([one.side for one in details.line_ups], details.goals) == (["away", "home"], None)
    assert server.queries == ["ids=1", "live=all", "/fixtures/lineups?fixture=1"]
