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

import signal
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from pymongo.database import Database

from footy_assets.store.collections import Document
from footy_assets_tests.clips.clip_bench import FILMS, ClipBench, films
from footy_assets_tests.clips.one_clip_worker import POINTS, work_on_clips
from footy_assets_tests.forked import exit_code, fork
from footy_assets_tests.matchday.goals import put_goal
from resources.embedded.weed import S3Server
from resources.s3.clip_store import ClipStore

pytestmark = pytest.mark.slow


@pytest.fixture
def bench(database: Database[Document], clip_store: ClipStore, tmp_path: Path) -> ClipBench:
    put_goal(database)
    return ClipBench(database, clip_store, tmp_path)


def worker(bench: ClipBench, mongo_uri: str, s3: S3Server, point: str) -> BaseProcess:
    options = {
        "uri": mongo_uri,
        "database": bench.database.name,
        "s3": s3.endpoint_url,
        "access": s3.access_key_id,
        "secret": s3.secret_access_key,
        "bucket": bench.objects.bucket,
        "folder": str(bench.folder),
        "point": point,
        FILMS: str(films()),
    }
    return fork(work_on_clips, options)


ENDS: dict[str, dict[str, object]] = {}


def undisturbed(bench: ClipBench, *batches: dict[str, int]) -> dict[str, object]:
    """How it ends when nobody is killed; the same for every point, so it is found out once."""
    wanted = repr(batches)
    if wanted not in ENDS:
        for batch in batches:
            bench.choose(**batch)
            bench.run()
        ENDS[wanted] = bench.end_state()
        for key in bench.objects.list_keys():
            bench.objects.delete(key)
        for name in ("clips", "videos", "leases"):
            bench.database[name].delete_many({})
    return ENDS[wanted]


ONLY_WITH_AN_OLD_ONE = {"before the old one is removed", "after the old one is removed"}


@pytest.mark.parametrize("point", [p for p in POINTS if p not in ONLY_WITH_AN_OLD_ONE])
def test_killed_while_a_first_clip_is_stored(
    bench: ClipBench, mongo_uri: str, s3: S3Server, point: str
) -> None:
    batch = {"good": 5, "small": 2, "angle": 4}
    expected = undisturbed(bench, batch)
    bench.choose(**batch)
    assert exit_code(worker(bench, mongo_uri, s3, point)) == -signal.SIGKILL
    bench.expire_leases()
    bench.run()
    assert bench.end_state() == expected


@pytest.mark.parametrize("point", POINTS)
def test_killed_while_a_better_copy_replaces_a_clip(
    bench: ClipBench, mongo_uri: str, s3: S3Server, point: str
) -> None:
    first, better = {"good": 5, "angle": 9}, {"large": 7, "small": 1}
    expected = undisturbed(bench, first, better)
    bench.choose(**first)
    bench.run()
    bench.choose(**better)
    assert exit_code(worker(bench, mongo_uri, s3, point)) == -signal.SIGKILL
    bench.expire_leases()
    bench.run()
    assert bench.end_state() == expected


def test_h5_two_processes_on_one_goal_end_like_one(
    bench: ClipBench, mongo_uri: str, s3: S3Server
) -> None:
    batch = {"good": 5, "small": 2, "large": 3, "angle": 4}
    expected = undisturbed(bench, batch)
    bench.choose(**batch)
    both = [worker(bench, mongo_uri, s3, "") for _ in range(2)]
    assert [exit_code(one) for one in both] == [0, 0]
    assert bench.end_state() == expected
