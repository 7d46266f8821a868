"""API-Football's free plan, and its line-ups."""

from collections.abc import Iterator
from datetime import timedelta

import httpx
import pytest

from footy_assets.clock import ManualClock
from footy_assets.sim import SimServer, World, fixture_json
from footy_assets.sim.plans import FREE_PLAN, PAID_PLAN

MINUTE = timedelta(minutes=1)


@pytest.fixture
def free(server: SimServer, provider: httpx.Client) -> Iterator[httpx.Client]:
    server.plan = FREE_PLAN
    return provider


def errors(free: httpx.Client, path: str) -> object:
    answer = free.get(path)
    assert answer.status_code == 200
    assert not answer.json()["errors"] or answer.json()["response"] == []
    return answer.json()["errors"]


def test_ids_are_refused_in_a_200(free: httpx.Client, world: World):
    path = f"/fixtures?ids={world.fixture_ids[0]}-{world.fixture_ids[1]}"
    assert errors(free, path) == {"plan": "Free plans do not have access to the Ids parameter."}


@pytest.mark.parametrize(
    "path",
    [
        "/fixtures?league=39&season=2024",
        "/teams?league=39&season=2024",
        "/players?team=3901&season=2024",
        "/teams/statistics?league=39&season=2024&team=3901",
        "/leagues?id=39&season=2024",
        "/fixtures?league=39&season=2020",
    ],
)
def test_the_current_season_and_old_ones_are_refused(free: httpx.Client, path: str):
    message = "Free plans do not have access to this season, try from 2021 to 2023."
    assert errors(free, path) == {"plan": message}
    assert errors(free, path.replace("2024", "2023").replace("2020", "2021")) == []


@pytest.mark.parametrize("day", ["2025-05-09", "2025-05-10", "2025-05-11"])
def test_the_days_around_today_are_allowed(free: httpx.Client, day: str):
    assert errors(free, f"/fixtures?date={day}") == []


@pytest.mark.parametrize("day", ["2025-05-08", "2025-05-12"])
def test_other_days_are_refused(free: httpx.Client, day: str):
    message = "Free plans do not have access to this date, try from 2025-05-09 to 2025-05-11."
    assert errors(free, f"/fixtures?date={day}") == {"plan": message}


def test_live_and_single_ids_are_allowed(free: httpx.Client, world: World, clock: ManualClock):
    clock.at = world.starts_at + timedelta(hours=2)
    assert free.get("/fixtures?live=all").json()["results"] > 8
    assert free.get(f"/fixtures?id={world.fixture_ids[0]}").json()["results"] == 1
    assert errors(free, "/players/squads?team=3901") == []
    assert errors(free, "/leagues?id=39") == []


def test_ten_requests_a_minute_and_a_hundred_a_day(free: httpx.Client, clock: ManualClock):
    statuses = [free.get("/leagues?id=39").status_code for _ in range(11)]
    assert statuses == [200] * 10 + [429]
    for _ in range(9):
        clock.advance(60)
        assert all(errors(free, "/leagues?id=39") == [] for _ in range(10))
    clock.advance(60)
    refused = free.get("/leagues?id=39")
    assert "limit for the day" in refused.json()["errors"]["requests"]
    assert refused.headers["x-ratelimit-requests-limit"] == "100"


def test_a_refused_request_counts(free: httpx.Client):
    answer = free.get("/fixtures?ids=1")
    assert answer.headers["x-ratelimit-requests-remaining"] == "99"


def test_the_account_names_the_plan(server: SimServer, free: httpx.Client):
    account = free.get("/status").json()["response"]
    assert account["subscription"]["plan"] == "Free"
    assert account["requests"]["limit_day"] == 100
    server.plan = PAID_PLAN
    assert free.get("/status").json()["response"]["requests"]["limit_day"] == 150_000
    assert errors(free, "/fixtures?ids=1") == []


def test_reset_restores_the_plan_of_the_start(world: World, clock: ManualClock):
    server = SimServer(world, clock)
    server.plan = FREE_PLAN
    server.reset()
    assert (server.plan, server.quota) == (PAID_PLAN, PAID_PLAN.quota)
    assert SimServer(world, clock, plan=FREE_PLAN).quota.per_day == 100


def test_lineups_come_45_minutes_before_kickoff(
    provider: httpx.Client, world: World, clock: ManualClock
):
    script = world.scripts[0]
    path = f"/fixtures/lineups?fixture={script.fixture_id}"
    clock.at = script.kickoff - 45 * MINUTE - timedelta(seconds=1)
    assert provider.get(path).json()["response"] == []
    clock.advance(1)
    home, away = provider.get(path).json()["response"]
    assert (home["team"]["id"], away["team"]["id"]) == (script.home.id, script.away.id)
    assert set(home) == {"team", "coach", "formation", "startXI", "substitutes"}
    players = [entry["player"] for entry in home["startXI"]]
    assert players[0] == {
        "id": script.home.squad[0].id,
        "name": script.home.squad[0].name,
        "number": 1,
        "pos": "G",
        "grid": "1:1",
    }
    assert [player["grid"] for player in players[1:]] == [
        *("2:1", "2:2", "2:3", "2:4", "3:1", "3:2", "3:3", "4:1", "4:2", "4:3")
    ]
    assert "".join(player["pos"] for player in players) == "GDDDDMMMFFF"
    assert len(home["substitutes"]) == 9
    assert {entry["player"]["grid"] for entry in home["substitutes"]} == {None}


def test_a_postponed_or_hand_made_match_has_no_lineups(
    server: SimServer, provider: httpx.Client, world: World, clock: ManualClock
):
    clock.at = world.ends_at
    postponed = next(s for s in world.scripts if s.title == "postponed for good")
    server.put(fixture_json(5))
    for fixture_id in (postponed.fixture_id, 5, 6):
        answer = provider.get(f"/fixtures/lineups?fixture={fixture_id}").json()
        assert (answer["errors"], answer["response"]) == ([], [])
