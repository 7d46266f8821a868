"""T1, T11–T13, T15: store, evaluate, notify, over a real MongoDB and real HTTP."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pymongo.database import Database

from footy_assets.clock import Clock
from footy_assets.errors import Busy, NotFound
from footy_assets.operations.triggers import Evaluator, explain, replay_scope
from footy_assets.store.collections import TRIGGERS, Document
from footy_assets.triggers.engine import Engine, Step
from footy_assets.triggers.snapshot import Snapshot
from footy_assets_tests.triggers.conftest import Stages
from footy_assets_tests.triggers.subscriber import subscriber
from footy_assets_tests.triggers.words import GAME, GOAL_AT_HOME, option, snap, trigger

KEY = f"game/{GAME}"
ALWAYS = {"scope": 0}
SECOND = option("team.scores", "eq", 2, options=[option("team", "in", "home")])


def goal(number: int, team: str = "home", **more: object):
    return snap(number, goal__team=team, **more)


def elsewhere(number: int):
    return goal(number).model_copy(update={"id": f"x{number}", "scope_id": "6000"})


# -- store --------------------------------------------------------------------------------


def test_t1_the_same_id_twice_is_one_snapshot(stages: Stages) -> None:
    assert stages.push(goal(1), goal(2), goal(1)) == ["s1", "s2"]
    assert stages.push(goal(2), goal(3)) == ["s3"]
    assert [(n, s.id) for n, s in stages.snapshots.numbered(KEY)] == [
        (1, "s1"),
        (2, "s2"),
        (3, "s3"),
    ]


def test_t1_a_stored_snapshot_reads_as_it_was_told(stages: Stages) -> None:
    told = snap(1, goal__team="home", goal__player=234, match__half=1, replaces="s0")
    stages.push(told)
    assert stages.snapshots.get("s1") == (1, told)


def test_t15_many_writers_at_once_number_a_scope_without_gaps(stages: Stages) -> None:
    with ThreadPoolExecutor(6) as pool:
        batches = [[goal(n) for n in range(first, first + 8)] for first in range(0, 40, 4)]
        list(pool.map(lambda batch: stages.push(*batch), batches))
    numbered = stages.snapshots.numbered(KEY)
    assert [number for number, _ in numbered] == list(range(1, 45))
    assert {one.id for _, one in numbered} == {f"s{n}" for n in range(44)}


# -- evaluate -----------------------------------------------------------------------------


def test_t11_a_notification_tells_everything(stages: Stages) -> None:
    with subscriber() as fake:
        stages.make(trigger(GOAL_AT_HOME, limits={"football.match.half": 1}, payload={"say": "!"}))
        stages.subscribe(fake)
        stages.push(goal(1, match__half=2))
        stages.evaluate()
        stages.notify()
    [(_, body)] = fake.heard
    explanation = body.pop("explanation")
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
    assert [(b["reason"], b.get("retracted", False)) for _, b in fake.heard] == [
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
        trigger(SECOND),
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
    step_by_step = stages.triggers.told(KEY)
    again = replay_scope(stages.database, KEY)
    assert again.same
    assert len(again.live) >= 4
    assert [d["retracted_by"] for d in step_by_step if d["snapshot_id"] == "s1"] == ["s3", "s3"]


def test_t7_a_trigger_made_in_the_middle_hears_what_comes_and_counts_what_was(
    stages: Stages,
) -> None:
    stages.push(goal(1))
    stages.evaluate()
    stages.push(goal(2))
    stages.make(trigger(SECOND), trigger({**SECOND, "targets": [3]}))
    stages.evaluate()
    assert stages.told() == []
    stages.push(goal(3))
    stages.evaluate()
    assert stages.told() == [("t1", "s3")]
    assert replay_scope(stages.database, KEY).same


def test_t9_a_raised_limit_revives_and_a_replay_still_agrees(stages: Stages) -> None:
    [id] = stages.make(trigger(GOAL_AT_HOME, limits={"scope": 1}))
    stages.push(goal(1), goal(2))
    stages.evaluate()
    stages.triggers.update(id, trigger(GOAL_AT_HOME, limits={"scope": 2}), stages.clock.now())
    stages.push(goal(3), goal(4))
    stages.evaluate()
    assert stages.told() == [("t0", "s1"), ("t0", "s3")]
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
    assert again.same
    assert [told["reason"] for told in again.live] == ["s1", "s3", "s5"]


def test_t9_changes_between_two_snapshots_are_replayed_in_their_order(stages: Stages) -> None:
    often = trigger(GOAL_AT_HOME, limits=ALWAYS)
    changed, deleted = stages.make(often, often)
    stages.triggers.update(changed, trigger(SECOND), stages.clock.now())
    stages.triggers.delete(deleted, stages.clock.now())
    stages.push(goal(1), goal(2))
    stages.evaluate()
    assert stages.told() == [(changed, "s2")]
    assert replay_scope(stages.database, KEY).same
    assert explain(stages.database, changed, "s1")["fired"] is False


def test_t9_entity_limits_are_set_counted_and_replayed(stages: Stages) -> None:
    every = trigger(GOAL_AT_HOME, limits=ALWAYS, use_entity_limits=True)
    stages.make(every, every)
    me = ("user", "7")
    stages.triggers.set_entity_limits(me, "game", GAME, {"scope": 3}, stages.clock.now())
    stages.push(goal(1), goal(2), goal(3))
    stages.evaluate()
    assert stages.told() == [("t0", "s1"), ("t1", "s1"), ("t0", "s2")]
    told = stages.triggers.set_entity_limits(me, "game", GAME, {"scope": 4}, stages.clock.now())
    assert told == {"limits": {"scope": 4}, "counts": {"scope": 3}}
    stages.push(goal(4))
    stages.evaluate()
    assert stages.told()[3:] == [("t0", "s4")]
    assert replay_scope(stages.database, KEY).same


def test_t15_two_workers_at_once_count_once(stages: Stages) -> None:
    stages.make(trigger(GOAL_AT_HOME, limits=ALWAYS), trigger(SECOND))
    stages.push(*(goal(n) for n in range(1, 31)))
    workers = [Evaluator(stages.database, stages.clock) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            list(pool.map(lambda worker: worker.run(), workers))
    assert len(stages.told()) == 31
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
    assert stages.told() == [("t0", "s1")]


def test_t13_a_stored_snapshot_is_explained_as_it_was_in_its_place(stages: Stages) -> None:
    stages.make(trigger(SECOND))
    stages.push(goal(1), goal(2), goal(3))
    stages.evaluate()
    fired = [explain(stages.database, "t0", f"s{n}")["fired"] for n in (1, 2, 3)]
    assert fired == [False, True, False]
    seen = explain(stages.database, "t0", "s3")["conditions"][0]["options"][0]
    assert (seen["before"], seen["value"], seen["of"]) == (2, 3, ["home"])
    assert explain(stages.database, "t0", goal(4))["satisfied"] is False
    assert explain(stages.database, "t0")["snapshot_id"] == "s3"
    with pytest.raises(NotFound):
        explain(stages.database, "t0", "s9")


def test_t13_what_was_before_a_trigger_did_not_make_it_fire(stages: Stages) -> None:
    stages.push(goal(1))
    stages.make(trigger(GOAL_AT_HOME))
    told = explain(stages.database, "t0", "s1")
    assert (told["satisfied"], told["listens"], told["fired"]) == (True, False, False)


def test_t15_a_match_that_cannot_be_evaluated_holds_up_no_other(
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
    stages.push(goal(1), elsewhere(2))
    done = stages.evaluate()
    assert done.failures == [f"{KEY}: TypeError: it is broken"]
    assert stages.told("game/6000") == [("t1", "x2")]
    monkeypatch.undo()
    assert stages.evaluate().failures == []
    assert stages.told() == [("t0", "s1")]


def test_t15_what_thousands_wait_for_is_written_in_parts_and_told_once(stages: Stages) -> None:
    """More than fits into one transaction, twice, with a worker that dies in the middle."""
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
    assert len(stages.told()) == 5_500
    assert len(set(stages.told())) == 5_500
    assert stages.triggers.entity_limits(("user", "7"), "game", GAME)["counts"] == {"scope": 5_500}
    assert replay_scope(stages.database, KEY).same


class Killed(BaseException):
    """The process is gone at this point; nothing may catch it."""


class Dying(Evaluator):
    """Dies after two parts of the first snapshot."""

    def __init__(self, database: Database[Document], clock: Clock) -> None:
        super().__init__(database, clock)
        write, parts = self._store._part, []

        def part(*told: Any) -> None:
            if len(parts) == 2:
                raise Killed
            parts.append(told)
            write(*told)

        self._store._part = part  # type: ignore[method-assign]


# -- notify -------------------------------------------------------------------------------


def test_t12_subscribers_hear_what_concerns_them_in_order(stages: Stages) -> None:
    hers, his = (
        trigger(GOAL_AT_HOME, limits=ALWAYS),
        trigger(GOAL_AT_HOME, limits=ALWAYS, entity_id="8"),
    )
    with subscriber() as everything, subscriber() as only_his:
        stages.make(hers, his)
        stages.subscribe(everything)
        stages.subscribe(only_his, entity="user", entity_id="8")
        stages.push(*(goal(n) for n in range(1, 6)))
        stages.evaluate()
        stages.notify()
    assert everything.reasons == [f"s{n}" for n in range(1, 6) for _ in range(2)]
    assert [body["entity_id"] for _, body in only_his.heard] == ["8"] * 5
    assert stages.states() == {"delivered": 15}


def test_t12_a_subscriber_down_for_an_hour_misses_nothing(stages: Stages) -> None:
    with subscriber("down") as fake, subscriber() as other:
        stages.make(trigger(GOAL_AT_HOME, limits=ALWAYS))
        stages.subscribe(fake)
        stages.subscribe(other)
        for minute in range(60):
            if minute % 10 == 0:
                stages.push(goal(minute))
                stages.evaluate()
            stages.notify()
            stages.clock.advance(60)
        assert fake.heard == []
        assert other.reasons == [f"s{n}" for n in range(0, 60, 10)]
        tries = fake.asked
        assert tries < 30, "it backs off"
        fake.behaviour = "ok"
        stages.clock.advance(300)
        stages.notify()
    assert fake.reasons == [f"s{n}" for n in range(0, 60, 10)]
    assert len(set(fake.keys)) == 6
    assert stages.states() == {"delivered": 12}


@pytest.mark.parametrize("behaviour", ["500", "hang", "drip"])
def test_t12_a_failing_subscriber_delays_nobody(stages: Stages, behaviour: str) -> None:
    with subscriber(behaviour) as bad, subscriber() as good:  # type: ignore[arg-type]
        stages.make(trigger(GOAL_AT_HOME, limits=ALWAYS))
        stages.subscribe(bad)
        stages.subscribe(good)
        stages.push(*(goal(n) for n in range(1, 20)), elsewhere(1))
        stages.evaluate()
        started = time.monotonic()
        stages.notify()
        assert time.monotonic() - started < 4
        assert good.reasons == [f"s{n}" for n in range(1, 20)]
        assert bad.asked == 1, "one knock, then it waits with all its lanes"
        bad.behaviour = "ok"
        stages.clock.advance(10)
        stages.notify()
        assert bad.reasons == good.reasons
    assert stages.states() == {"delivered": 38}


def test_t12_while_one_hangs_others_hear_what_is_new(stages: Stages) -> None:
    stages.timeout = 6.0
    with subscriber("hang") as bad, subscriber() as good:
        stages.make(trigger(GOAL_AT_HOME, limits=ALWAYS))
        stages.subscribe(bad)
        stages.subscribe(good)
        stages.push(goal(1))
        stages.evaluate()
        with ThreadPoolExecutor(1) as pool:
            notifying = pool.submit(stages.notify)
            until(lambda: good.reasons == ["s1"] and bad.asked == 1)
            stages.push(goal(2))
            stages.evaluate()
            until(lambda: good.reasons == ["s1", "s2"])
            assert not notifying.done(), "the other still hangs"
            bad.stopping.set()
            assert notifying.result().delivered == 2


def until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 5
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_t12_an_answer_given_twice_is_taken_once(stages: Stages) -> None:
    with subscriber("twice") as fake:
        stages.make(trigger(GOAL_AT_HOME, limits=ALWAYS))
        stages.subscribe(fake)
        stages.push(*(goal(n) for n in range(1, 6)))
        stages.evaluate()
        stages.notify()
    assert fake.reasons == [f"s{n}" for n in range(1, 6)]
    assert stages.states() == {"delivered": 5}


def test_t12_what_is_never_taken_is_a_dead_letter_and_may_be_sent_again(stages: Stages) -> None:
    with subscriber("500") as fake:
        stages.make(trigger(GOAL_AT_HOME, limits=ALWAYS))
        stages.subscribe(fake)
        stages.push(goal(1), goal(2))
        stages.evaluate()
        for _ in range(100):
            stages.notify()
            stages.clock.advance(300)
        assert stages.states() == {"dead": 2}
        [first] = [d for d in stages.outbox.dead_letters() if d["body"]["reason"] == "s1"]
        assert first["last_error"].endswith("HTTP 500")
        fake.behaviour = "ok"
        stages.outbox.replay(first["_id"], stages.clock.now())
        stages.notify()
    assert fake.heard[0][0] == first["_id"]
    assert stages.states() == {"dead": 1, "delivered": 1}
    with pytest.raises(NotFound):
        stages.outbox.replay(first["_id"], stages.clock.now())


def test_t12_who_unsubscribes_hears_no_more(stages: Stages) -> None:
    with subscriber() as fake:
        stages.make(trigger(GOAL_AT_HOME, limits=ALWAYS))
        id = stages.subscribe(fake)
        stages.push(goal(1))
        stages.evaluate()
        stages.outbox.unsubscribe(id, stages.clock.now())
        stages.push(goal(2))
        stages.evaluate()
        stages.notify()
    assert fake.heard == []
    assert stages.states() == {"dropped": 1}


def test_t15_two_notifiers_at_once_keep_the_order(stages: Stages) -> None:
    with subscriber() as fake:
        stages.make(trigger(GOAL_AT_HOME, limits=ALWAYS))
        stages.subscribe(fake)
        stages.push(*(goal(n) for n in range(1, 31)))
        stages.evaluate()
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(lambda _: stages.notify(), range(3)))
        stages.notify()
    assert fake.reasons == [f"s{n}" for n in range(1, 31)]
