"""Simulated seasons: of real size, consistent, and with faults on demand."""

from collections import Counter
from typing import Any

import httpx
import pytest

from footy_assets.sim import SimServer, clubs_of
from footy_assets.sim.past_season import past_season

pytestmark = pytest.mark.slow


def get_json(sim: SimServer, path: str, **params: Any) -> Any:
    return httpx.get(f"{sim.url}{path}", params=params).json()


def player_ids(sim: SimServer, team: int) -> set[int]:
    pages = [get_json(sim, "/players", team=team, season=2023, page=page) for page in (1, 2)]
    return {one["player"]["id"] for page in pages for one in page["response"]}


def test_a_season_has_380_matches_everybody_against_everybody() -> None:
    season = past_season(39, 2023)
    pairs = Counter((match.home.id, match.away.id) for match in season.matches)
    assert len(pairs) == len(season.matches) == 20 * 19
    assert len({match.fixture_id for match in season.matches}) == 380
    for day in {match.kickoff.date() for match in season.matches}:
        playing = [m for m in season.matches if m.kickoff.date() == day]
        assert len({club.id for m in playing for club in (m.home, m.away)}) == 2 * len(playing)


def test_players_figures_add_up_to_their_clubs() -> None:
    season = past_season(140, 2022)
    for club in clubs_of(140):
        figures = season.figures[club.id].values()
        assert sum(one.minutes for one in figures) == 38 * 990
        assert sum(one.goals for one in figures) == season.records[club.id].scored


def test_players_are_paged(sim: SimServer) -> None:
    first = get_json(sim, "/players", team=3902, season=2023)
    second = get_json(sim, "/players", team=3902, season=2023, page=2)
    assert (first["paging"], second["paging"]) == (
        {"current": 1, "total": 2},
        {"current": 2, "total": 2},
    )
    ids = [one["player"]["id"] for one in (*first["response"], *second["response"])]
    assert len(ids) == len(set(ids)) == 31
    assert get_json(sim, "/players", team=3902, season=2023, page=3)["response"] == []


def test_matches_of_past_days_can_be_listed_and_fetched(sim: SimServer) -> None:
    listed = get_json(sim, "/fixtures", league=39, season=2023)["response"]
    assert len(listed) == 380
    first = listed[0]["fixture"]
    on_the_day = get_json(sim, "/fixtures", date=first["date"][:10])["response"]
    assert first["id"] in {one["fixture"]["id"] for one in on_the_day}
    (alone,) = get_json(sim, "/fixtures", id=first["id"])["response"]
    assert alone["fixture"]["status"]["short"] == "FT"
    goals = sum(one["type"] == "Goal" for one in alone["events"])
    assert goals == alone["goals"]["home"] + alone["goals"]["away"]


def test_a_player_who_changed_clubs_has_a_transfer(sim: SimServer) -> None:
    here, there = (player_ids(sim, team) for team in (3901, 3902))
    (moved,) = here & there
    (entry,) = get_json(sim, "/transfers", player=moved)["response"]
    (move,) = entry["transfers"]
    assert (move["teams"]["out"]["id"], move["teams"]["in"]["id"]) == (3901, 3902)


def test_an_endpoint_can_be_made_to_ignore_the_season(sim: SimServer) -> None:
    honest = get_json(sim, "/players", team=3901, season=2021)["response"]
    sim.faults.today(path="/players", query={"team": "3901"})
    lie = get_json(sim, "/players", team=3901, season=2021)["response"]
    assert {s["league"]["season"] for one in lie for s in one["statistics"]} == {2021}
    today = get_json(sim, "/players", team=3901, season=2024)["response"]
    names = [[one["player"]["id"] for one in entry] for entry in (honest, lie, today)]
    assert names[1] == names[2] != names[0]


@pytest.mark.parametrize("query", [{"team": "3901"}, {}])
def test_a_fault_hits_the_queries_it_names(sim: SimServer, query: dict[str, str]) -> None:
    sim.faults.garble(path="/players", query=query)
    other = get_json(sim, "/players", team=3902, season=2023)["response"]
    assert (other[0]["player"] is None) is (not query)
