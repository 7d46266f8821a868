"""Files from outside are read in a process that can do nothing else."""

import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import numpy as np
import psutil
import pytest

from benchmarks.fuzz_media import CONTAINERS, fuzz, write_film
from footy_assets.errors import NotFound, Stalled
from footy_assets.media import (
    DecodeLimits,
    UnreadableReason,
    VideoUnreadable,
    cell_worker,
    probe,
    scan,
)
from footy_assets.media import cell as cell_module
from footy_assets.media.cell import DecodingCell
from footy_assets.media.confinement import MEBIBYTE, ProcessLimits, confine
from footy_assets.media.errors import CellUnavailable
from footy_assets_tests.fixtures.films import RenderFilm
from footy_assets_tests.forked import exit_code, fork
from footy_assets_tests.media import broken_worker
from footy_assets_tests.media.bad_files import (
    late_stream,
    memory_bomb,
    upside_down,
    without_start,
)
from footy_assets_tests.media.cells import shared_cell
from footy_assets_tests.waiting import wait_until

pytestmark = pytest.mark.slow

# Fewer than 250 damaged files: about ten seconds of a core. `benchmarks.fuzz_media` reads more.
FUZZED_FILES = 240


def workers(module: str = cell_worker.__name__) -> set[psutil.Process]:
    """The workers of this process's cells."""
    return {child for child in psutil.Process().children() if module in child.cmdline()}


@pytest.fixture
def cell() -> Iterator[DecodingCell]:
    with DecodingCell() as opened:
        yield opened


@pytest.fixture
def film(tmp_path: Path) -> Path:
    return write_film(tmp_path / "film.mp4", "mp4")


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_cell_reads_what_this_process_reads(container: str, tmp_path: Path) -> None:
    path = write_film(tmp_path / f"film.{container}", container)
    own, other = scan(path, (0.25, 0.75)), shared_cell().scan(path, (0.25, 0.75))
    assert other.probe == own.probe == probe(path) == shared_cell().probe(path)
    assert np.array_equal(other.samples, own.samples)
    assert [still.seconds for still in other.stills] == [still.seconds for still in own.stills]
    for still, expected in zip(other.stills, own.stills, strict=True):
        assert np.array_equal(still.image, expected.image)


def test_progress_comes_out_of_the_cell(film: Path) -> None:
    parts: list[float] = []
    shared_cell().scan(film, on_progress=parts.append)
    assert parts
    assert all(0 <= part <= 1 for part in parts)


def test_a_missing_and_an_empty_file_are_said_as_such(tmp_path: Path) -> None:
    (tmp_path / "empty.mp4").touch()
    with pytest.raises(NotFound):
        shared_cell().probe(tmp_path / "nowhere.mp4")
    with pytest.raises(VideoUnreadable) as refused:
        shared_cell().probe(tmp_path / "empty.mp4")
    assert refused.value.reason == UnreadableReason.EMPTY


# -- damaged files ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "name", "frames"), [(without_start, "a.mp4", 30), (late_stream, "a.ts", 20)]
)
def test_a_file_that_broke_out_of_the_decoder_is_read(
    make: Callable[[Path], Path], name: str, frames: int, tmp_path: Path
) -> None:
    """It raised a PermissionError or an IndexError before; what can be read of it is."""
    path = make(tmp_path / name)
    assert shared_cell().scan(path).probe == scan(path).probe
    assert shared_cell().probe(path).frames >= frames


def test_a_codec_that_nobody_posts_is_refused_before_it_decodes(tmp_path: Path) -> None:
    """Its pictures, stored upside down, raised a ValueError before."""
    for read in (shared_cell().probe, shared_cell().scan, probe, scan):
        with pytest.raises(VideoUnreadable, match="codec rawvideo") as refused:
            read(upside_down(tmp_path / "a.mkv"))
        assert refused.value.reason == UnreadableReason.CODEC


def test_a_memory_bomb_is_refused_before_it_takes_memory(
    cell: DecodingCell, film: Path, tmp_path: Path
) -> None:
    cell.scan(film)
    usual = cell.peak_memory
    with pytest.raises(VideoUnreadable) as refused:
        cell.scan(memory_bomb(tmp_path / "bomb.mov"))
    assert "codec png" in refused.value.sentence()
    assert cell.peak_memory < usual + 20 * MEBIBYTE


def test_a_file_that_needs_more_memory_than_allowed_is_refused(render_film: RenderFilm) -> None:
    """What a process has free from before is enough for a film of a few small pictures."""
    limits = ProcessLimits(memory=1 * MEBIBYTE)
    with DecodingCell(process_limits=limits) as small, pytest.raises(VideoUnreadable) as refused:
        small.scan(render_film())
    assert refused.value.reason == UnreadableReason.TOO_LARGE
    assert "more memory" in refused.value.sentence()


def test_a_fuzzed_file_harms_no_neighbour_and_not_this_process(tmp_path: Path) -> None:
    report = fuzz(tmp_path, FUZZED_FILES, seed=15)
    assert report.escaped == []
    assert (report.lost_neighbours, report.neighbours) == (0, FUZZED_FILES // 10)
    assert report.outcomes["read"] > FUZZED_FILES // 4
    assert report.peak_memory < 400 * MEBIBYTE


# -- crashes ---------------------------------------------------------------------------------


@pytest.fixture
def breaking(tmp_path: Path) -> Callable[[str], Path]:
    """The same film under a name; the cell's decoder breaks on some names."""
    whole = write_film(tmp_path / "whole.mp4", "mp4").read_bytes()

    def named(name: str) -> Path:
        path = tmp_path / f"{name}.mp4"
        path.write_bytes(whole)
        return path

    return named


@pytest.fixture
def fragile() -> Iterator[DecodingCell]:
    with DecodingCell(worker=broken_worker.__name__) as opened:
        yield opened


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("crash", "signal 11"),
        ("lie", "not a probe"),
        ("garbage", "not JSON"),
    ],
)
def test_a_decoder_that_crashes_or_lies_costs_one_file(
    name: str, said: str, fragile: DecodingCell, breaking: Callable[[str], Path]
) -> None:
    with pytest.raises(VideoUnreadable, match=said) as refused:
        fragile.scan(breaking(name))
    assert refused.value.reason == UnreadableReason.DECODER_CRASHED
    assert fragile.scan(breaking("good")).probe.frames == 30


