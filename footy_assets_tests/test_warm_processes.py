"""Processes that are started once, before runs fork, and that all of them use."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from benchmarks.fuzz_media import write_film
from footy_assets import warm_processes
from footy_assets.media import cell_worker
from footy_assets.media.cell import CELL_ENVIRONMENT, TEMPLATE, DecodingCell
from footy_assets.warm_processes import start_warm_process
from footy_assets_tests.forked import exit_code, fork
from footy_assets_tests.waiting import wait_until
from resources.downloads.process import DOWNLOAD_ENVIRONMENT, WORKER, DownloadProcess

pytestmark = pytest.mark.slow


def children(module: str) -> set[psutil.Process]:
    found = set()
    for one in psutil.Process().children():
        # One that has ended has no command line.
        with suppress(psutil.Error):
            found |= {one} if module in one.cmdline() else set()
    return found


@pytest.fixture
def inherited(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is started in the test ends with it."""
    started: dict[str, object] = {}
    monkeypatch.setattr(warm_processes, "_inherited", started)
    yield
    for connection, process in started.values():  # type: ignore[misc]
        connection.close()
        process.wait(30.0)


@pytest.fixture
def template(inherited: None) -> psutil.Process:
    before = children(TEMPLATE)
    start_warm_process(TEMPLATE, CELL_ENVIRONMENT, niceness=3)
    wait_until(lambda: bool(children(TEMPLATE) - before))
    (template,) = children(TEMPLATE) - before
    return template


@pytest.fixture
def film(tmp_path: Path) -> Path:
    return write_film(tmp_path / "film.mp4", "mp4")


def test_a_cell_reads_in_a_fork_of_the_template(template: psutil.Process, film: Path) -> None:
    before = children(cell_worker.__name__)
    with DecodingCell() as first, DecodingCell() as second:
        assert first.probe(film).frames == second.probe(film).frames == 30
        assert first.probe(film).frames == 30
        assert len(template.children()) == 2, "one for each cell"
        assert {one.nice() for one in template.children()} == {3}
        assert any("Landlock" in one or "limits" in one for one in first.protections())
        assert children(cell_worker.__name__) == before, "no process of their own"
    wait_until(lambda: not template.children())


def test_a_cell_starts_its_own_process_when_the_template_was_killed(
    template: psutil.Process, film: Path
) -> None:
    with DecodingCell() as cell:
        assert cell.probe(film).frames == 30
        os.killpg(template.pid, signal.SIGKILL)
        wait_until(lambda: template.status() == psutil.STATUS_ZOMBIE)
        before = children(cell_worker.__name__)
        assert cell.probe(film).frames == 30
        assert len(children(cell_worker.__name__) - before) == 1


def probe_and_die(folder: str) -> None:
    """In a process that starts a template, forks, and is killed."""
    start_warm_process(TEMPLATE, CELL_ENVIRONMENT)
    (template,) = children(TEMPLATE)
    (Path(folder) / "template").write_text(str(template.pid))
    if (copy := os.fork()) == 0:
        cell = DecodingCell()
        cell.probe(Path(folder) / "film.mp4")
        os.kill(os.getpid(), signal.SIGKILL)
    _, status = os.waitpid(copy, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    wait_until(lambda: not template.children())
    with DecodingCell() as another:
        assert another.probe(Path(folder) / "film.mp4").frames == 30
    os._exit(0)


def test_a_fork_uses_what_it_inherits_and_a_killed_one_leaves_nothing_behind(film: Path) -> None:
    assert exit_code(fork(probe_and_die, str(film.parent))) == 0
    template = int((film.parent / "template").read_text())
    wait_until(lambda: not psutil.pid_exists(template))


def test_downloads_are_handed_to_the_warm_process(inherited: None, tmp_path: Path) -> None:
    start_warm_process(WORKER, DOWNLOAD_ENVIRONMENT)
    downloads = DownloadProcess()
    before = children(WORKER)
    job = {
        "url": "http://127.0.0.1:9/film.mp4",
        "into": str(tmp_path),
        "name": "video-0",
        "max_bytes": 1000,
        "max_received": 1000,
        "height": 720,
        "cookies": [],
        "seconds": 30.0,
        "hosts": [],
        "clip_hosts": [],
        "private_addresses": False,
    }
    assert "failed" in downloads.run(job, lambda: None)
    assert children(WORKER) == before, "no process of its own"
    downloads.close()
