"""Loops that run in one process until it is stopped."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event

Stopped = Callable[[], bool]


def run_side_by_side(loops: Sequence[Callable[[Stopped], None]], stopped: Stopped) -> None:
    """Each in a thread. If one raises, all end, and the error is raised."""
    failed = Event()

    def is_over() -> bool:
        return failed.is_set() or stopped()

    def run(loop: Callable[[Stopped], None]) -> None:
        try:
            loop(is_over)
        except BaseException:
            failed.set()
            raise

    with ThreadPoolExecutor(len(loops), thread_name_prefix="listen") as pool:
        running = [pool.submit(run, loop) for loop in loops]
    for one in running:
        one.result()
