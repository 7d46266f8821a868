"""kill -9, ten times at random: the tables end the same, byte for byte."""

import subprocess
import sys
import time
from pathlib import Path
from random import Random
from uuid import uuid4

from pymongo.database import Database

from footy_assets.history.key import LeagueSeason
from footy_assets.operations.history_tables import export
from footy_assets.sim import Quota, SimServer
from footy_assets.store.collections import Document
from footy_assets.store.history import HistoryStore

KEY = LeagueSeason(39, 2023)
KILLS = 10
# Two at a time, each answered after this: a season takes some three seconds.
AT_ONCE, ANSWER_SECONDS = 2, 0.05
WITHIN = 120


def historian(uri: str, database: str, sim: SimServer) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "footy_assets_tests.history.one_historian"]
    process = subprocess.Popen(
        [*command, uri, database, sim.url, str(AT_ONCE)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "working\n"
    return process


def end_of(process: subprocess.Popen[str]) -> str:
    return process.communicate(timeout=WITHIN)[0].strip()


def processed(database: Database[Document]) -> int:
    return sum(one.processed for one in HistoryStore(database).documents(KEY))


def tables(database: Database[Document], folder: Path) -> dict[str, bytes]:
    written = export(HistoryStore(database), KEY, folder)
    return {name: path.read_bytes() for name, path in written.items()}


def test_killed_ten_times_a_season_ends_the_same_byte_for_byte(
    database: Database[Document], mongo_uri: str, sim: SimServer, tmp_path: Path
) -> None:
    sim.quota = Quota(per_day=10**6, per_minute=10**6)
    undisturbed = f"{database.name}_{uuid4().hex[:8]}"
    client = database.client
    try:
        assert end_of(historian(mongo_uri, undisturbed, sim)) == "completed"
        expected = tables(client[undisturbed], tmp_path / "undisturbed")
        calls = len(sim.requests)

        sim.requests.clear()
        sim.faults.slow(ANSWER_SECONDS, times=None)
        sim.faults.fail(500, times=2, path="/players", query={"team": "3904", "page": "2"})
        rng, progress = Random(7), []
        for _ in range(KILLS):
            process = historian(mongo_uri, database.name, sim)
            wanted = (progress[-1] if progress else 0) + rng.randint(1, 6)
            while processed(database) < wanted and process.poll() is None:
                time.sleep(rng.uniform(0.0, 0.02))
            process.kill()
            end_of(process)
            assert process.returncode == -9
            progress.append(processed(database))
        assert progress == sorted(progress)
        assert progress[0] > 0
        assert progress[-1] < calls
        assert end_of(historian(mongo_uri, database.name, sim)) == "completed"
        assert tables(database, tmp_path / "killed") == expected
        # What was under way when it was killed, and two failures, is all that was asked twice.
        assert len(sim.requests) <= calls + 2 + KILLS * AT_ONCE
    finally:
        sim.quota = Quota()
        client.drop_database(undisturbed)
