"""S5: a source's rate limit holds across processes."""

import json
import subprocess
import sys
from datetime import datetime, timedelta

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import SourceRateLimited
from footy_assets.store.collections import TURNS, Document
from footy_assets.store.turns import SharedTurns
from footy_assets_tests.store.goals import STABLE
from resources.pace import OwnTurns, Pace, Turns

QUARTER = timedelta(minutes=15)
TAKER = """
import json, sys
from datetime import datetime, timedelta
from pymongo import MongoClient
from footy_assets.store.turns import SharedTurns
uri, name, at = sys.argv[1:]
with MongoClient(uri, tz_aware=True) as client:
    turns, now = SharedTurns(client[name]), datetime.fromisoformat(at)
    sys.stdin.readline()
    taken = [turns.take("X", now, 10, timedelta(minutes=15)) is None for _ in range(8)]
print(json.dumps(sum(taken)))
"""


def test_s5_processes_at_once_never_take_more_turns_than_there_are(
    mongo_uri: str, database: Database[Document]
) -> None:
    arguments = [mongo_uri, database.name, STABLE.isoformat()]
    takers = [
        subprocess.Popen(
            [sys.executable, "-c", TAKER, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    taken = [json.loads(taker.communicate("\n", timeout=60)[0]) for taker in takers]
    assert sum(taken) == 10, "of 24 tries"


@pytest.fixture(params=["this process", "all processes"])
def turns(request: pytest.FixtureRequest, database: Database[Document]) -> Turns:
    return SharedTurns(database) if request.param == "all processes" else OwnTurns()


def seconds(n: float) -> datetime:
    return STABLE + timedelta(seconds=n)


def test_s5_turns_are_free_again_after_the_stretch(turns: Turns) -> None:
    assert turns.take("X", seconds(0), 2, QUARTER) is None
    assert turns.take("X", seconds(60), 2, QUARTER) is None
    assert turns.take("X", seconds(61), 2, QUARTER) == seconds(900)
    assert turns.take("X", seconds(900), 2, QUARTER) is None
    assert turns.take("X", seconds(901), 2, QUARTER) == seconds(960)


def test_s5_more_requests_than_turns_are_counted(turns: Turns) -> None:
    assert turns.take("X", seconds(0), 3, QUARTER) is None
    turns.count("X", seconds(1))
    turns.count("X", seconds(2))
    turns.count("X", seconds(3))
    assert turns.take("X", seconds(4), 3, QUARTER) == seconds(901)


def test_s5_a_source_that_wants_to_be_left_alone_is(turns: Turns) -> None:
    turns.close_until("X", seconds(120))
    assert turns.take("X", seconds(0), 3, QUARTER) == seconds(120)
    assert turns.take("X", seconds(120), 3, QUARTER) is None


def test_y10_a_short_closure_does_not_shorten_a_long_one(turns: Turns) -> None:
    turns.close_until("X", seconds(86_400))
    turns.close_until("X", seconds(60))
    assert turns.take("X", seconds(61), 3, QUARTER) == seconds(86_400)


def test_s5_sources_do_not_share_a_limit(database: Database[Document]) -> None:
    turns = SharedTurns(database)
    assert turns.take("X", seconds(0), 1, QUARTER) is None
    assert turns.take("Bluesky", seconds(0), 1, QUARTER) is None


def test_s5_a_clock_that_was_set_back_locks_nobody_out(database: Database[Document]) -> None:
    turns = SharedTurns(database)
    turns.count("X", seconds(86_400))
    assert turns.take("X", seconds(0), 1, QUARTER) is None


def test_s5_old_requests_are_forgotten(database: Database[Document]) -> None:
    turns = SharedTurns(database)
    for n in range(50):
        turns.take("X", seconds(n * 900), 1, QUARTER)
    assert len((database[TURNS].find_one({}) or {})["made"]) == 1


def test_s5_another_process_s_searches_are_waited_for(database: Database[Document]) -> None:
    clock = ManualClock(STABLE)
    mine = Pace("X", 1, clock, timedelta(seconds=20), SharedTurns(database))
    theirs = Pace("X", 1, clock, timedelta(seconds=20), SharedTurns(database))
    theirs.take_turn(lambda _: None)
    mine.take_turn(lambda _: None)
    assert clock.now() == STABLE + timedelta(seconds=20)
    far = Pace("X", 1, clock, QUARTER, SharedTurns(database))
    with pytest.raises(SourceRateLimited):
        far.take_turn(lambda _: None)
