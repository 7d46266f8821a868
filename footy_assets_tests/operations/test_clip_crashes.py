"""The work on clips killed (SIGKILL) at each step in turn, then simply run again.

| killed …                        | first clip | better copy |
|---------------------------------|------------|-------------|
| before the upload               | same end   | same end    |
| after the pictures              | same end   | same end    |
| after the object                | same end   | same end    |
| after the document              | same end   | same end    |
| before the old one is removed   |            | same end    |
| after the old one is removed    |            | same end    |
| before the rank                 | same end   | same end    |
| before the videos are settled   | same end   | same end    |
"""

import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pymongo.database import Database

from footy_assets.store.collections import Document
from footy_assets_tests.operations.clip_bench import ClipBench
from footy_assets_tests.operations.one_clip_worker import POINTS
from footy_assets_tests.store.goals import put_goal
from resources.clip_store import ClipStore
from resources.embedded.weed import S3Server


@pytest.fixture
def bench(database: Database[Document], clip_store: ClipStore, tmp_path: Path) -> ClipBench:
    put_goal(database)
    return ClipBench(database, clip_store, tmp_path)


def worker(bench: ClipBench, mongo_uri: str, s3: S3Server, point: str) -> int:
    told = {
        "uri": mongo_uri,
        "database": bench.database.name,
        "s3": s3.endpoint_url,
        "access": s3.access_key_id,
        "secret": s3.secret_access_key,
        "bucket": bench.objects.bucket,
        "folder": str(bench.folder),
        "point": point,
    }
    command = [sys.executable, "-m", "footy_assets_tests.operations.one_clip_worker"]
    return subprocess.run([*command, json.dumps(told)], check=False, timeout=120).returncode


def undisturbed(bench: ClipBench, *batches: dict[str, int]) -> dict[str, object]:
    for batch in batches:
        bench.choose(**batch)
        bench.run()
    end = bench.picture()
    for key in bench.objects.list_keys():
        bench.objects.delete(key)
    for name in ("clips", "videos", "leases"):
        bench.database[name].delete_many({})
    return end


ONLY_WITH_AN_OLD_ONE = {"before the old one is removed", "after the old one is removed"}


@pytest.mark.parametrize("point", [p for p in POINTS if p not in ONLY_WITH_AN_OLD_ONE])
def test_killed_while_a_first_clip_is_stored(
    bench: ClipBench, mongo_uri: str, s3: S3Server, point: str
) -> None:
    batch = {"good": 5, "small": 2, "angle": 4}
    expected = undisturbed(bench, batch)
    bench.choose(**batch)
    assert worker(bench, mongo_uri, s3, point) == -signal.SIGKILL
    bench.expire_leases()
    bench.run()
    assert bench.picture() == expected


@pytest.mark.parametrize("point", POINTS)
def test_killed_while_a_better_copy_takes_over(
    bench: ClipBench, mongo_uri: str, s3: S3Server, point: str
) -> None:
    first, better = {"good": 5, "angle": 9}, {"large": 7, "small": 1}
    expected = undisturbed(bench, first, better)
    bench.choose(**first)
    bench.run()
    bench.choose(**better)
    assert worker(bench, mongo_uri, s3, point) == -signal.SIGKILL
    bench.expire_leases()
    bench.run()
    assert bench.picture() == expected


def test_h5_two_processes_on_one_goal_end_like_one(
    bench: ClipBench, mongo_uri: str, s3: S3Server
) -> None:
    batch = {"good": 5, "small": 2, "large": 3, "angle": 4}
    expected = undisturbed(bench, batch)
    bench.choose(**batch)
    with ThreadPoolExecutor(2) as pool:
        codes = list(pool.map(lambda _: worker(bench, mongo_uri, s3, ""), range(2)))
    assert codes == [0, 0]
    assert bench.picture() == expected
