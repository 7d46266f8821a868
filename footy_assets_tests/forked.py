"""Processes that are started, killed and started again: each forks from one that has loaded what
they need, for loading it takes longer than most of them live."""

from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from typing import Any

WITHIN_SECONDS = 120.0


def fork(work: Callable[..., None], *arguments: Any) -> BaseProcess:
    """A process that has begun `work`; what it needs is a module's function and plain values."""
    context = get_context("forkserver")
    context.set_forkserver_preload([work.__module__])
    process = context.Process(target=work, args=arguments)
    process.start()
    return process


def exit_code(process: BaseProcess) -> int:
    """Of a process that ends by itself, or kills itself: -9."""
    process.join(WITHIN_SECONDS)
    code = process.exitcode
    if code is None:
        process.kill()
        process.join()
    assert code is not None, f"it did not end within {WITHIN_SECONDS:g} s"
    return code
