"""The provider over real HTTP."""

import os
import signal
import subprocess
import sys
import threading
from datetime import date, timedelta

import httpx
import pytest

from footy_assets.clock import ManualClock
from footy_assets.sim import (
    Quota,
    SimServer,
    World,
    fixture_json,
    goal,
    make_season_days,
)
from footy_assets.sim.clubs import clubs_of


def ids(*fixture_ids: int) -> dict[str, str]:
    return {"ids": "-".join(map(str, fixture_ids))}


def test_the_envelope_is_the_real_one(world: World, provider: httpx.Client):
    answer = provider.get("/fixtures", params={"date": "2025-05-10"}).json()
    assert set(answer) == {"get", "parameters", "errors", "results", "paging", "response"}
    assert answer["get"] == "fixtures"
    assert answer["parameters"] == {"date": "2025-05-10"}
    assert answer["errors"] == []
    assert answer["results"] == len(answer["response"]) == len(world.fixture_ids)
    assert answer["paging"] == {"current": 1, "total": 1}


def test_by_date_has_no_events_and_by_id_has(world: World, provider: httpx.Client):
    by_date = provider.get("/fixtures?date=2025-05-10").json()["response"]
    assert all("events" not in fixture for fixture in by_date)
    one = provider.get("/fixtures", params={"id": world.fixture_ids[0]}).json()["response"]
    assert one[0]["events"] == []


def test_another_date_is_empty(provider: httpx.Client):
    answer = provider.get("/fixtures?date=2025-05-11").json()
    assert (answer["results"], answer["errors"], answer["response"]) == (0, [], [])


def test_listed_goals_follow_the_clock(world: World, clock: ManualClock, provider: httpx.Client):
    first = world.truth()[0]
    params = {"id": first.fixture_id}
    clock.at = first.shown_at - timedelta(seconds=1)
    assert provider.get("/fixtures", params=params).json()["response"][0]["events"] == []
    clock.at = first.shown_at
    events = provider.get("/fixtures", params=params).json()["response"][0]["events"]
    assert [event["player"]["id"] for event in events] == [first.player_id]
    alone = provider.get("/fixtures/events", params={"fixture": first.fixture_id}).json()
    assert alone["get"] == "fixtures/events"
    assert alone["response"] == events


def test_twenty_ids_answer_and_twenty_one_silently_do_not(
    world: World, server: SimServer, provider: httpx.Client
):
    for extra in (1, 2, 3):
        server.put(fixture_json(extra))
    many = [1, 2, 3, *world.fixture_ids]
    assert len(many) == 21
    assert provider.get("/fixtures", params=ids(*many[:20])).json()["results"] == 20
    answer = provider.get("/fixtures", params=ids(*many)).json()
    assert (answer["results"], answer["response"], answer["errors"]) == (0, [], [])


def test_live_lists_matches_in_play_with_events(
    world: World, clock: ManualClock, provider: httpx.Client
):
    assert provider.get("/fixtures?live=all").json()["results"] == 0
    clock.at = world.starts_at + timedelta(hours=2)
    live = provider.get("/fixtures?live=all").json()["response"]
    assert len(live) > 8
    assert all("events" in fixture and "lineups" not in fixture for fixture in live)
    english = provider.get("/fixtures?live=39-45").json()["response"]
    assert {fixture["league"]["id"] for fixture in english} == {39, 45}


def test_by_league_and_season(provider: httpx.Client):
    found = provider.get("/fixtures?league=39&season=2024").json()["response"]
    assert len(found) == 3
    assert {fixture["league"]["id"] for fixture in found} == {39}
    assert provider.get("/fixtures?league=39&season=2019").json()["results"] == 0


def test_teams_of_a_league_and_by_id(world: World, provider: httpx.Client):
    clubs = provider.get("/teams?league=39&season=2024").json()["response"]
    assert [entry["team"]["id"] for entry in clubs] == [club.id for club in clubs_of(39)]
    assert set(clubs[0]["team"]) >= {"id", "name", "code", "country", "national", "logo"}
    club = world.scripts[0].home
    one = provider.get("/teams", params={"id": club.id}).json()["response"]
    assert one[0]["team"]["name"] == club.name
    assert one[0]["venue"]["city"] == club.city
    assert provider.get("/teams?league=39&season=1999").json()["results"] == 0


def test_a_league_names_its_current_season(provider: httpx.Client):
    league = provider.get("/leagues?id=39").json()["response"][0]
    current = [season["year"] for season in league["seasons"] if season["current"]]
    assert (league["league"]["name"], current) == ("Premier League", [2024])


@pytest.mark.parametrize(
    ("url", "field"),
    [
        ("/fixtures", "required"),
        ("/fixtures?date=tomorrow", "date"),
        ("/fixtures?date=2025-02-30", "date"),
        ("/fixtures?ids=1,2", "ids"),
        ("/fixtures?id=x", "id"),
        ("/fixtures?league=39", "season"),
        ("/fixtures?colour=red", "colour"),
        ("/teams?league=39", "season"),
        ("/fixtures/events", "fixture"),
        ("/nowhere", "endpoint"),
    ],
)
def test_bad_parameters_give_an_errors_object(provider: httpx.Client, url: str, field: str):
    answer = provider.get(url)
    assert answer.status_code == 200
    assert field in answer.json()["errors"]
    assert answer.json()["response"] == []


def test_every_request_is_remembered(clock: ManualClock, server: SimServer, provider: httpx.Client):
    provider.get("/fixtures?id=5")
    clock.advance(30)
    provider.get("/teams?id=40")
    assert [(r.path, r.params) for r in server.requests] == [
        ("/fixtures", {"id": "5"}),
        ("/teams", {"id": "40"}),
    ]
    assert server.requests[1].at - server.requests[0].at == timedelta(seconds=30)


