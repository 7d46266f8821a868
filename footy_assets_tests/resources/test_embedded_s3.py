import os
import signal
import stat
from pathlib import Path
from typing import Any

import psutil
import pytest

from footy_assets.errors import BinaryMissing
from resources.embedded import binary, weed
from resources.embedded.weed import S3Server, embedded_s3

pytestmark = pytest.mark.slow

BUCKET = "trial"
LARGE = os.urandom(9_000_000)


def client(server: S3Server) -> Any:
    return weed._client(server)


def fill(server: S3Server) -> None:
    s3 = client(server)
    s3.create_bucket(Bucket=BUCKET)
    s3.put_object(Bucket=BUCKET, Key="large", Body=LARGE)
    for number in range(30):
        s3.put_object(Bucket=BUCKET, Key=f"small/{number}", Body=f"clip {number}".encode())


def assert_filled(server: S3Server) -> None:
    s3 = client(server)
    assert s3.get_object(Bucket=BUCKET, Key="large")["Body"].read() == LARGE
    for number in range(30):
        body = s3.get_object(Bucket=BUCKET, Key=f"small/{number}")["Body"].read()
        assert body == f"clip {number}".encode()


def test_objects_survive_a_hard_stop_and_no_process_is_left(tmp_path: Path) -> None:
    with embedded_s3(tmp_path, die_with_parent=True) as first:
        fill(first)
    assert not psutil.pid_exists(first.pid)
    assert not [path for path in Path("/tmp").glob("seaweedfs-*") if str(port(first)) in path.name]
    with embedded_s3(tmp_path, die_with_parent=True) as second:
        assert second.endpoint_url == first.endpoint_url
        assert second.secret_access_key == first.secret_access_key
        assert_filled(second)


def test_objects_survive_kill_9_and_new_ports(tmp_path: Path) -> None:
    with embedded_s3(tmp_path, die_with_parent=True) as first:
        fill(first)
        os.kill(first.pid, signal.SIGKILL)
    (tmp_path / "s3" / "server.json").unlink()
    with embedded_s3(tmp_path, die_with_parent=True) as second:
        assert second.endpoint_url != first.endpoint_url
        assert_filled(second)
        client(second).put_object(Bucket=BUCKET, Key="later", Body=b"more")
        assert client(second).get_object(Bucket=BUCKET, Key="later")["Body"].read() == b"more"


def test_it_listens_on_loopback_only(s3: S3Server) -> None:
    listening = [c for c in psutil.Process(s3.pid).net_connections() if c.status == "LISTEN"]
    assert {connection.laddr.ip for connection in listening} == {"127.0.0.1"}


def test_other_keys_are_refused(s3: S3Server) -> None:
    wrong = S3Server(s3.endpoint_url, s3.access_key_id, "wrong", s3.pid)
    with pytest.raises(Exception, match="SignatureDoesNotMatch"):
        client(wrong).list_buckets()


def test_only_the_owner_may_read_the_keys(tmp_path: Path) -> None:
    path = weed._identities(tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert weed._identities(tmp_path).read_text() == path.read_text()


def test_a_missing_weed_is_one_clear_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weed.sys, "executable", "/nowhere/python")
    monkeypatch.setattr(weed.sysconfig, "get_path", lambda name: "/nowhere")
    monkeypatch.setattr(binary.shutil, "which", lambda name: None)
    with pytest.raises(BinaryMissing) as caught:
        embedded_s3(tmp_path).acquire()
    assert caught.value.sentence() == (
        "weed is not installed on this machine. "
        "Set FOOTY_S3_ENDPOINT_URL to an S3 server, or install SeaweedFS."
    )


def port(server: S3Server) -> int:
    return int(server.endpoint_url.rpartition(":")[2])
