"""Only one worker compiles the tests: in a fresh clone each of them would, all at the same time."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir

from footy_assets_tests.waiting import wait_until

TESTS = Path(__file__).parent
# The others go on without the first if it takes longer, or has died.
WAIT_SECONDS = 60.0


@contextmanager
def one_worker_first() -> Iterator[None]:
    """Around the collection: the others wait until the first has compiled everything."""
    worker, run = (os.environ.get(f"PYTEST_XDIST_{name}") for name in ("WORKER", "TESTRUNUID"))
    if worker is None:
        yield
        return
    done = Path(gettempdir()) / f"footy-tests-{run}.collected"
    if worker != "gw0":
        if not is_compiled():
            with suppress(AssertionError):
                wait_until(done.exists, WAIT_SECONDS)
        yield
        return
    try:
        yield
    finally:
        done.touch()


def remove_mark() -> None:
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if os.environ.get("PYTEST_XDIST_WORKER") == "gw0":
        (Path(gettempdir()) / f"footy-tests-{run}.collected").unlink(missing_ok=True)


def is_compiled() -> bool:
    """Whether the last of all test files is in pytest's cache."""
    last = max(TESTS.rglob("test_*.py"))
    return any((last.parent / "__pycache__").glob(f"{last.stem}.*-pytest-*.pyc"))
