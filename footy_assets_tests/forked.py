"""Processes forked from a server that has preloaded their modules: imports take longer than most
of them run."""

from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from typing import Any

WITHIN_SECONDS = 120.0
# The server starts once in a test process and loads modules only then: those of all its users.
PRELOADED = [
    "pytest",
    "footy_assets_tests.clips.one_clip_worker",
    "footy_assets_tests.clips.traced_worker",
    "footy_assets_tests.history.worker_process",
    "footy_assets_tests.matchday.one_poller",
    "footy_assets_tests.store.one_backup",
    "footy_assets_tests.store.one_migration",
    "footy_assets_tests.triggers.one_worker",
]


def forking() -> ForkServerContext:
    context = get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    return context


def fork(work: Callable[..., None], *arguments: Any) -> BaseProcess:
    """Starts `work`, a function of a module, in a new process; the arguments are plain values."""
    process = forking().Process(target=work, args=arguments)
    process.start()
    return process


def exit_code(process: BaseProcess) -> int:
    """Waits for the process to end; -9 if it killed itself."""
    process.join(WITHIN_SECONDS)
    code = process.exitcode
    if code is None:
        process.kill()
        process.join()
    assert code is not None, f"it did not end within {WITHIN_SECONDS:g} s"
    return code
