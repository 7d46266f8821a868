"""The Wikidata client over real HTTP: requests, parsing, retries and failures."""

from collections.abc import Iterator
from typing import Any

import pytest

from footy_assets.clock import ManualClock
from footy_assets.errors import (
    WikidataAnswerInvalid,
    WikidataError,
    WikidataRefused,
    WikidataUnavailable,
)
from footy_assets.retries import RetryPolicy
from footy_assets.search.rules.team_facts import Text, WikiItem
from footy_assets.sim import SimServer, World
from footy_assets.sim.wikidata_items import item
from resources.wikidata.client import Wikidata
from resources.wikidata.translate import parse_hits, parse_items


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def wikidata(sim: SimServer, waits: list[float]) -> Iterator[Wikidata]:
    with Wikidata(sim.wikidata_url, "ops@example.org", sleep=waits.append) as client:
        yield client


def test_se3_a_search_gives_items_in_the_order_of_the_answer(wikidata: Wikidata) -> None:
    found = wikidata.search("Liverpool")
    assert found.unreadable == ()
    assert {"Q1130849", "Q1138356", "Q24826"} <= {hit.id for hit in found.hits}
    assert wikidata.search("atlético mad").hits[0].label == "Atlético Madrid"
    assert wikidata.search("Nobody knows this").hits == ()


def test_se3_items_are_read_with_names_links_and_texts(wikidata: Wikidata) -> None:
    found = wikidata.items(["Q18656", "Q31", "Q99999999999"]).items
    assert set(found) == {"Q18656", "Q31"}, "what does not exist is left out"
    united = found["Q18656"]
    assert united.label == "Manchester United F.C."
    assert "MUFC" in united.aliases
    assert united.links["P31"] == ("Q476028",)
    assert united.texts["P1449"] == (Text("en", "The Red Devils"),)
    assert Text("fr", "Belgique") in found["Q31"].texts["P1705"]


def test_se3_places_cost_their_names_only(wikidata: Wikidata, sim: SimServer) -> None:
    assert wikidata.names(["Q31"]).items["Q31"].texts == {}
    assert sim.wikidata.requests[-1].params["props"] == "labels|aliases"


def test_se3_a_country_is_requested_once(wikidata: Wikidata, sim: SimServer) -> None:
    assert wikidata.country("Q31") == wikidata.country("Q31")
    assert len(sim.wikidata.requests) == 1
    assert wikidata.country("Q99999999999") is None


def test_more_than_fifty_ids_go_out_in_batches(wikidata: Wikidata, sim: SimServer) -> None:
    wikidata.items([f"Q{number}" for number in range(1, 121)])
    batch_sizes = [len(r.params["ids"].split("|")) for r in sim.wikidata.requests]
    assert batch_sizes == [50, 50, 20]


def test_wikimedias_user_agent_policy(wikidata: Wikidata, sim: SimServer) -> None:
    wikidata.search("Liverpool")
    agent = sim.wikidata.requests[-1].user_agent
    assert agent is not None
    assert agent.startswith("footy-assets/")
    assert "(ops@example.org)" in agent


@pytest.mark.parametrize("fault", ["500", "429", "html", "truncate", "maxlag"])
def test_P4_transient_failures_get_three_tries_after_1_and_2_seconds(
    wikidata: Wikidata, sim: SimServer, waits: list[float], fault: str
) -> None:
    faults = sim.wikidata.faults
    for _ in range(2):
        if fault.isdigit():
            faults.fail(int(fault))
        elif fault == "maxlag":
            faults.errors({"maxlag": "Waiting for wdqs1: 7 seconds lagged."})
        else:
            getattr(faults, fault)()
    assert wikidata.search("Liverpool").hits
    assert waits == [1.0, 2.0]
    assert wikidata.calls == 3


@pytest.mark.parametrize(
    ("throw", "kind"),
    [
        ({"kind": "fail", "status": 503}, WikidataUnavailable),
        ({"kind": "fail", "status": 429}, WikidataUnavailable),
        ({"kind": "fail", "status": 403}, WikidataRefused),
        ({"kind": "fail", "status": 404}, WikidataAnswerInvalid),
        ({"kind": "html"}, WikidataUnavailable),
        ({"kind": "empty"}, WikidataAnswerInvalid),
        ({"kind": "errors", "errors": {"badvalue": "no"}}, WikidataAnswerInvalid),
    ],
)
def test_each_failure_has_its_class(
    wikidata: Wikidata, sim: SimServer, throw: dict[str, Any], kind: type[WikidataError]
) -> None:
    from footy_assets.sim import Fault

    sim.wikidata.faults.add(Fault.from_json(throw | {"times": None}))
    for send in (lambda: wikidata.search("x"), lambda: wikidata.items(["Q1"])):
        with pytest.raises(kind):
            send()
    assert len(sim.wikidata.requests) == (6 if kind.retryable else 2)