def kill_the_copy(part: float) -> None:
    """Ends the process that decodes, from outside."""
    (worker,) = workers(broken_worker.__name__)
    (copy,) = worker.children()
    copy.kill()


def test_a_decoder_that_is_killed_from_outside_may_be_tried_again(
    fragile: DecodingCell, breaking: Callable[[str], Path]
) -> None:
    with pytest.raises(Stalled, match="signal 9"):
        fragile.scan(breaking("hang"), on_progress=kill_the_copy)
    assert fragile.scan(breaking("good")).probe.frames == 30


def test_a_decoder_that_hangs_is_ended(
    breaking: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cell_module, "EXTRA_SECONDS", 1.0)
    limits = DecodeLimits(max_wall_seconds=1.0)
    with DecodingCell(limits, worker=broken_worker.__name__) as fragile:
        fragile.start()
        with pytest.raises(VideoUnreadable, match="not decoded within 2 s") as refused:
            fragile.scan(breaking("hang"))
        assert not workers(broken_worker.__name__)
    assert refused.value.reason == UnreadableReason.TOO_SLOW


def test_a_file_that_needs_more_cpu_time_than_allowed_is_refused(
    breaking: Callable[[str], Path],
) -> None:
    limits = ProcessLimits(cpu_seconds=1)
    with (
        DecodingCell(process_limits=limits, worker=broken_worker.__name__) as hurried,
        pytest.raises(VideoUnreadable, match="more time") as refused,
    ):
        hurried.scan(breaking("spin"))
    assert refused.value.reason == UnreadableReason.TOO_SLOW


def test_a_step_that_is_given_up_ends_its_decoder(
    fragile: DecodingCell, breaking: Callable[[str], Path]
) -> None:
    def give_up(part: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fragile.scan(breaking("hang"), on_progress=give_up)
    assert not workers(broken_worker.__name__)


def test_a_worker_that_was_killed_is_replaced(cell: DecodingCell, film: Path) -> None:
    known = workers()
    cell.start()
    # A process has no command line for a moment after its start.
    wait_until(lambda: bool(workers() - known))
    (worker,) = workers() - known
    worker.kill()
    worker.wait()
    assert cell.probe(film).frames == 30


def test_a_closed_cell_leaves_no_process_and_reads_nothing(film: Path) -> None:
    known = workers()
    with DecodingCell() as cell:
        cell.probe(film)
        (worker,) = workers() - known
    assert not worker.is_running()
    with pytest.raises(CellUnavailable):
        cell.probe(film)


def start_and_say(folder: str) -> None:
    cell = DecodingCell()
    cell.probe(Path(folder) / "film.mp4")
    (worker,) = workers()
    (Path(folder) / "worker").write_text(str(worker.pid))
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_process_leaves_no_worker_behind(film: Path) -> None:
    assert exit_code(fork(start_and_say, str(film.parent))) == -signal.SIGKILL
    worker = int((film.parent / "worker").read_text())
    wait_until(lambda: not psutil.pid_exists(worker))


def test_several_threads_read_at_once(cell: DecodingCell, film: Path) -> None:
    found: list[int] = []
    threads = [Thread(target=lambda: found.append(cell.probe(film).frames)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [30] * 3


# -- what a confined process may do ----------------------------------------------------------


def try_everything(report: str) -> None:
    """Confined, tries what a taken-over decoder would; writes what succeeded to an open file."""
    attempts: dict[str, Callable[[], object]] = {
        "open a file": lambda: os.open("/etc/hostname", os.O_RDONLY),
        "list a folder": lambda: next(Path("/").iterdir()),
        "write a file": lambda: os.open(report + ".new", os.O_CREAT | os.O_WRONLY),
        "reach the network": lambda: socket.socket(),
        "start a process": os.fork,
        "run a program": lambda: os.execv("/bin/true", ["true"]),
        "signal another": lambda: os.kill(os.getppid(), 0),
        "take 1 GB": lambda: bytearray(1024 * MEBIBYTE),
    }
    with Path(report).open("w") as file:
        confine(ProcessLimits())
        done = []
        for name, attempt in attempts.items():
            try:
                attempt()
                done.append(name)
            except (OSError, MemoryError):
                pass
        file.write(json.dumps(done))


@pytest.mark.skipif(sys.platform != "linux", reason="only rlimits elsewhere")
def test_a_confined_process_can_do_nothing_but_compute(tmp_path: Path) -> None:
    in_force = shared_cell().protections()
    if len(in_force) < 3:
        pytest.skip(f"this kernel has only {', '.join(in_force)}")
    assert exit_code(fork(try_everything, str(tmp_path / "report"))) == 0
    assert json.loads((tmp_path / "report").read_text()) == []


def test_a_cell_knows_none_of_our_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTY_API_FOOTBALL_KEY", "secret")
    known = workers()
    with DecodingCell() as cell:
        cell.protections()
        (worker,) = workers() - known
        assert not [name for name in worker.environ() if name.startswith("FOOTY")]
