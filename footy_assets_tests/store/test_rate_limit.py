"""SE5: a site's rate limit holds across processes."""

import json
import subprocess
import sys
from datetime import datetime, timedelta

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import SiteRateLimited
from footy_assets.store.collections import TURNS, Document
from footy_assets.store.rate_limit import SharedRateLimit
from footy_assets_tests.matchday.goals import STABLE
from footy_assets_tests.resources.local_rate_limit import LocalRateLimit
from footy_assets_tests.store.lost_answers import lose_answers
from resources.sites.rate_limit import RateLimit, RateLimiter

pytestmark = pytest.mark.slow

QUARTER = timedelta(minutes=15)
TAKER = """
import json, sys
from datetime import datetime, timedelta
from pymongo import MongoClient
from footy_assets.store.rate_limit import SharedRateLimit
uri, name, at = sys.argv[1:]
with MongoClient(uri, tz_aware=True) as client:
    turns, now = SharedRateLimit(client[name]), datetime.fromisoformat(at)
    sys.stdin.readline()
    taken = [turns.take("X", now, 10, timedelta(minutes=15)) is None for _ in range(8)]
print(json.dumps(sum(taken)))
"""


def test_se5_concurrent_processes_never_exceed_the_limit(
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
def rate_limit(request: pytest.FixtureRequest, database: Database[Document]) -> RateLimit:
    return SharedRateLimit(database) if request.param == "all processes" else LocalRateLimit()


def seconds(n: float) -> datetime:
    return STABLE + timedelta(seconds=n)


def test_se5_requests_are_allowed_again_after_the_period(rate_limit: RateLimit) -> None:
    assert rate_limit.take("X", seconds(0), 2, QUARTER) is None
    assert rate_limit.take("X", seconds(60), 2, QUARTER) is None
    assert rate_limit.take("X", seconds(61), 2, QUARTER) == seconds(900)
    assert rate_limit.take("X", seconds(900), 2, QUARTER) is None
    assert rate_limit.take("X", seconds(901), 2, QUARTER) == seconds(960)


def test_se5_requests_beyond_the_limit_are_counted(rate_limit: RateLimit) -> None:
    assert rate_limit.take("X", seconds(0), 3, QUARTER) is None
    rate_limit.count("X", seconds(1))
    rate_limit.count("X", seconds(2))
    rate_limit.count("X", seconds(3))
    assert rate_limit.take("X", seconds(4), 3, QUARTER) == seconds(901)


def test_se5_a_closed_site_gets_no_requests(rate_limit: RateLimit) -> None:
    rate_limit.close_until("X", seconds(120))
    assert rate_limit.take("X", seconds(0), 3, QUARTER) == seconds(120)
    assert rate_limit.take("X", seconds(120), 3, QUARTER) is None


def test_y10_a_short_closure_does_not_shorten_a_long_one(rate_limit: RateLimit) -> None:
    rate_limit.close_until("X", seconds(86_400))
    rate_limit.close_until("X", seconds(60))
    assert rate_limit.take("X", seconds(61), 3, QUARTER) == seconds(86_400)


def test_se5_sites_do_not_share_a_limit(database: Database[Document]) -> None:
    rate_limit = SharedRateLimit(database)
    assert rate_limit.take("X", seconds(0), 1, QUARTER) is None
    assert rate_limit.take("Bluesky", seconds(0), 1, QUARTER) is None


def test_se5_a_clock_set_back_blocks_no_request(database: Database[Document]) -> None:
    rate_limit = SharedRateLimit(database)
    rate_limit.count("X", seconds(86_400))
    assert rate_limit.take("X", seconds(0), 1, QUARTER) is None


def test_se5_old_requests_are_dropped(database: Database[Document]) -> None:
    rate_limit = SharedRateLimit(database)
    for n in range(50):
        rate_limit.take("X", seconds(n * 900), 1, QUARTER)
    assert len((database[TURNS].find_one({}) or {})["made"]) == 1


def test_se5_another_process_s_searches_are_waited_for(database: Database[Document]) -> None:
    clock = ManualClock(STABLE)
    mine = RateLimiter("X", 1, clock, SharedRateLimit(database), timedelta(seconds=20))
    theirs = RateLimiter("X", 1, clock, SharedRateLimit(database), timedelta(seconds=20))
    theirs.wait_for_turn(lambda _: None)
    mine.wait_for_turn(lambda _: None)
    assert clock.now() == STABLE + timedelta(seconds=20)
    far = RateLimiter("X", 1, clock, SharedRateLimit(database), QUARTER)
    with pytest.raises(SiteRateLimited):
        far.wait_for_turn(lambda _: None)


def test_se5_a_request_is_counted_once_when_the_answer_is_lost(
    database: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    rate_limit = SharedRateLimit(database)
    lose_answers(monkeypatch, "update_one", 1, 3)
    rate_limit.count("X", seconds(0))
    lose_answers(monkeypatch, "find_one_and_update", 1, 2)
    assert rate_limit.take("X", seconds(0), 2, QUARTER) is None, "granted, though asked thrice"
    (stored,) = database[TURNS].find()
    assert stored["made"] == [seconds(0), seconds(0)]
    assert rate_limit.take("X", seconds(1), 2, QUARTER) == seconds(900)


def test_se5_documents_without_ids_are_read(database: Database[Document]) -> None:
    """As earlier versions wrote them."""
    database[TURNS].insert_one({"_id": "X", "made": [seconds(0)], "granted": True})
    rate_limit = SharedRateLimit(database)
    rate_limit.count("X", seconds(1))
    assert rate_limit.take("X", seconds(2), 3, QUARTER) is None
    assert rate_limit.take("X", seconds(3), 3, QUARTER) == seconds(900)
