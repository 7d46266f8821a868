"""The Dagster UI of `footy up` obeys its own pages and programs here, and nobody else."""

import json
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from footy_assets_tests.runtime.foreign_page import attack, served
from footy_assets_tests.runtime.graphql import query
from footy_assets_tests.runtime.stack import Stack

pytestmark = pytest.mark.slow

CODE = {"repositoryName": "__repository__", "repositoryLocationName": "footy_assets"}
SENSOR = """query($sensor: SensorSelector!) {
  sensorOrError(sensorSelector: $sensor) { ... on Sensor { id sensorState { status } } }
}"""
REMOVALS = '{ runsOrError(filter: {pipelineName: "remove_clip"}) { ... on Runs { count } } }'
STOP = """mutation($id: String!) {
  stopSensor(id: $id) { ... on StopSensorMutationResult { instigationState { status } } }
}"""
START = """mutation($sensor: SensorSelector!) {
  startSensor(sensorSelector: $sensor) { ... on Sensor { sensorState { status } } }
}"""
LAUNCH = "mutation($p: ExecutionParams!) { launchRun(executionParams: $p) { __typename } }"
# A sensor that no other test waits for.
RETENTION = {**CODE, "sensorName": "retention"}
REMOVAL = {
    "selector": {**CODE, "jobName": "remove_clip"},
    "runConfigData": json.dumps(
        {"ops": {"take_clip_away": {"config": {"clip_id": "x", "why": "an attack"}}}}
    ),
}
FETCH = """async ([body, headers]) => {
  const sent = {method: "POST", headers, body: JSON.stringify(body)};
  return await (await fetch("/graphql", sent)).json();
}"""
SUBSCRIBE = """() => new Promise((resolve, reject) => {
  const socket = new WebSocket(location.origin.replace("http", "ws") + "/graphql", "graphql-ws");
  socket.onopen = () => socket.send(JSON.stringify({type: "connection_init", payload: {}}));
  socket.onmessage = message => resolve(JSON.parse(message.data).type);
  socket.onerror = reject;
})"""


def sensor(up: Stack) -> dict[str, Any]:
    found: dict[str, Any] = query(up.ui(), SENSOR, sensor=RETENTION)["sensorOrError"]
    return found


def start_again(up: Stack) -> None:
    """Again until it holds: a tick of Dagster's daemon that ends in the same moment reads the
    sensor's state and writes it back, and so may undo what was asked for between the two."""

    def holds() -> bool:
        query(up.ui(), START, sensor=RETENTION)
        return bool(sensor(up)["sensorState"]["status"] == "RUNNING")

    up.wait_until(holds, 30)


def removals(up: Stack) -> int:
    return int(query(up.ui(), REMOVALS)["runsOrError"]["count"])


def mutations(up: Stack) -> list[dict[str, Any]]:
    return [
        {"query": STOP, "variables": {"id": sensor(up)["id"]}},
        {"query": LAUNCH, "variables": {"p": REMOVAL}},
    ]


def by_the_page(page: Page, text: str, **variables: Any) -> Any:
    body = {"query": text, "variables": variables}
    return page.evaluate(FETCH, [body, {"Content-Type": "application/json"}])["data"]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_page_of_another_origin_changes_nothing(up: Stack, browser: Browser, host: str) -> None:
    """127.0.0.1 at another port is the same site for a browser, localhost is not."""
    sent = mutations(up)
    with served(attack(up.ui(), sent)) as port:
        page = browser.new_page()
        page.goto(f"http://{host}:{port}/")
        # Two mutations as an image and two forms each, two fetches, one WebSocket.
        page.wait_for_function("done.length >= 9", timeout=60_000)
        done = page.evaluate("done")
        page.close()
    assert (sensor(up)["sensorState"]["status"], removals(up)) == ("RUNNING", 0)
    assert "socket refused" in done
    assert "socket open" not in done


def test_the_ui_itself_reads_changes_and_subscribes(up: Stack, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    # Under another name of this machine than the one that the stack printed.
    page.goto(f"{up.ui().replace('127.0.0.1', 'localhost')}/automation")
    expect(page.get_by_text("retention", exact=True).first).to_be_visible(timeout=60_000)
    assert page.evaluate(SUBSCRIBE) == "connection_ack"
    try:
        stopped = by_the_page(page, STOP, id=sensor(up)["id"])["stopSensor"]
        started = by_the_page(page, START, sensor=RETENTION)["startSensor"]
    finally:
        start_again(up)
    assert stopped == {"instigationState": {"status": "STOPPED"}}
    assert started == {"sensorState": {"status": "RUNNING"}}
    page.goto(up.gallery())
    page.get_by_role("link", name="Dagster").first.click()
    expect(page.get_by_text("live_events").or_(page.get_by_text("Overview")).first).to_be_visible(
        timeout=60_000
    )
    page.close()


def test_mutations_come_by_post_as_json_only(up: Stack) -> None:
    url, stop = f"{up.ui()}/graphql", mutations(up)[0]
    as_parameters = {"query": STOP, "variables": json.dumps(stop["variables"])}
    refused = [
        httpx.get(url, params=as_parameters),
        httpx.get(url, params=as_parameters, headers={"Accept": "application/json"}),
        httpx.head(url, params=as_parameters),
        httpx.put(url, json=stop),
        httpx.post(url, params=as_parameters),
        httpx.post(url, data=as_parameters),
        httpx.post(url, files={"query": STOP.encode()}, params=as_parameters),
        *(
            httpx.post(url, content=json.dumps(stop), headers={"Content-Type": kind})
            for kind in ("text/plain", "text/plain; application/json", "application/graphql", "")
        ),
    ]
    assert [answer.status_code for answer in refused] == [405] * 4 + [415] * 7
    page = httpx.get(url, params=as_parameters, headers={"Accept": "text/html"})
    assert "GraphiQL" in page.text
    assert sensor(up)["sensorState"]["status"] == "RUNNING"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:3000", ""])
def test_the_ui_answers_under_names_of_this_machine_only(up: Stack, host: str) -> None:
    """DNS rebinding: a foreign page must not read the UI under its own host name."""
    for path in ("/", "/server_info", "/graphql"):
        assert httpx.get(up.ui() + path, headers={"Host": host}).status_code == 421


def test_its_pages_cannot_be_framed_and_its_answers_not_read(up: Stack) -> None:
    headers = httpx.get(up.ui()).headers
    assert headers["x-frame-options"] == "SAMEORIGIN"
    assert headers["cross-origin-resource-policy"] == "same-origin"
