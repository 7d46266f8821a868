"""Only one worker compiles the tests: in a fresh clone each of them would, all at the same time."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir

from footy_assets_tests.waiting import wait_until

TESTS = Path(__file__).parent
FIRST = "gw0"
# The others go on without the first if it takes longer, or has died.
WAIT_SECONDS = 60.0


@contextmanager
def one_worker_first() -> Iterator[None]:
    """Around the collection: the others wait until the first has compiled everything."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker not in (None, FIRST) and not is_compiled():
        with suppress(AssertionError):
            wait_until(mark().exists, WAIT_SECONDS)
    try:
        yield
    finally:
        if worker == FIRST:
            mark().touch()


def mark() -> Path:
    """Exists once the first worker has collected."""
    return Path(gettempdir()) / f"footy-tests-{os.environ['PYTEST_XDIST_TESTRUNUID']}.collected"


def remove_mark() -> None:
    if os.environ.get("PYTEST_XDIST_WORKER") == FIRST:
        mark().unlink(missing_ok=True)


def is_compiled() -> bool:
    """Whether the last of all test files is in pytest's cache."""
    last = max(TESTS.rglob("test_*.py"))
    return any((last.parent / "__pycache__").glob(f"{last.stem}.*-pytest-*.pyc"))
