"""T15: kill -9 between any two writes of the three stages: nothing is lost, nothing is doubled."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import pytest
from pymongo import MongoClient
from pymongo.database import Database
from pymongo.errors import PyMongoError

from footy_assets.clock import ManualClock
from footy_assets.store.collections import Document
from footy_assets.triggers.replay import replay_scope
from footy_assets_tests.databases import empty_database
from footy_assets_tests.triggers.conftest import Stages
from footy_assets_tests.triggers.fake_channel import FakeChannel, channel
from footy_assets_tests.triggers.fake_subscriber import FakeSubscriber, subscriber
from footy_assets_tests.triggers.one_worker import (
    all_stages,
    channel_subscriber,
    stages_with,
    stages_with_a_channel,
    worker,
)
from footy_assets_tests.triggers.rules.builders import GAME, GOAL_AT_HOME, KICKOFF, option, trigger

pytestmark = pytest.mark.slow

# Most of the time is spent waiting for a dead worker's transaction to expire.
AT_ONCE = 12
KEY = f"game/{GAME}"
EVERY_GOAL = trigger(GOAL_AT_HOME, limits={"scope": 0})
FIRST_HOME = trigger(
    option("team.scores", "eq", 1, options=[option("team", "in", "home")]),
    limits={"scope": 0},
    use_entity_limits=True,
)
SALAH = trigger(option("goal.player", "in", 234))


@contextmanager
def a_match(uri: str) -> Iterator[tuple[Stages, FakeSubscriber]]:
    with (
        empty_database(uri) as name,
        MongoClient[Document](uri, tz_aware=True) as client,
        subscriber() as fake,
    ):
        stages = Stages(client[name], ManualClock(KICKOFF))
        stages.make(EVERY_GOAL, FIRST_HOME, SALAH)
        stages.subscribe(fake)
        yield stages, fake


def end_state(stages: Stages, fake: FakeSubscriber) -> dict[str, object]:
    activations = [
        (d["trigger_id"], d["snapshot_id"], d["retracted_by"])
        for d in stages.triggers.scope_activations(KEY)
    ]
    received = [
        (body["trigger_id"], body["reason"], body.get("retracted", False), body["counts"])
        for body in fake.without_repeats()
    ]
    keys = {(b["trigger_id"], b["reason"], b.get("retracted", False)): k for k, b in fake.received}
    assert len(keys) == len(set(fake.keys)), "a repeated notification has the same key"
    assert replay_scope(stages.database, KEY).matches_live
    counts = [stages.triggers.get(f"t{n}").counts for n in range(3)]
    return {
        "activations": activations,
        "received": received,
        "counts": counts,
        "entity": stages.triggers.entity_limits(("user", "7"), "game", GAME)["counts"],
        "outbox": stages.states(),
        "waiting": stages.snapshots.waiting_scopes(),
        "snapshots": [one.id for _, one in stages.snapshots.numbered(KEY)],
    }


def run_to_the_end(
    stages: Stages, again: Callable[[Database[Document]], None] = all_stages
) -> None:
    """Runs again until everything is delivered; locks and leases of the dead worker expire."""
    for _ in range(60):
        try:
            again(stages.database)
        except PyMongoError:
            time.sleep(0.2)
            continue
        if not stages.snapshots.waiting_scopes() and set(stages.states()) == {"delivered"}:
            return
        time.sleep(0.1)
    raise AssertionError(stages.states())


@pytest.mark.usefixtures("short_transactions")
@pytest.mark.parametrize(("rows", "every"), [(1, 1), (1000, 3)])
def test_t15_a_worker_killed_before_any_write_ends_the_same_when_started_again(
    mongo_uri: str, rows: int, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("footy_assets.triggers.store.evaluation.ROWS_AT_ONCE", rows)
    with a_match(mongo_uri) as (stages, fake):
        writes = worker(mongo_uri, stages.database.name, rows) or 0
        expected = end_state(stages, fake)
    assert writes >= 25, "the scenario makes too few writes"
    assert [outcome[:3] for outcome in expected["received"]] == [  # type: ignore[index]
        ("t0", "s1", False),
        ("t1", "s1", False),
        ("t2", "s3", False),
        ("t0", "s1", True),
        ("t1", "s1", True),
        ("t2", "s3", True),
        ("t0", "s5", False),
    ]
    repeated = []

    def killed_at(number: int) -> dict[str, object]:
        with a_match(mongo_uri) as (stages, fake):
            assert worker(mongo_uri, stages.database.name, rows, number) is None
            run_to_the_end(stages)
            repeated.append(len(fake.received) > len(fake.without_repeats()))
            return end_state(stages, fake)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        points = range(1, writes + 1, every)
        for number, outcome in zip(points, pool.map(killed_at, points), strict=True):
            assert outcome == expected, number
    assert every > 1 or any(repeated), (
        "a kill between a delivery and its record repeats the delivery"
    )


@contextmanager
def a_match_with_a_channel(uri: str) -> Iterator[tuple[Stages, FakeChannel]]:
    with (
        empty_database(uri) as name,
        MongoClient[Document](uri, tz_aware=True) as client,
        channel() as fake,
    ):
        stages = Stages(client[name], ManualClock(KICKOFF))
        stages.make(EVERY_GOAL)
        stages.subscribe_channel(fake.json_url(), id="phone")
        yield stages, fake


@pytest.mark.usefixtures("short_transactions")
def test_t17_a_worker_killed_before_any_write_sends_all_to_a_channel_and_repeats_by_key(
    mongo_uri: str,
) -> None:
    with a_match_with_a_channel(mongo_uri) as (stages, fake):
        writes = worker(mongo_uri, stages.database.name, 1000, stages=stages_with_a_channel) or 0
        keys = fake.keys
    assert len(set(keys)) == len(keys) == 2
    assert writes >= 10, "the scenario makes too few writes"

    def killed_at(number: int) -> list[str | None]:
        with a_match_with_a_channel(mongo_uri) as (stages, fake):
            name = stages.database.name
            assert worker(mongo_uri, name, 1000, number, stages_with_a_channel) is None
            run_to_the_end(stages, lambda database: stages_with(database, to))
            assert stages.states() == {"delivered": 2}
            assert replay_scope(stages.database, KEY).matches_live
            return fake.keys

    # One that is not killed serves them all: each would start a process that loads Apprise.
    with closing(channel_subscriber()) as to, ThreadPoolExecutor(AT_ONCE) as pool:
        received = list(pool.map(killed_at, range(1, writes + 1)))
    for number, came in enumerate(received, start=1):
        assert list(dict.fromkeys(came)) == keys, (number, "all, in order, each with its key")
        assert len(came) <= 3, (number, "only the message whose acceptance was not recorded")
    assert {len(came) for came in received} == {2, 3}
