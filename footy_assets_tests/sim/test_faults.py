"""A provider that misbehaves on demand."""

import json

import httpx
import pytest

from footy_assets.sim import Fault, Faults, SimServer, World


def batch(world: World, count: int = 3) -> dict[str, str]:
    return {"ids": "-".join(str(fixture_id) for fixture_id in world.fixture_ids[:count])}


@pytest.mark.parametrize("status", [429, 500, 503])
def test_the_next_requests_fail_and_then_it_heals(
    server: SimServer, provider: httpx.Client, status: int
):
    server.faults.fail(status, times=2)
    answers = [provider.get("/leagues?id=39").status_code for _ in range(3)]
    assert answers == [status, status, 200]


def test_failures_queue_up_in_order(server: SimServer, provider: httpx.Client):
    server.faults.fail(500)
    server.faults.fail(429)
    assert [provider.get("/leagues").status_code for _ in range(3)] == [500, 429, 200]


def test_a_failure_can_be_for_one_path_or_one_fixture(
    world: World, server: SimServer, provider: httpx.Client
):
    sick, well = world.fixture_ids[:2]
    server.faults.fail(500, times=None, path="/teams")
    server.faults.fail(502, times=None, fixture_id=sick)
    assert provider.get("/teams?id=3901").status_code == 500
    assert provider.get(f"/fixtures?id={sick}").status_code == 502
    assert provider.get(f"/fixtures?ids={sick}-{well}").status_code == 502
    assert provider.get(f"/fixtures?id={well}").status_code == 200
    server.faults.clear()
    assert provider.get(f"/fixtures?id={sick}").status_code == 200


def test_a_slow_answer_makes_only_its_client_wait(server: SimServer, provider: httpx.Client):
    server.faults.slow(60.0, path="/leagues")
    with pytest.raises(httpx.ReadTimeout):
        provider.get("/leagues", timeout=0.1)
    assert provider.get("/teams?id=3901").status_code == 200


def test_errors_have_status_200(world: World, server: SimServer, provider: httpx.Client):
    server.faults.errors({"bug": "This is on our side"})
    answer = provider.get("/fixtures", params=batch(world))
    assert answer.status_code == 200
    assert answer.json()["errors"] == {"bug": "This is on our side"}
    assert (answer.json()["results"], answer.json()["response"]) == (0, [])


def test_truncated_json(world: World, server: SimServer, provider: httpx.Client):
    server.faults.truncate()
    answer = provider.get("/fixtures", params=batch(world))
    assert answer.status_code == 200
    with pytest.raises(json.JSONDecodeError):
        answer.json()


def test_html_in_place_of_json(server: SimServer, provider: httpx.Client):
    server.faults.html()
    answer = provider.get("/leagues")
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.text.startswith("<html>")


def test_one_malformed_fixture_among_whole_ones(
    world: World, server: SimServer, provider: httpx.Client
):
    sick = world.fixture_ids[1]
    server.faults.malform(sick)
    first, second, third = provider.get("/fixtures", params=batch(world)).json()["response"]
    assert second["fixture"] == {"id": sick, "date": "soon", "status": None}
    assert first["fixture"]["status"]["short"] == third["fixture"]["status"]["short"] == "NS"
    healed = provider.get("/fixtures", params=batch(world)).json()["response"]
    assert healed[1]["fixture"]["status"]["short"] == "NS"


def test_one_fixture_missing_from_a_batch(world: World, server: SimServer, provider: httpx.Client):
    missing = world.fixture_ids[1]
    server.faults.omit(missing, times=None)
    for path in ("/fixtures?date=2025-05-10", f"/fixtures?{httpx.QueryParams(batch(world))}"):
        answer = provider.get(path).json()
        assert answer["results"] == len(answer["response"])
        assert missing not in {fixture["fixture"]["id"] for fixture in answer["response"]}


def test_faults_are_thrown_listed_and_cleared_over_http(provider: httpx.Client):
    thrown = provider.post("/sim/faults", json={"kind": "fail", "status": 503, "times": 9})
    assert thrown.json()[0]["times"] == 9
    assert provider.get("/leagues").status_code == 503
    assert provider.get("/sim/faults").json()[0]["times"] == 8
    assert provider.post("/sim/faults", json={"clear": True}).json() == []
    assert provider.get("/leagues").status_code == 200


@pytest.mark.parametrize(
    "wanted",
    [{"kind": "explode"}, {"kind": "omit"}, {"times": 1}, {"kind": "fail", "colour": 1}, []],
)
def test_an_unknown_fault_is_refused(provider: httpx.Client, wanted: object):
    assert provider.post("/sim/faults", json=wanted).status_code == 400
    assert provider.get("/sim/faults").json() == []


def test_a_fault_is_used_up_only_by_requests_it_hits():
    faults = Faults()
    faults.add(Fault("fail", times=1, fixture_id=5))
    assert faults.take("/fixtures", {4}) == []
    assert [fault.kind for fault in faults.take("/fixtures", {4, 5})] == ["fail"]
    assert faults.take("/fixtures", {5}) == []
