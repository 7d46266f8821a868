"""T12, T15: notifications over a real MongoDB and real HTTP."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from footy_assets.errors import NotFound
from footy_assets_tests.triggers.conftest import Stages
from footy_assets_tests.triggers.fake_subscriber import subscriber
from footy_assets_tests.triggers.rules.builders import (
    ALWAYS,
    GOAL_AT_HOME,
    goal,
    goal_of_another_match,
    trigger,
)
from footy_assets_tests.waiting import wait_until

pytestmark = pytest.mark.slow


def test_t12_subscribers_get_their_notifications_in_order(stages: Stages) -> None:
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
    assert [body["entity_id"] for _, body in only_his.received] == ["8"] * 5
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
        assert fake.received == []
        assert other.reasons == [f"s{n}" for n in range(0, 60, 10)]
        tries = fake.requests
        assert tries < 30, "it backs off"
        fake.behaviour = "ok"
        stages.clock.advance(300)
        stages.notify()
    assert fake.reasons == [f"s{n}" for n in range(0, 60, 10)]
    assert len(set(fake.keys)) == 6
    assert stages.states() == {"delivered": 12}


@pytest.mark.parametrize("behaviour", ["500", "hang", "drip"])
def test_t12_a_failing_subscriber_delays_no_other(stages: Stages, behaviour: str) -> None:
    with subscriber(behaviour) as bad, subscriber() as good:  # type: ignore[arg-type]
        stages.make(trigger(GOAL_AT_HOME, limits=ALWAYS))
        stages.subscribe(bad)
        stages.subscribe(good)
        stages.push(*(goal(n) for n in range(1, 20)), goal_of_another_match(1))
        stages.evaluate()
        stages.notify()
        assert good.reasons == [f"s{n}" for n in range(1, 20)]
        assert bad.requests == 1, "one request, then all notifications to it wait"
        bad.behaviour = "ok"
        stages.clock.advance(10)
        stages.notify()
        assert bad.reasons == good.reasons
    assert stages.states() == {"delivered": 38}


def test_t12_while_one_hangs_others_get_new_notifications(stages: Stages) -> None:
    stages.timeout = 6.0
    with subscriber("hang") as bad, subscriber() as good:
        stages.make(trigger(GOAL_AT_HOME, limits=ALWAYS))
        stages.subscribe(bad)
        stages.subscribe(good)
        stages.push(goal(1))
        stages.evaluate()
        with ThreadPoolExecutor(1) as pool:
            notifying = pool.submit(stages.notify)
            wait_until(lambda: good.reasons == ["s1"] and bad.requests == 1)
            stages.push(goal(2))
            stages.evaluate()
            wait_until(lambda: good.reasons == ["s1", "s2"])
            assert not notifying.done(), "the other still hangs"
            bad.stopping.set()
            assert notifying.result().delivered == 2


def test_t12_a_response_sent_twice_counts_once(stages: Stages) -> None:
    with subscriber("twice") as fake:
        stages.make(trigger(GOAL_AT_HOME, limits=ALWAYS))
        stages.subscribe(fake)
        stages.push(*(goal(n) for n in range(1, 6)))
        stages.evaluate()
        stages.notify()
    assert fake.reasons == [f"s{n}" for n in range(1, 6)]
    assert stages.states() == {"delivered": 5}


def test_t12_an_undeliverable_notification_is_a_dead_letter_to_resend(
    stages: Stages,
) -> None:
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
        stages.outbox.resend(first["_id"], stages.clock.now())
        stages.notify()
    assert fake.received[0][0] == first["_id"]
    assert stages.states() == {"dead": 1, "delivered": 1}
    with pytest.raises(NotFound):
        stages.outbox.resend(first["_id"], stages.clock.now())


def test_t12_an_unsubscribed_url_gets_no_more(stages: Stages) -> None:
    with subscriber() as fake:
        stages.make(trigger(GOAL_AT_HOME, limits=ALWAYS))
        id = stages.subscribe(fake)
        stages.push(goal(1))
        stages.evaluate()
        stages.outbox.unsubscribe(id, stages.clock.now())
        stages.push(goal(2))
        stages.evaluate()
        stages.notify()
    assert fake.received == []
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
