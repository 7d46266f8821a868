"""Another process that works on a goal's clips, and may be killed in the middle of it.

`python -m footy_assets_tests.operations.one_clip_worker JSON` dies by SIGKILL at the point it is
told, or does the whole batch.
"""

import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from pymongo import MongoClient

from footy_assets.archive.clip import Clip
from footy_assets.store.clips import ClipDocuments
from footy_assets.store.collections import Document
from footy_assets_tests.operations.clip_bench import ClipBench
from resources.clip_store import ClipStore
from resources.s3_connection import S3Address, connect

POINTS = (
    "before the upload",
    "after the pictures",
    "after the object",
    "after the document",
    "before the old one is removed",
    "after the old one is removed",
    "before the rank",
    "before the videos are settled",
)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class DyingObjects(ClipStore):
    point = ""

    def put(self, key: str, body: bytes | Path, **more: Any) -> None:
        if self.point == "before the upload" or (
            self.point == "after the pictures" and key.endswith(".mp4")
        ):
            die()
        super().put(key, body, **more)
        if self.point == "after the object" and key.endswith(".mp4"):
            die()

    def delete(self, key: str) -> None:
        if self.point == "before the old one is removed":
            die()
        super().delete(key)
        if self.point == "after the old one is removed":
            die()


class DyingDocuments(ClipDocuments):
    point = ""

    def add(self, clip: Clip, facts: Mapping[str, Any]) -> None:
        super().add(clip, facts)
        if self.point == "after the document":
            die()

    def replace(self, *args: Any) -> bool:
        done = super().replace(*args)
        if self.point == "after the document":
            die()
        return done

    def write_ranks(self, goal_key: str, ranks: Mapping[str, int]) -> None:
        if self.point == "before the rank":
            die()
        super().write_ranks(goal_key, ranks)

    def settle_videos(self, *args: Any) -> None:
        if self.point == "before the videos are settled":
            die()
        super().settle_videos(*args)


def main(told: str) -> None:
    asked: dict[str, str] = json.loads(told)
    DyingObjects.point = DyingDocuments.point = asked["point"]
    address = S3Address(
        asked["s3"], "us-east-1", SecretStr(asked["access"]), SecretStr(asked["secret"])
    )
    with MongoClient[Document](asked["uri"], tz_aware=True) as client:
        database = client[asked["database"]]
        objects = DyingObjects(connect(address), asked["bucket"])
        bench = ClipBench(database, objects, Path(asked["folder"]))
        work = bench.work()
        object.__setattr__(work, "documents", DyingDocuments(database))
        bench.run(work)


if __name__ == "__main__":
    main(sys.argv[1])
