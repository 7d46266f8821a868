"""T7, T9, T11, T15: evaluation over a real MongoDB, and its replay."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pymongo.database import Database

from footy_assets.clock import Clock
from footy_assets.errors import Busy
from footy_assets.store.collections import TRIGGERS, Document
from footy_assets.triggers.evaluate import Evaluator
from footy_assets.triggers.explain import explain_trigger
from footy_assets.triggers.replay import replay_scope
from footy_assets.triggers.rules.engine import Engine, Step
from footy_assets.triggers.rules.snapshot import Snapshot
from footy_assets_tests.triggers.conftest import Stages
from footy_assets_tests.triggers.fake_subscriber import subscriber
from footy_assets_tests.triggers.rules.builders import (
    ALWAYS,
    GAME,
    GOAL_AT_HOME,
    KEY,
    SECOND_HOME_GOAL,
    goal,
    goal_of_another_match,
    snap,
    trigger,
)

pytestmark = pytest.mark.slow


def test_t11_a_notification_has_all_fields(stages: Stages) -> None:
    with subscriber() as fake:
        stages.make(trigger(GOAL_AT_HOME, limits={"football.match.half": 1}, payload={"say": "!"}))
        stages.subscribe(fake)
        stages.push(goal(1, match__half=2))
        stages.evaluate()
        stages.notify()
    [(_, body)] = fake.received
    explanation = body.pop("explanation")
    assert body.pop("message")["title"] == "Goal for home", "in words, for people"
    assert body == {
        "payload": {"say": "!"},
        "limits": {"football.match.half": 1},
        "counts": {"scope": 1, "football.match.half/2": 1},
        "next": True,
        "trigger_id": "t0",
        "entity": "user",
        "entity_id": "7",
        "scope": "game",
        "scope_id": GAME,
        "reason": "s1",
    }
    assert explanation["conditions"][0]["options"][0]["value"] == "home"


def test_t11_a_retraction_follows_and_limits_are_not_refunded(stages: Stages) -> None:
    with subscriber() as fake:
        [id] = stages.make(trigger(GOAL_AT_HOME))
        stages.subscribe(fake)
        stages.push(goal(1), snap(2, var__outcome="goal cancelled", cancels="s1"), goal(3))
        stages.evaluate()
        stages.notify()
    assert [(b["reason"], b.get("retracted", False)) for _, b in fake.received] == [
        ("s1", False),
        ("s1", True),
    ]
    assert len(set(fake.keys)) == 2
    assert stages.triggers.get(id).counts == {"scope": 1}


def test_t15_snapshots_one_by_one_or_all_at_once_or_by_a_fresh_worker_end_the_same(
    stages: Stages,
) -> None:
    several = [
        trigger(GOAL_AT_HOME, limits={"minute": 1}),
        trigger(SECOND_HOME_GOAL),
        trigger(GOAL_AT_HOME, limits=ALWAYS, use_entity_limits=True),
    ]
    moments = [
        goal(1),
        goal(2, "away"),
        snap(3, var__outcome="goal cancelled", team="home", cancels="s1"),
        goal(4, goal__player=9),
        goal(5, goal__player=7, replaces="s4"),
        goal(6),
    ]
    stages.make(*several)
    for one in moments:
        stages.push(one)
        stages.evaluator = Evaluator(stages.database, stages.clock)
        stages.evaluate()
    step_by_step = stages.triggers.scope_activations(KEY)
    again = replay_scope(stages.database, KEY)
    assert again.matches_live
    assert len(again.live) >= 4
    assert [d["retracted_by"] for d in step_by_step if d["snapshot_id"] == "s1"] == ["s3", "s3"]


def test_t7_a_trigger_created_midway_fires_on_later_and_counts_earlier_snapshots(
    stages: Stages,
) -> None:
    stages.push(goal(1))
    stages.evaluate()
    stages.push(goal(2))
    stages.make(trigger(SECOND_HOME_GOAL), trigger({**SECOND_HOME_GOAL, "targets": [3]}))
    stages.evaluate()
    assert stages.fired() == []
    stages.push(goal(3))
    stages.evaluate()
    assert stages.fired() == [("t1", "s3")]
    assert replay_scope(stages.database, KEY).matches_live


def test_t9_a_raised_limit_revives_and_a_replay_still_agrees(stages: Stages) -> None:
    [id] = stages.make(trigger(GOAL_AT_HOME, limits={"scope": 1}))
    stages.push(goal(1), goal(2))
    stages.evaluate()
    stages.triggers.update(id, trigger(GOAL_AT_HOME, limits={"scope": 2}), stages.clock.now())
    stages.push(goal(3), goal(4))
    stages.evaluate()
    assert stages.fired() == [("t0", "s1"), ("t0", "s3")]
    assert stages.triggers.get(id).counts == {"scope": 2}
    limits = {"scope": 3, "football.goal.team": 5}
    stages.triggers.update(id, trigger(GOAL_AT_HOME, limits=limits), stages.clock.now())
    assert stages.triggers.get(id).counts == {"scope": 2, "football.goal.team/home": 2}
    stages.push(goal(5))
    stages.evaluate()
    stages.triggers.delete(id, stages.clock.now())
    stages.push(goal(6))
    stages.evaluate()
    again = replay_scope(stages.database, KEY)
    assert again.matches_live
    assert [document["reason"] for document in again.live] == ["s1", "s3", "s5"]


def test_t9_changes_between_two_snapshots_are_replayed_in_their_order(stages: Stages) -> None:
    often = trigger(GOAL_AT_HOME, limits=ALWAYS)
    changed, deleted = stages.make(often, often)
    stages.triggers.update(changed, trigger(SECOND_HOME_GOAL), stages.clock.now())
    stages.triggers.delete(deleted, stages.clock.now())
    stages.push(goal(1), goal(2))
    stages.evaluate()
    assert stages.fired() == [(changed, "s2")]
    assert replay_scope(stages.database, KEY).matches_live
    assert explain_trigger(stages.database, changed, "s1")["fired"] is False


def test_t9_entity_limits_are_set_counted_and_replayed(stages: Stages) -> None:
    every = trigger(GOAL_AT_HOME, limits=ALWAYS, use_entity_limits=True)
    stages.make(every, every)
    me = ("user", "7")
    stages.triggers.set_entity_limits(me, "game", GAME, {"scope": 3}, stages.clock.now())
    stages.push(goal(1), goal(2), goal(3))
    stages.evaluate()
    assert stages.fired() == [("t0", "s1"), ("t1", "s1"), ("t0", "s2")]
    document = stages.triggers.set_entity_limits(me, "game", GAME, {"scope": 4}, stages.clock.now())
    assert document == {"limits": {"scope": 4}, "counts": {"scope": 3}}
    stages.push(goal(4))
    stages.evaluate()
    assert stages.fired()[3:] == [("t0", "s4")]
    assert replay_scope(stages.database, KEY).matches_live


def test_t15_two_workers_at_once_count_once(stages: Stages) -> None:
    stages.make(trigger(GOAL_AT_HOME, limits=ALWAYS), trigger(SECOND_HOME_GOAL))
    stages.push(*(goal(n) for n in range(1, 31)))
    workers = [Evaluator(stages.database, stages.clock) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            list(pool.map(lambda worker: worker.run(), workers))
    assert len(stages.fired()) == 31
    assert stages.triggers.get("t0").counts == {"scope": 30}
    assert stages.snapshots.waiting_scopes() == []


def test_t15_a_trigger_changed_while_it_is_evaluated_is_read_again(stages: Stages) -> None:
    [id] = stages.make(trigger(GOAL_AT_HOME, limits=ALWAYS))
    stages.push(goal(1))
    stages.evaluate()
    off = trigger(GOAL_AT_HOME, limits=ALWAYS, disabled=True)
    stages.triggers.update(id, off, stages.clock.now())
    stages.push(goal(2))
    stages.evaluate()
    assert stages.fired() == [("t0", "s1")]


def test_t15_a_match_that_cannot_be_evaluated_delays_no_other(
    stages: Stages, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = Engine.step

    def broken(engine: Engine, snapshot: Snapshot, number: int) -> Step:
        if snapshot.scope_id == GAME:
            raise TypeError("it is broken")
        return step(engine, snapshot, number)

    monkeypatch.setattr(Engine, "step", broken)
    there = trigger(GOAL_AT_HOME, scope_id="6000")
    stages.make(trigger(GOAL_AT_HOME), there)
    stages.push(goal(1), goal_of_another_match(2))
    done = stages.evaluate()
    assert done.failures == [f"{KEY}: TypeError: it is broken"]
    assert stages.fired("game/6000") == [("t1", "x2")]
    monkeypatch.undo()
    assert stages.evaluate().failures == []
    assert stages.fired() == [("t0", "s1")]


def test_t15_thousands_of_activations_are_written_in_parts_and_once(stages: Stages) -> None:
    """More rows than fit into one transaction, twice, with a worker killed in between."""
    every = trigger(GOAL_AT_HOME, limits={"scope": 2}, use_entity_limits=True)
    stages.triggers.create(every, stages.clock.now(), "t")
    stages.triggers.set_entity_limits(
        ("user", "7"), "game", GAME, {"scope": 5_500}, stages.clock.now()
    )
    [document] = stages.database[TRIGGERS].find()
    stages.database[TRIGGERS].insert_many(
        [{**document, "_id": f"t{n:04}", "order": f"{n:09}"} for n in range(2_999)]
    )
    stages.push(goal(1), goal(2))
    killer = Dying(stages.database, stages.clock)
    with pytest.raises(Killed):
        killer.run()
    assert stages.triggers.scope(KEY)["partly"] == 2_000
    with pytest.raises(Busy):
        stages.triggers.delete("t0001", stages.clock.now())
    stages.evaluate()
    assert "partly" not in stages.triggers.scope(KEY)
    assert len(stages.fired()) == 5_500
    assert len(set(stages.fired())) == 5_500
    assert stages.triggers.entity_limits(("user", "7"), "game", GAME)["counts"] == {"scope": 5_500}
    assert replay_scope(stages.database, KEY).matches_live


class Killed(BaseException):
    """Stands for the death of the process; no `except Exception` catches it."""


class Dying(Evaluator):
    """Raises `Killed` after two parts of the first snapshot."""

    def __init__(self, database: Database[Document], clock: Clock) -> None:
        super().__init__(database, clock)
        write, parts = self._store._write_part, []

        def part(*document: Any) -> None:
            if len(parts) == 2:
                raise Killed
            parts.append(document)
            write(*document)

        self._store._write_part = part  # type: ignore[method-assign]
