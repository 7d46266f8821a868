"""Several real processes share one private server."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from footy_assets.errors import BadInput
from resources.embedded.mongod import embedded_mongo
from resources.embedded.process import ProcessIdentity
from resources.embedded.shared import ServerRecord

pytestmark = pytest.mark.slow

USER = """
import sys
from pathlib import Path
from resources.embedded.mongod import embedded_mongo
with embedded_mongo(Path(sys.argv[1])) as server:
    print(server.pid, flush=True)
    sys.stdin.readline()
"""


class User:
    """A separate process that uses this home's server until `let_go`."""

    def __init__(self, home: Path) -> None:
        self.popen = subprocess.Popen(
            [sys.executable, "-c", USER, str(home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.home = home

    def server_pid(self) -> int:
        assert self.popen.stdout is not None
        return int(self.popen.stdout.readline())

    def let_go(self) -> None:
        self.popen.communicate("\n", timeout=60)
        assert self.popen.returncode == 0

    def kill(self) -> None:
        self.popen.kill()
        self.popen.communicate()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    record = ServerRecord.read(tmp_path / "mongo" / "server.json")
    if record is not None:
        record.process.end(grace_seconds=0)


def is_running(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def test_concurrent_users_share_one_server_and_the_last_one_stops_it(home: Path) -> None:
    users = [User(home) for _ in range(4)]
    pids = {user.server_pid() for user in users}
    assert len(pids) == 1
    [pid] = pids
    for user in users[:-1]:
        user.let_go()
        assert is_running(pid)
    users[-1].let_go()
    assert not is_running(pid)


def test_two_holds_in_one_process_count_as_two_users(home: Path) -> None:
    one, two = embedded_mongo(home), embedded_mongo(home)
    pid = one.acquire().pid
    assert two.acquire().pid == pid
    one.release()
    assert is_running(pid)
    two.release()
    assert not is_running(pid)


def test_a_server_that_outlived_its_killed_user_is_used_again_then_stopped(home: Path) -> None:
    user = User(home)
    pid = user.server_pid()
    user.kill()
    assert is_running(pid)
    with embedded_mongo(home) as server:
        assert server.pid == pid
    assert not is_running(pid)


def test_a_killed_user_does_not_keep_the_server_from_being_stopped(home: Path) -> None:
    killed, last = User(home), User(home)
    pid = killed.server_pid()
    assert last.server_pid() == pid
    killed.kill()
    last.let_go()
    assert not is_running(pid)


def test_a_server_that_hangs_is_replaced(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resources.embedded.shared.ANSWER_SECONDS", 0.5)
    user = User(home)
    hung = user.server_pid()
    user.kill()
    os.kill(hung, signal.SIGSTOP)
    with embedded_mongo(home) as server:
        assert server.pid != hung
        assert not is_running(hung)


def test_a_reused_pid_is_not_taken_for_the_server(home: Path) -> None:
    with embedded_mongo(home):
        pass
    path = home / "mongo" / "server.json"
    record = ServerRecord.read(path)
    assert record is not None
    ServerRecord(ProcessIdentity(os.getpid(), "long ago"), record.ports, record.folder).write(path)
    with embedded_mongo(home) as server:
        assert server.pid != os.getpid()


def test_a_damaged_record_is_ignored(home: Path) -> None:
    (home / "mongo").mkdir()
    (home / "mongo" / "server.json").write_text('{"pid": ')
    with embedded_mongo(home) as server:
        assert is_running(server.pid)


def test_a_copied_home_gets_its_own_server(home: Path, tmp_path_factory: pytest.TempPathFactory):
    copy = tmp_path_factory.mktemp("copy")
    with embedded_mongo(home) as original:
        (copy / "mongo").mkdir()
        shutil.copy(home / "mongo" / "server.json", copy / "mongo" / "server.json")
        with embedded_mongo(copy) as copied:
            assert copied.pid != original.pid
        assert is_running(original.pid)


def test_a_terminals_ctrl_c_does_not_reach_the_server(home: Path) -> None:
    with embedded_mongo(home) as server:
        assert os.getsid(server.pid) != os.getsid(0)


def test_the_server_heeds_sigterm_though_its_starter_ignores_it(home: Path) -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with embedded_mongo(home) as server:
            status = Path(f"/proc/{server.pid}/status").read_text()
    finally:
        signal.signal(signal.SIGTERM, before)
    ignored = int(status.partition("SigIgn:")[2].split()[0], 16)
    assert not ignored >> (signal.SIGTERM - 1) & 1


def test_a_home_that_cannot_be_made_is_one_clear_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput) as caught:
        embedded_mongo(tmp_path / "file").acquire()
    assert "Set FOOTY_HOME to a folder that you may write to." in caught.value.sentence()


def test_release_without_acquire_does_nothing_and_acquire_twice_is_refused(home: Path) -> None:
    hold = embedded_mongo(home)
    hold.release()
    hold.acquire()
    with pytest.raises(RuntimeError, match="release it first"):
        hold.acquire()
    hold.release()
    hold.release()
