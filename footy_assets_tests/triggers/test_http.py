"""T14: the API over a real socket, and its errors for bad input."""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from footy_assets.clock import ManualClock
from footy_assets.store.collections import SNAPSHOTS, SUBSCRIPTIONS, TRIGGERS
from footy_assets.triggers.store.triggers import StoredTrigger, TriggerStore
from footy_assets_tests.databases import empty, empty_database
from footy_assets_tests.gallery.site import TOKEN, running_site
from footy_assets_tests.triggers.conftest import Stages
from footy_assets_tests.triggers.fake_subscriber import subscriber
from footy_assets_tests.triggers.rules.builders import (
    GAME,
    GOAL_AT_HOME,
    KICKOFF,
    document,
    option,
    snap,
)
from resources.embedded.weed import S3Server
from resources.mongo.connection import connect
from resources.s3.client import S3Address
from resources.s3.client import connect as connect_s3
from resources.s3.clip_store import ClipStore

Json = dict[str, Any]


@dataclass
class Api:
    client: httpx.Client
    stages: Stages

    def __call__(self, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        answer = self.client.request(method, f"/api/v1{path}", json=body)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    def make(self, *conditions: Json, **more: Any) -> str:
        body = {"data": {"type": "trigger", "attributes": document(*conditions, **more)}}
        return str(self("POST", "/triggers", body, 201)["data"]["id"])


@pytest.fixture(scope="module")
def shared_api(mongo_uri: str, s3: S3Server) -> Iterator[Api]:
    """One site for all these tests: all its state is in the database."""
    headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
    keys = SecretStr(s3.access_key_id), SecretStr(s3.secret_access_key)
    objects = ClipStore(
        connect_s3(S3Address(s3.endpoint_url, "us-east-1", *keys)), "triggers-over-http"
    )
    objects.ensure_bucket()
    with empty_database(mongo_uri) as name, connect(mongo_uri, name) as database:
        stages = Stages(database, ManualClock(KICKOFF))
        with (
            running_site(database, objects, stages.clock, live=False) as site,
            httpx.Client(base_url=site.url, headers=headers) as client,
        ):
            yield Api(client, stages)


@pytest.fixture
def api(shared_api: Api) -> Iterator[Api]:
    shared_api.stages.clock.at = KICKOFF
    yield shared_api
    empty(shared_api.stages.database)


def json_snapshots(*snapshots: Any) -> list[Json]:
    return [one.model_dump(mode="json", exclude_none=True) for one in snapshots]


def test_t14_create_read_list_update_delete(api: Api) -> None:
    id = api.make(GOAL_AT_HOME, limits={"football.match.half": 1})
    data = api("GET", f"/triggers/{id}")["data"]
    assert (data["id"], data["type"]) == (id, "trigger")
    assert set(data["attributes"]) == {"trigger", "conditions", "limits", "counts"}
    assert data["attributes"]["counts"] == {"scope": 0, "minute": 0}
    assert [one["id"] for one in api("GET", f"/triggers?entity=user&scope_id={GAME}")["data"]] == [
        id
    ]
    assert api("GET", "/triggers?entity_id=8")["data"] == []
    api("PUT", f"/triggers/{id}", {"data": data})
    off = {"data": {"attributes": {"trigger": {"disabled": True}}}}
    patched = api("PATCH", f"/triggers/{id}", off)["data"]["attributes"]
    assert patched["trigger"]["disabled"] is True
    assert patched["limits"] == {"football.match.half": 1}
    api("DELETE", f"/triggers/{id}", status=204)
    api("GET", f"/triggers/{id}", status=404)
    api("DELETE", f"/triggers/{id}", status=404)


def test_t14_from_a_push_to_a_signed_notification(api: Api) -> None:
    with subscriber() as fake:
        body = {"url": fake.url, "secret": fake.secret, "entity": "user"}
        made = api("POST", "/subscriptions", body, 201)["data"]
        assert made["attributes"]["secret"] == fake.secret
        assert "secret" not in api("GET", "/subscriptions")["data"][0]["attributes"]
        id = api.make(GOAL_AT_HOME, payload={"say": "goal!"})
        [single] = json_snapshots(snap(1, goal__team="away"))
        assert api("POST", "/snapshots", single, 202)["data"]["stored"] == ["s1"]
        batch = json_snapshots(snap(1, goal__team="away"), snap(2, goal__team="home"))
        assert api("POST", "/snapshots", batch, 202)["data"] == {"received": 2, "stored": ["s2"]}
        api.stages.evaluate()
        api.stages.notify()
        api("DELETE", f"/subscriptions/{made['id']}", status=204)
    assert fake.reasons == ["s2"]
    [body] = api("GET", f"/triggers/{id}/activations")["data"]
    assert body["attributes"]["payload"] == {"say": "goal!"}
    counts = api("GET", f"/triggers/{id}")["data"]["attributes"]["counts"]
    assert counts == {"scope": 1, "minute": 0}


def test_the_password_in_a_subscribers_url_is_in_no_answer_and_no_stored_error(api: Api) -> None:
    url = "http://ada:s3cr3t-w0rd@127.0.0.1:9/hook"
    made = api("POST", "/subscriptions", {"url": url}, 201)
    api.make(GOAL_AT_HOME)
    api("POST", "/snapshots", json_snapshots(snap(1, goal__team="home")), 202)
    api.stages.evaluate()
    for _ in range(100):
        api.stages.notify()
        api.stages.clock.advance(300)
    [dead] = api("GET", "/notifications/dead")["data"]
    assert dead["attributes"]["last_error"] == "127.0.0.1:9: All connection attempts failed"
    [listed] = api("GET", "/subscriptions")["data"]
    assert listed["attributes"]["url"] == "http://********@127.0.0.1:9/hook"
    assert "s3cr3t" not in str([made, dead, listed])
    assert "s3cr3t" not in str(api.stages.rows())


def test_t11_a_payload_is_returned_unchanged(api: Api) -> None:
    payload = {"$set": {"a.b": [1, None, True, 1.5]}, "": "ü", "text": "two\nlines"}
    id = api.make(GOAL_AT_HOME, payload=payload)
    api("PUT", f"/triggers/{id}", api("GET", f"/triggers/{id}"))
    api("POST", "/snapshots", json_snapshots(snap(1, goal__team="home")), 202)
    api.stages.evaluate()
    [body] = api("GET", f"/triggers/{id}/activations")["data"]
    assert body["attributes"]["payload"] == payload


def test_t13_explain_over_http(api: Api) -> None:
    id = api.make(GOAL_AT_HOME)
    api("POST", f"/triggers/{id}/explain", status=404)
    api("POST", "/snapshots", json_snapshots(snap(1, goal__team="away")), 202)
    body = api("POST", f"/triggers/{id}/explain", {"snapshot_id": "s1"})["data"]["attributes"]
    assert body["conditions"][0]["options"][0] == {
        "event": "football.goal.team",
        "compare": "in",
        "targets": ["home"],
        "value": "away",
        "result": False,
    }
    [other] = json_snapshots(snap(9, goal__team="home"))
    body = api("POST", f"/triggers/{id}/explain", {"snapshot": other})["data"]["attributes"]
    assert body["fired"] is True
    assert api.stages.triggers.get(id).counts == {}


def test_t9_limits_over_http(api: Api) -> None:
    id = api.make(GOAL_AT_HOME, use_entity_limits=True)
    path = f"/entities/user/7/limits?scope_id={GAME}"
    assert api("PUT", path, {"scope": 2})["data"] == {"limits": {"scope": 2}, "counts": {}}
    api("POST", "/snapshots", json_snapshots(snap(1, goal__team="home")), 202)
    api.stages.evaluate()
    assert api("GET", path)["data"]["counts"] == {"scope": 1}
    raised = api("PUT", f"/triggers/{id}/limits", {"scope": 3})["data"]["attributes"]
    assert (raised["limits"], raised["counts"]) == ({"scope": 3}, {"scope": 1, "minute": 0})
    wrong = api("PUT", f"/triggers/{id}/limits", {"scope": "many"}, 422)
    assert wrong["errors"][0]["field"] == "limits.scope"
    assert api("PUT", path, {"football.goals": 1}, 422)["errors"][0]["field"] == "football.goals"


def test_t14_changes_made_at_the_same_time_are_all_kept(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One switches the trigger off while another sets its limits."""
    id = api.make(GOAL_AT_HOME)
    get, off = TriggerStore.get, iter([True])

    def read_by_the_other(store: TriggerStore, wanted: str) -> StoredTrigger:
        found = get(store, wanted)
        if next(off, False):
            head = {"trigger": {"disabled": True}}
            api("PATCH", f"/triggers/{id}", {"data": {"attributes": head}})
        return found

    monkeypatch.setattr(TriggerStore, "get", read_by_the_other)
    body = api("PUT", f"/triggers/{id}/limits", {"scope": 3})["data"]["attributes"]
    assert (body["trigger"]["disabled"], body["limits"]) == (True, {"scope": 3})


def deep(levels: int) -> Json:
    return {"a": deep(levels - 1)} if levels else {}


BAD: dict[str, tuple[Any, str]] = {
    "unknown event": (document(option("golas", "in", "home")), "conditions.0.event"),
    "wrong type": (document(option("match.minute", "ge", "late")), "conditions.0.targets"),
    "empty targets": (document(option("goal.team", "in")), "conditions.0.targets"),
    "huge targets": (
        document(option("goal.team", "in", *map(str, range(5000)))),
        "conditions.0.targets",
    ),
    "huge conditions": (document(*[GOAL_AT_HOME] * 500), "conditions"),
    "no conditions": (document(), "conditions"),
    "no entity": ({"trigger": {"scope_id": GAME}, "conditions": [GOAL_AT_HOME]}, "trigger.entity"),
    "wrong limit": (document(GOAL_AT_HOME, limits={"scope": 1.5}), "limits.scope"),
    "unknown limit": (
        document(GOAL_AT_HOME, limits={"football.goals": 1}),
        "limits.football.goals",
    ),
    "threshold": (
        document(GOAL_AT_HOME, use_condition_threshold=True, threshold=2),
        "trigger.threshold",
    ),
    "no object": ([1, 2], ""),
    "a huge number": (document(option("match.minute", "ge", 10**400)), "conditions.0.targets"),
    "a null byte": (document(option("goal.player", "in", "a\0")), "conditions.0.targets"),
    "a huge payload number": (document(GOAL_AT_HOME, payload={"n": 2**70}), "trigger.payload"),
    "a payload key": (document(GOAL_AT_HOME, payload={"a\0": 1}), "trigger.payload"),
    "half a letter": (document(GOAL_AT_HOME, payload={"a": "\ud800"}), "trigger.payload"),
    "half a name": (document(GOAL_AT_HOME, entity="\ud800"), "trigger.entity"),
    "a deep payload": (document(GOAL_AT_HOME, payload=deep(100)), "trigger.payload"),
    "a payload of the database's words": (
        document(GOAL_AT_HOME, payload={"a": {"$ref": "x", "$id": "y"}}),
        "trigger.payload",
    ),
    "all but one counted": (
        document(option("team", "ne", "home", options=[option("team.scores", "eq", 1)])),
        "conditions.0.compare",
    ),
    "unknown field": ({**document(GOAL_AT_HOME), "colour": "red"}, "colour"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_trigger_is_422_names_the_field_and_stores_nothing(api: Api, name: str) -> None:
    body, field = BAD[name]
    body = json.dumps({"data": {"attributes": body}})
    answer = api.client.post("/api/v1/triggers", content=body)
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert field in {error["field"] for error in answer.json()["errors"]}
    assert api.stages.database[TRIGGERS].count_documents({}) == 0


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/snapshots", {"id": "x"}, "datasource"),
        ("/snapshots", [], "body"),
        ("/snapshots", [{"id": f"s{n}", "options": {}} for n in range(1001)], "body"),
        (
            "/snapshots",
            {**json_snapshots(snap(1, goal__team="home"))[0], "options": {"nope": 1}},
            "options",
        ),
        *(
            ("/snapshots", {**json_snapshots(snap(1, goal__team="home"))[0], **wrong}, field)
            for wrong, field in (
                (
                    {"options": {"football.team.corners": [3], "football.team": "home"}},
                    "options",
                ),
                ({"options": {"football.team.corners": {}}}, "options"),
                ({"options": {"football.team.corners": {"$ref": 1, "$id": 2}}}, "options"),
                ({"timestamp": "0001-01-01T00:00:00Z"}, "timestamp"),
                ({"timestamp": "0001-01-01T00:00:00+14:00"}, "timestamp"),
                ({"timestamp": "9999-12-31T23:59:59-14:00"}, "timestamp"),
            )
        ),
        ("/subscriptions", {"url": "ftp://x"}, "url"),
        ("/subscriptions", {"url": "http://x", "secret": "short"}, "secret"),
    ],
)
def test_other_bad_input_is_422_and_stores_nothing(
    api: Api, path: str, body: Any, field: str
) -> None:
    wrong = api("POST", path, body, 422)
    assert field in {error["field"].split(".")[0] for error in wrong["errors"]}
    for collection in (SNAPSHOTS, SUBSCRIPTIONS):
        assert api.stages.database[collection].count_documents({}) == 0


def test_invalid_or_too_deep_json_is_a_problem_and_no_server_error(api: Api) -> None:
    nested = '{"a":' * 900 + "1" + "}" * 900
    for path in ("/snapshots", "/triggers", "/subscriptions"):
        for body in (b"[" * 8_000, nested.encode(), b"{", b"\xff", b"null"):
            answer = api.client.post(f"/api/v1{path}", content=body)
            assert answer.status_code in (400, 422), (path, body[:10], answer.text)
            assert answer.headers["content-type"] == "application/problem+json"


def test_one_bad_snapshot_of_a_batch_keeps_all_of_it_out(api: Api) -> None:
    batch = json_snapshots(snap(1, goal__team="home"), snap(2, goal__team="home"))
    batch[1]["timestamp"] = "yesterday"
    wrong = api("POST", "/snapshots", batch, 422)
    assert wrong["errors"][0]["field"] == "1.timestamp"
    assert api.stages.database[SNAPSHOTS].count_documents({}) == 0


def test_nothing_changes_without_the_token(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    id = api.make(GOAL_AT_HOME)
    monkeypatch.delitem(api.client.headers, "authorization")
    tried = [
        *(("POST", "/triggers"), ("PUT", f"/triggers/{id}"), ("PATCH", f"/triggers/{id}")),
        *(("DELETE", f"/triggers/{id}"), ("PUT", f"/triggers/{id}/limits")),
        *(("POST", "/snapshots"), ("POST", "/subscriptions"), ("GET", "/subscriptions")),
        *(("GET", "/notifications/dead"), ("POST", "/notifications/k/replay")),
        *(("PUT", "/entities/user/7/limits?scope_id=1"), ("POST", "/entities/user/7/disable")),
        ("POST", "/entities/user/7/enable"),
    ]
    for method, path in tried:
        api(method, path, {}, 401)
    assert api("GET", f"/triggers/{id}")["data"]["id"] == id


def test_t19_a_wrong_target_is_422_with_suggestions(api: Api) -> None:
    wrong = api("POST", "/triggers", document(option("card.type", "eq", "yelow")), 422)
    (error,) = wrong["errors"]
    assert (error["field"], error["suggestions"]) == ("conditions.0.targets", ["yellow"])
    assert 'did you mean "yellow"' in wrong["detail"]
    id = api.make(GOAL_AT_HOME)
    late = {"conditions": [option("match.minute", "gt", 500)]}
    api("PATCH", f"/triggers/{id}", late, 422)
    made = api("POST", "/triggers", document(option("goal.player", "in", "306")), 201)
    (warning,) = made["warnings"]
    assert "accepted unchecked" in warning["message"]


def test_t22_an_entity_is_disabled_and_enabled_at_once(api: Api) -> None:
    ids = [api.make(GOAL_AT_HOME), api.make(GOAL_AT_HOME, scope_id="6000")]
    other = api.make(GOAL_AT_HOME, entity_id="8")
    path = "/entities/user/7"
    assert sorted(api("POST", f"{path}/disable")["data"]["changed"]) == sorted(ids)
    api("POST", "/snapshots", json_snapshots(snap(1, goal__team="home")), 202)
    api.stages.evaluate()
    assert api.stages.fired() == [(other, "s1")]
    assert api("POST", f"{path}/enable?scope_id={GAME}")["data"]["changed"] == ids[:1]
    api("POST", "/snapshots", json_snapshots(snap(2, goal__team="home")), 202)
    api.stages.evaluate()
    assert api.stages.fired() == [(other, "s1"), (ids[0], "s2")]
    assert api("POST", f"{path}/enable")["data"] == {"disabled": False, "changed": ids[1:]}


def test_t20_a_trigger_keeps_the_id_of_its_document(api: Api) -> None:
    assert api.make(GOAL_AT_HOME, id="3b25f2f5") == "3b25f2f5"
    again = api("POST", "/triggers", document(GOAL_AT_HOME, id="3b25f2f5"), 422)
    assert again["errors"][0]["field"] == "trigger.id"
    api("PUT", "/triggers/3b25f2f5", document(GOAL_AT_HOME, id="other"), 422)
    shown = api("GET", "/triggers/3b25f2f5")["data"]["attributes"]["trigger"]
    assert shown["id"] == "3b25f2f5"


def test_t21_another_sport_over_http(api: Api) -> None:
    known = api("GET", "/triggers/metadata?sport=baseball&scope_id=g1")["data"]["attributes"]
    assert known["limits"][2]["limit"] == "baseball.inningNumber"
    api("GET", "/triggers/metadata?sport=curling", status=422)
    home_run = {"event": "baseball.atbat.outcomes", "compare": "in", "targets": ["HR"]}
    id = api.make(home_run, scope_id="g1")
    snapshot = {
        **json_snapshots(snap(1, goal__team="home"))[0],
        "sport": "baseball",
        "scope_id": "g1",
        "options": {"baseball.atbat.outcomes": "HIT,HR"},
    }
    api("POST", "/snapshots", snapshot, 202)
    api.stages.evaluate()
    assert api.stages.fired("game/g1") == [(id, "s1")]


def test_t21_the_curl_of_the_docs_pushes_a_snapshot_that_fires(api: Api) -> None:
    page = (Path(__file__).parents[2] / "docs" / "triggers.md").read_text()
    (example,) = re.findall(r"curl -X POST (\S+)/snapshots \\\n(.*\\\n.*)\n", page)
    words = shlex.split(example[1].replace("$FOOTY_API_TOKEN", TOKEN))
    body = words[words.index("-d") + 1]
    written = {name: value for name, _, value in (w.partition(": ") for w in words) if value}
    *_, document_ = re.findall(r"^```json\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    id = api("POST", "/triggers", json.loads(document_), 201)["data"]["id"]
    headers = {name: written[name] for name in ("Authorization", "Content-Type")}
    path = "/api/v1/snapshots"
    assert example[0] == "http://127.0.0.1:3080/api/v1"
    answer = httpx.post(f"{api.client.base_url}{path}", content=body, headers=headers)
    assert (answer.status_code, answer.json()["data"]["stored"]) == (202, ["pitch-1"])
    api.stages.evaluate()
    assert api.stages.fired("game/game-1") == [(id, "pitch-1")]


def test_t2_metadata_draws_a_form(api: Api) -> None:
    events = api("GET", f"/triggers/metadata?scope_id={GAME}")["data"]["attributes"]["events"]
    by_name = {one["event"]: one for one in events}
    assert set(by_name["football.team.scores"]) >= {
        "label",
        "type",
        "compare",
        "input",
        "parent",
        "targets_from",
        "targets",
    }
    assert by_name["football.team.scores"]["parent"] == "football.team"
    assert [one["value"] for one in by_name["football.team"]["targets"]] == ["home", "away"]
    assert len(by_name) == 33