def test_put_overrides_adds_and_drop_removes(
    world: World, server: SimServer, provider: httpx.Client
):
    known = world.fixture_ids[0]
    scored = goal(30, team=40, player=234, name="M. Salah")
    for fixture_id in (known, 1):
        server.put(fixture_json(fixture_id, status="1H", elapsed=31, goals=[scored]))
        found = provider.get("/fixtures", params={"id": fixture_id}).json()["response"][0]
        assert found["goals"] == {"home": 1, "away": 0}
        assert found["events"][0]["player"] == {"id": 234, "name": "M. Salah"}
    listed = provider.get("/fixtures?date=2025-05-10").json()
    assert listed["results"] == len(world.fixture_ids) + 1
    assert all("events" not in fixture for fixture in listed["response"])
    server.drop(known)
    assert provider.get("/fixtures", params=ids(known, 1)).json()["results"] == 1


def test_reset_clears_overrides_requests_and_faults(
    world: World, server: SimServer, provider: httpx.Client
):
    server.put(fixture_json(1))
    server.drop(world.fixture_ids[0])
    server.faults.fail(500, times=None)
    provider.get("/leagues")
    server.reset()
    assert server.requests == []
    answer = provider.get("/fixtures", params=ids(1, world.fixture_ids[0]))
    assert answer.json()["results"] == 1
    assert answer.headers["x-ratelimit-requests-remaining"] == str(server.quota.per_day - 1)


def test_a_missing_or_wrong_key_is_an_error_in_a_200(world: World, clock: ManualClock):
    with SimServer(world, clock, key="secret") as server, httpx.Client() as client:
        for headers in ({}, {"x-apisports-key": "guess"}):
            answer = client.get(f"{server.url}/fixtures?date=2025-05-10", headers=headers)
            assert answer.status_code == 200
            assert "Missing application key" in answer.json()["errors"]["token"]
            assert answer.json()["response"] == []
        answer = client.get(
            f"{server.url}/fixtures?date=2025-05-10", headers={"x-apisports-key": "secret"}
        )
        assert answer.json()["errors"] == []


def test_the_daily_quota_runs_out_in_a_200_and_returns_at_midnight(
    world: World, clock: ManualClock
):
    quota = Quota(per_day=2, per_minute=100)
    with SimServer(world, clock, quota=quota) as server, httpx.Client(base_url=server.url) as c:
        left = [c.get("/leagues").headers["x-ratelimit-requests-remaining"] for _ in range(2)]
        assert left == ["1", "0"]
        refused = c.get("/leagues")
        assert refused.status_code == 200
        assert "limit for the day" in refused.json()["errors"]["requests"]
        assert refused.json()["response"] == []
        assert refused.headers["x-ratelimit-requests-limit"] == "2"
        account = c.get("/status").json()
        assert account["response"]["requests"] == {"current": 2, "limit_day": 2}
        clock.advance(24 * 3600)
        assert c.get("/leagues").json()["errors"] == []


def test_the_minute_quota_answers_429_until_the_next_minute(world: World, clock: ManualClock):
    quota = Quota(per_day=100, per_minute=1)
    with SimServer(world, clock, quota=quota) as server, httpx.Client(base_url=server.url) as c:
        first = c.get("/leagues")
        assert (first.headers["X-RateLimit-Limit"], first.headers["X-RateLimit-Remaining"]) == (
            "1",
            "0",
        )
        refused = c.get("/leagues")
        assert refused.status_code == 429
        assert "rateLimit" in refused.json()["errors"]
        clock.advance(60)
        assert c.get("/leagues").status_code == 200


def test_past_days_show_their_final_form():
    world = make_season_days(7, date(2025, 5, 1), days=3, matches_per_day=2)
    clock = ManualClock(world.ends_at + timedelta(days=30))
    with SimServer(world, clock) as server, httpx.Client(base_url=server.url) as client:
        for day in world.days:
            found = client.get("/fixtures", params={"date": day.isoformat()}).json()["response"]
            assert [fixture["fixture"]["status"]["short"] for fixture in found] == ["FT", "FT"]


def test_truth_and_clock_are_served_over_http(
    world: World, clock: ManualClock, provider: httpx.Client, server: SimServer
):
    truth = provider.get("/sim/truth").json()
    assert len(truth["goals"]) == len(world.truth())
    assert truth["goals"][0]["player_id"] == world.truth()[0].player_id
    assert len(truth["fixtures"]) == len(world.fixture_ids)
    assert provider.get("/sim/clock").json()["now"] == clock.now().isoformat()
    assert server.requests == []


def test_stopping_leaves_no_thread_and_frees_the_port(world: World, clock: ManualClock):
    server = SimServer(world, clock)
    others = set(threading.enumerate())
    with server:
        url = server.url
        mine = {t for t in threading.enumerate() if t.name == "sim"} - others
        assert len(mine) == 1
    assert not any(thread.is_alive() for thread in mine)
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{url}/status")
    with server:
        assert server.url == url
        assert httpx.get(f"{url}/status").status_code == 200


@pytest.mark.slow
def test_the_command_prints_its_url_and_ends_on_sigterm():
    command = [sys.executable, "-m", "footy_assets.sim", "--matches", "3", "--speed", "600"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ)) as run:
        try:
            assert run.stdout is not None
            url = run.stdout.readline().strip()
            assert httpx.get(f"{url}/fixtures?date=2025-05-10").json()["results"] == 3
            run.send_signal(signal.SIGTERM)
            assert run.wait(timeout=10) == 0
        finally:
            run.kill()
