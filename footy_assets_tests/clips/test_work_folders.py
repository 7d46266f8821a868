"""H8: work folders of crashed runs are deleted; those of live runs are kept."""

import subprocess
import sys
from pathlib import Path

from footy_assets.clips.work_folders import WorkFolder, sweep_leftovers

WORKER = """
import sys
from pathlib import Path
from footy_assets.clips.work_folders import WorkFolder
place = WorkFolder.make(Path(sys.argv[1]), 5000, "run-1")
(place.path / "video-0.mp4").write_bytes(b"x" * 1000)
print("ready", flush=True)
sys.stdin.readline()
"""


def test_h8_folders_of_live_runs_are_kept_and_those_of_killed_runs_deleted(tmp_path: Path) -> None:
    mine = WorkFolder.make(tmp_path, 5000, "mine")
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as worker:
        assert worker.stdout is not None
        worker.stdout.readline()
        film = tmp_path / "5000" / "run-1" / "video-0.mp4"
        assert sweep_leftovers(tmp_path) == 0
        assert film.exists()
        worker.kill()
    assert film.exists(), "this is what a crash leaves"
    assert sweep_leftovers(tmp_path) == 1
    assert not film.exists()
    assert mine.path.is_dir(), "a live run of this process keeps its own"
    mine.remove()


def test_h8_the_folder_of_a_match_is_deleted_with_its_last_run_folder(tmp_path: Path) -> None:
    one, two = (WorkFolder.make(tmp_path, 5000, run) for run in ("one", "two"))
    one.remove()
    assert two.path.is_dir()
    two.remove()
    two.remove()
    assert list(tmp_path.iterdir()) == []


def test_h8_a_folder_without_a_lock_is_a_leftover(tmp_path: Path) -> None:
    old = tmp_path / "5000" / "run-0"
    old.mkdir(parents=True)
    (old / "video-0.mp4").write_bytes(b"x")
    assert sweep_leftovers(tmp_path) == 1
    assert not old.exists()


def test_h8_a_missing_work_folder_is_no_error(tmp_path: Path) -> None:
    assert sweep_leftovers(tmp_path / "nowhere") == 0