def test_a_hanging_server_times_out(sim: SimServer, waits: list[float]) -> None:
    sim.wikidata.faults.slow(60, times=None)
    impatient = RetryPolicy(2, 0.1, 1.0, timeout=0.2)
    with (
        Wikidata(sim.wikidata_url, retry=impatient, sleep=waits.append) as client,
        pytest.raises(WikidataUnavailable),
    ):
        client.search("Liverpool")


def test_a_refused_connection_is_unavailable(waits: list[float]) -> None:
    with (
        Wikidata("http://127.0.0.1:9/w/api.php", sleep=waits.append) as client,
        pytest.raises(WikidataUnavailable) as failure,
    ):
        client.search("x")
    assert "FOOTY_WIKIDATA_URL" in failure.value.sentence()


def statement(property_: str, to: str, **more: Any) -> dict[str, Any]:
    made = item("Q1", "x", "", links={property_: [to]})["claims"][property_][0]
    return {**made, **more}


def test_se3_ended_and_deprecated_statements_are_ignored_and_preferred_come_first() -> None:
    raw = item("Q1", "Arsenal F.C.", "")
    raw["claims"] = {
        "P115": [
            statement("P115", "Q10", qualifiers={"P582": [{"snaktype": "value"}]}),
            statement("P115", "Q11", rank="deprecated"),
            statement("P115", "Q12"),
            statement("P115", "Q13", rank="preferred"),
            {"mainsnak": {"snaktype": "somevalue", "property": "P115"}, "rank": "normal"},
        ]
    }
    found = parse_items({"Q1": raw})
    assert found.items["Q1"].links == {"P115": ("Q13", "Q12")}
    assert found.unreadable == ()


@pytest.mark.parametrize(
    "bad",
    [
        None,
        "x",
        {"mainsnak": None},
        {"mainsnak": {"snaktype": "value", "datavalue": {"type": "wikibase-entityid"}}},
        {"mainsnak": {"snaktype": "value", "datavalue": {"type": "string", "value": "Anfield"}}},
    ],
)
def test_se3_an_invalid_statement_is_reported_and_others_are_parsed(bad: Any) -> None:
    raw = item("Q1", "Arsenal F.C.", "", links={"P115": ["Q12"]})
    raw["claims"]["P115"].append(bad)
    found = parse_items({"Q1": raw})
    assert found.items["Q1"].links["P115"] == ("Q12",)
    (reason,) = found.unreadable
    assert reason.startswith("Q1 P115")


@pytest.mark.parametrize("raw", [None, 7, [], {}, {"id": "Q1", "labels": "x"}])
def test_se3_an_invalid_reply_is_reported_and_not_raised(raw: Any) -> None:
    good = item("Q2", "x", "")
    found = parse_items({"Q1": raw, "Q2": good})
    assert list(found.items) == ["Q2"]
    assert len(found.unreadable) == 1
    hits = parse_hits([raw, {"id": "Q2", "label": "x"}])
    assert [hit.id for hit in hits.hits][-1] == "Q2"


def test_a_label_that_is_the_same_in_all_languages() -> None:
    raw = item("Q1", "x", "")
    raw["labels"] = {"mul": {"language": "mul", "value": "Ajax"}}
    assert parse_items({"Q1": raw}).items["Q1"] == WikiItem("Q1", "Ajax", "")


def test_the_simulated_wikidata_knows_every_club_of_its_world(sim: SimServer) -> None:
    world: World = sim.world
    with Wikidata(sim.wikidata_url) as client:
        for script in world.scripts[:5]:
            assert client.search(script.home.name).hits, script.home.name


def test_faults_of_wikidata_are_thrown_over_http_by_its_path(sim: SimServer) -> None:
    import httpx

    thrown = {"kind": "fail", "path": "/w/api.php", "times": None}
    assert httpx.post(f"{sim.url}/sim/faults", json=thrown).status_code == 200
    assert httpx.get(sim.wikidata_url).status_code == 500
    assert httpx.get(f"{sim.url}/status").status_code == 200
    assert isinstance(sim.clock, ManualClock)
