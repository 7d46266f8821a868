"""T17: channels, as HTTP subscribers: nothing lost, nothing doubled, others not delayed."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

import psutil
import pytest

from footy_assets_tests.triggers.conftest import Stages
from footy_assets_tests.triggers.fake_channel import FakeChannel, channel
from footy_assets_tests.triggers.fake_subscriber import subscriber
from footy_assets_tests.triggers.rules.builders import (
    ALWAYS,
    GAME,
    GOAL_AT_HOME,
    goal,
    goal_of_another_match,
    trigger,
)
from footy_assets_tests.waiting import wait_until
from resources.notify.channels import WORKER, ChannelSubscriber

pytestmark = pytest.mark.slow

EVERY_GOAL = trigger(GOAL_AT_HOME, limits=ALWAYS)


@pytest.fixture(scope="module")
def channels() -> Iterator[ChannelSubscriber]:
    opened = ChannelSubscriber(2.0, private_addresses=True)
    yield opened
    opened.close()


@pytest.fixture
def with_channels(stages: Stages, channels: ChannelSubscriber) -> Stages:
    stages.channels = channels
    return stages


def test_t17_subscriptions_to_a_trigger_an_entity_and_a_match_have_payloads_of_their_own(
    with_channels: Stages,
) -> None:
    stages = with_channels
    his = trigger(GOAL_AT_HOME, limits=ALWAYS, entity_id="8")
    with channel() as one, channel() as entity, channel() as match, subscriber() as hook:
        mine, _ = stages.make(EVERY_GOAL, his)
        say = {"say": "for one trigger"}
        stages.subscribe_channel(one.json_url(), trigger_id=mine, payload=say)
        stages.subscribe_channel(entity.ntfy_url(), entity="user", entity_id="8")
        stages.subscribe_channel(match.json_url(), scope_id=GAME)
        stages.subscribe(hook, entity="user", entity_id="8", payload={"own": 1})
        stages.push(goal(1), goal_of_another_match(1))
        stages.evaluate()
        stages.notify()
    assert [text["message"].partition("\n")[0] for text in one.received] == ["for one trigger"]
    assert len(entity.received) == 1
    assert len(match.received) == 2
    assert [body["payload"] for _, body in hook.received] == [{"own": 1}]
    assert hook.received[0][1]["message"]["title"] == "Goal for home"


def test_t17_a_channel_down_for_an_hour_misses_nothing(with_channels: Stages) -> None:
    stages = with_channels
    with channel("down") as bad, channel() as good:
        stages.make(EVERY_GOAL)
        stages.subscribe_channel(bad.json_url())
        stages.subscribe_channel(good.json_url())
        for minute in range(60):
            if minute % 20 == 0:
                stages.push(goal(minute))
                stages.evaluate()
            stages.notify()
            stages.clock.advance(60)
        assert (len(bad.received), len(good.received)) == (0, 3)
        assert bad.requests < 30, "it backs off"
        bad.behaviour = "ok"
        stages.clock.advance(300)
        stages.notify()
    assert bad.keys == list(dict.fromkeys(bad.keys)), "none comes twice"
    assert len(bad.received) == 3
    assert stages.states() == {"delivered": 6}


@pytest.mark.parametrize("behaviour", ["500", "hang"])
def test_t17_a_failing_channel_delays_no_other(with_channels: Stages, behaviour: str) -> None:
    stages = with_channels
    with channel(behaviour) as bad, channel() as good, subscriber() as hook:
        stages.make(EVERY_GOAL)
        stages.subscribe_channel(bad.json_url())
        stages.subscribe_channel(good.ntfy_url())
        stages.subscribe(hook)
        stages.push(*(goal(n) for n in range(1, 6)))
        stages.evaluate()
        stages.notify()
        assert (len(good.received), len(hook.received)) == (5, 5)
        assert bad.requests == 1, "one message, then all others to it wait"
        bad.behaviour = "ok"
        stages.clock.advance(10)
        stages.notify()
        assert len(bad.received) == 5
    assert stages.states() == {"delivered": 15}


def test_t17_the_process_that_sends_is_killed_in_a_message_and_the_next_one_sends_it(
    stages: Stages,
) -> None:
    """kill -9 of the process of Apprise, while the channel has the message and does not answer."""
    with closing(ChannelSubscriber(None, private_addresses=True)) as own, channel("hang") as fake:
        stages.channels = own
        stages.make(EVERY_GOAL)
        stages.subscribe_channel(fake.json_url())
        stages.push(goal(1), goal(2))
        stages.evaluate()
        with ThreadPoolExecutor(1) as pool:
            sending = pool.submit(stages.notify)
            wait_until(lambda: fake.requests == 1)
            for sender in senders():
                sender.kill()
            assert sending.result().failed == 1
        [waiting, _] = stages.rows()
        assert waiting["last_error"] == "json: the process that sends ended"
        fake.behaviour = "ok"
        stages.clock.advance(60)
        stages.notify()
    assert len(fake.keys) == len(set(fake.keys)) == 2
    assert stages.states() == {"delivered": 2}


def senders() -> list[psutil.Process]:
    """The process that loaded Apprise, and its copies: one for each message."""
    found = []
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if WORKER in process.cmdline():
                found.append(process)
    return found


def test_t17_the_secret_of_a_channel_is_in_no_stored_error(with_channels: Stages) -> None:
    stages = with_channels
    with channel("500") as bad:
        stages.make(EVERY_GOAL)
        id = stages.subscribe_channel(bad.json_url(login="ada:s3cr3t", path="s3cr3t"))
        stages.push(goal(1))
        stages.evaluate()
        stages.notify()
    assert stages.outbox.subscription(id)["last_error"] == "json: HTTP 500"
    assert "s3cr3t" not in str(stages.rows())


def test_t18_what_happens_in_quiet_hours_is_sent_at_their_end(with_channels: Stages) -> None:
    """Also if the channel then fails for an hour: quiet hours are no part of its three hours."""
    stages = with_channels
    now = stages.clock.now()
    quiet = {"start": f"{now:%H:%M}", "end": "07:00", "zone": "UTC"}
    with channel("500") as fake:
        stages.make(EVERY_GOAL)
        stages.subscribe_channel(fake.json_url(), quiet=quiet)
        stages.push(goal(1))
        stages.evaluate()
        stages.notify()
        assert fake.requests == 0
        stages.clock.at = now.replace(day=now.day + 1, hour=7, minute=0)
        for _ in range(12):
            stages.notify()
            stages.clock.advance(300)
        assert stages.states() == {"pending": 1}
        fake.behaviour = "ok"
        stages.clock.advance(300)
        stages.notify()
    assert len(fake.received) == 1


def test_fake_channels_count_what_arrives() -> None:
    assert FakeChannel(port=1).ntfy_url() == "ntfy://127.0.0.1:1/goals"
