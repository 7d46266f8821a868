"""`footy follow` and the commands about subscriptions, with real receivers on loopback."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from pymongo.database import Database

from footy_assets.store.collections import EVENTS, Document
from footy_assets_tests.fixtures.entry_point import run_here
from footy_assets_tests.triggers.fake_channel import channel
from footy_assets_tests.triggers.fake_subscriber import subscriber
from footy_assets_tests.triggers.test_follow import put_goal, put_match

pytestmark = pytest.mark.slow

NOWHERE = "json://127.0.0.1:9/hook"

Footy = Callable[..., CompletedProcess[str]]


@pytest.fixture
def footy(mongo_uri: str, database: Database[Document], tmp_path: Path) -> Footy:
    env = {
        "FOOTY_HOME": str(tmp_path / "home"),
        "FOOTY_MONGO_URI": mongo_uri,
        "FOOTY_MONGO_DATABASE": database.name,
        "FOOTY_NOTIFY_PRIVATE_ADDRESSES": "true",
    }

    def run(*arguments: str, stdin: str = "", **more: str) -> CompletedProcess[str]:
        done = run_here(arguments, {**env, **more}, stdin.encode())
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return run


def json_of(done: CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_t18_a_team_is_followed_listed_and_removed(
    footy: Footy, database: Database[Document]
) -> None:
    put_match(database, 5000)
    assert "Nothing is followed yet" in footy("follow", "list").stdout
    when = ("--quiet", "23:00-07:00", "--zone", "Europe/London")
    made = json_of(
        footy("follow", "team", "liverpool", "--to", NOWHERE, "--cap", "5", *when, "--json")
    )
    assert (made["kind"], made["name"], made["cap"]) == ("team", "Liverpool", 5)
    assert made["to"] == "json://********"
    assert json_of(footy("follow", "list", "--json")) == [made]
    shown = footy("follow", "list").stdout
    assert "team Liverpool" in shown
    assert "23:00–07:00 Europe/London" in shown
    removed = json_of(footy("follow", "remove", made["id"], "--json"))
    assert removed == {"id": made["id"], "deleted": True}
    assert json_of(footy("follow", "list", "--json")) == []
    assert footy("follow", "remove", made["id"]).returncode == 4


def test_t18_without_an_address_messages_are_for_open_pages(
    footy: Footy, database: Database[Document]
) -> None:
    put_match(database, 5000)
    done = footy("follow", "match", "5000")
    assert done.stdout.endswith("match Liverpool – Chelsea is followed, to open pages only\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("team", "Liverpol"), "Liverpool"),
        (("team", "Liverpool", "--to", "nosuch://x"), "no channel that we can send to"),
        (("team", "Liverpool", "--quiet", "25:00-07:00"), "Write them as 23:00-07:00"),
        (("team", "Liverpool", "--quiet", "23:00-07:00", "--zone", "Mars/Base"), "Mars/Base"),
    ],
)
def test_t19_a_mistake_is_one_sentence_and_nothing_is_followed(
    footy: Footy, database: Database[Document], arguments: tuple[str, ...], sentence: str
) -> None:
    put_match(database, 5000)
    done = footy("follow", *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert json_of(footy("follow", "list", "--json")) == []


def test_t17_a_channel_is_subscribed_tested_and_unsubscribed(footy: Footy) -> None:
    with channel() as fake:
        # Its address comes on stdin: no history of commands has its secret.
        secret = fake.json_url(login="me:s3cr3t")
        made = json_of(footy("triggers", "subscribe", "--to", "-", "--json", stdin=f"{secret}\n"))
        listed = footy("triggers", "subscriptions")
        assert "s3cr3t" not in listed.stdout + json.dumps(made)
        tested = footy("triggers", "test", made["id"])
        assert "the test message was accepted" in tested.stdout
        assert fake.titles == ["footy: test message"]
        fake.behaviour = "500"
        failed = footy("triggers", "test", made["id"], "--json")
        assert failed.returncode != 0
        assert json.loads(failed.stdout)["error"] == "json: HTTP 500"
        assert "s3cr3t" not in failed.stdout + failed.stderr
        json_of(footy("triggers", "unsubscribe", made["id"], "--json"))
        assert footy("triggers", "test", made["id"]).returncode == 4
        assert fake.requests == 2


def test_t17_a_test_message_to_a_webhook_is_signed(footy: Footy) -> None:
    with subscriber() as fake:
        made = json_of(footy("triggers", "subscribe", "--to", fake.url, "--json"))
        fake.secret = made["secret"]
        assert json_of(footy("triggers", "test", made["id"], "--json"))["delivered"] is True
    [(_, body)] = fake.received
    assert body["test"] is True


def test_t17_a_private_address_is_refused_unless_it_is_allowed(footy: Footy) -> None:
    with channel() as fake:
        made = json_of(footy("triggers", "subscribe", "--to", fake.json_url(), "--json"))
        closed = {"FOOTY_NOTIFY_PRIVATE_ADDRESSES": "false"}
        refused = footy("triggers", "test", made["id"], **closed)
        assert "not an address of the public internet" in refused.stderr
        assert fake.requests == 0


def test_t16_explain_says_that_somebody_waits_for_a_goal(
    footy: Footy, database: Database[Document]
) -> None:
    goal = put_goal(database, put_match(database, 5000))
    assert json_of(footy("explain", goal.event_id, "--json"))["preferred"] is False
    database[EVENTS].update_one({"_id": goal.key}, {"$set": {"preferred": True}})
    assert json_of(footy("explain", goal.event_id, "--json"))["preferred"] is True
    assert "somebody waits for it: searched for" in footy("explain", goal.event_id).stdout
