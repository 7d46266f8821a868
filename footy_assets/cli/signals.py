"""Commands that run until they are stopped."""

import signal
from threading import Event
from types import FrameType


def stop_on_signals() -> Event:
    """An event that Ctrl-C, SIGTERM or a closed terminal sets."""
    stopped = Event()

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.set()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    return stopped
