"""A disk that is really full: nothing raises, and all goes on when there is room."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from botocore.exceptions import BotoCoreError, ClientError
from pymongo import MongoClient
from pymongo.errors import PyMongoError

from footy_assets.runtime.disk import DiskGuard
from footy_assets.runtime.home import Home
from footy_assets.runtime.restarts import Restarts
from footy_assets.runtime.supervisor import Running
from footy_assets_tests.waiting import wait_until
from resources.embedded.mongod import embedded_mongo
from resources.embedded.weed import _client as s3_client
from resources.embedded.weed import embedded_s3

pytestmark = pytest.mark.slow

MEBIBYTE = b"\0" * 1024 * 1024


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=384m", "tmpfs", str(disk)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("this machine mounts nothing for us")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def fill(disk: Path) -> Path:
    filler = disk / "filler"
    with filler.open("ab", buffering=0) as file:
        try:
            while True:
                file.write(MEBIBYTE)
        except OSError:
            return filler


def test_servers_survive_a_full_disk_with_their_data(small_disk: Path) -> None:
    home = Home(small_disk / "home")
    home.prepare()
    said: list[str] = []
    mongo, s3 = (
        embedded_mongo(home.path, die_with_parent=True),
        embedded_s3(home.path, die_with_parent=True),
    )
    stack = Running(
        *(home, "http://ui", "http://gallery", "", []),
        *(DiskGuard(home.path, said.append), Restarts(said.append)),
        servers={"mongo": mongo, "s3": s3},
    )
    with (
        mongo as database,
        s3 as objects,
        MongoClient(database.uri, serverSelectionTimeoutMS=2_000) as client,
    ):
        goals = client.trial.goals
        goals.insert_one({"_id": "before"})
        bucket = s3_client(objects)
        bucket.create_bucket(Bucket="clips")
        bucket.put_object(Bucket="clips", Key="before", Body=b"clip")

        filler = fill(small_disk)
        stack.revive()
        assert "The disk is full" in said[0]

        def mongod_is_gone() -> bool:
            """It ends itself when its journal cannot be written."""
            fill(small_disk)
            with suppress(PyMongoError):
                goals.insert_one({"content": os.urandom(1024 * 1024)})
            return not mongo.is_alive()

        wait_until(mongod_is_gone, every=0.1)
        with pytest.raises((BotoCoreError, ClientError)):
            bucket.put_object(Bucket="clips", Key="during", Body=os.urandom(20 * 1024 * 1024))
        stack.write_record()
        stack.revive()
        assert not mongo.is_alive(), "not started while the disk is full"

        filler.unlink()

        def is_back() -> bool:
            stack.revive()
            return mongo.is_alive()

        wait_until(is_back)
        assert "room again" in said[1]
        assert goals.find_one({"_id": "before"})
        goals.insert_one({"_id": "after"})
        assert bucket.get_object(Bucket="clips", Key="before")["Body"].read() == b"clip"
        bucket.put_object(Bucket="clips", Key="after", Body=b"clip")
