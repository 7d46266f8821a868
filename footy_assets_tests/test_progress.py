"""P3: ended for lack of progress, not for being slow."""

from collections.abc import Iterator
from threading import Event, current_thread

import pytest

from footy_assets.errors import Stalled
from footy_assets.progress import Watch, beat


class Hands:
    """A clock whose hands are moved by the step that is watched."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def release() -> Iterator[Event]:
    event = Event()
    yield event
    event.set()


def test_p3_a_step_that_proves_progress_may_take_long() -> None:
    hands = Hands()

    def slow() -> str:
        for _ in range(5):
            hands.at += 59
            beat()
        return "done"

    assert Watch(monotonic=hands).over("slow", slow) == "done"
    assert hands.at == 295


def test_p3_a_silent_step_is_ended_after_a_minute(release: Event) -> None:
    hands = Hands()

    def silent() -> None:
        hands.at = 61
        release.wait(30)

    with pytest.raises(Stalled, match="silent: no progress within 60 s"):
        Watch(monotonic=hands).over("silent", silent)


def test_p3_the_safety_net_ends_what_never_ends(release: Event) -> None:
    hands = Hands()

    def endless() -> None:
        while hands.at <= 300:
            hands.at += 50
            beat()
        release.wait(30)

    with pytest.raises(Stalled, match="not done within 300 s"):
        Watch(monotonic=hands).over("endless", endless)


def test_p3_a_step_that_was_given_up_ends_at_its_next_beat(release: Event) -> None:
    hands, threads, lived_on = Hands(), [], Event()

    def late() -> None:
        threads.append(current_thread())
        hands.at = 61
        release.wait(30)
        beat()
        lived_on.set()

    with pytest.raises(Stalled):
        Watch(monotonic=hands).over("late", late)
    release.set()
    threads[0].join(5)
    assert not threads[0].is_alive()
    assert not lived_on.is_set()


def test_p3_a_step_s_own_failure_is_its_own() -> None:
    def broken() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        Watch().over("broken", broken)


def test_p3_outside_a_watch_a_beat_means_nothing() -> None:
    beat()
