"""P3: a step is stopped for lack of progress, not for being slow."""

from collections.abc import Iterator
from threading import Event, current_thread

import pytest

from footy_assets.errors import Stalled
from footy_assets.progress import Watchdog, heartbeat


class StepClock:
    """A clock that the watched step advances itself."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def release() -> Iterator[Event]:
    event = Event()
    yield event
    event.set()


def test_p3_a_step_that_reports_progress_may_take_long() -> None:
    clock = StepClock()

    def slow() -> str:
        for _ in range(5):
            clock.at += 59
            heartbeat()
        return "done"

    assert Watchdog(monotonic=clock).run("slow", slow) == "done"
    assert clock.at == 295


def test_p3_a_silent_step_is_stopped_after_a_minute(release: Event) -> None:
    clock = StepClock()

    def silent() -> None:
        clock.at = 61
        release.wait(30)

    with pytest.raises(Stalled, match="silent: no progress within 60 s"):
        Watchdog(monotonic=clock).run("silent", silent)


def test_p3_the_safety_net_stops_a_step_that_never_ends(release: Event) -> None:
    clock = StepClock()

    def endless() -> None:
        while clock.at <= 300:
            clock.at += 50
            heartbeat()
        release.wait(30)

    with pytest.raises(Stalled, match="not done within 300 s"):
        Watchdog(monotonic=clock).run("endless", endless)


def test_p3_a_step_that_was_abandoned_ends_at_its_next_heartbeat(release: Event) -> None:
    clock, threads, went_on = StepClock(), [], Event()

    def late() -> None:
        threads.append(current_thread())
        clock.at = 61
        release.wait(30)
        heartbeat()
        went_on.set()

    with pytest.raises(Stalled):
        Watchdog(monotonic=clock).run("late", late)
    release.set()
    threads[0].join(5)
    assert not threads[0].is_alive()
    assert not went_on.is_set()


def test_p3_an_error_of_the_step_is_raised_as_it_is() -> None:
    def broken() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        Watchdog().run("broken", broken)


def test_p3_outside_a_watchdog_a_heartbeat_does_nothing() -> None:
    heartbeat()
