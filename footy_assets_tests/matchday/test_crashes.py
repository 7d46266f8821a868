"""A cycle killed at any write and run again ends like one that was not killed."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from threading import Lock

import pytest
from pymongo import MongoClient

from footy_assets.clock import ManualClock
from footy_assets.matchday.monitor import run_cycle
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.sim import SimServer, World, goal, var_cancel
from footy_assets.sim.feed import Json
from footy_assets.store.collections import Document
from footy_assets_tests.databases import empty_database, non_empty_collections
from footy_assets_tests.forked import exit_code, fork
from footy_assets_tests.matchday.harness import MatchdayHarness
from footy_assets_tests.matchday.one_poller import KILLED, KillAtWrite, Killed, poll_in_process
from footy_assets_tests.policies import polling_policy
from resources.api_football.client import ApiFootball

pytestmark = pytest.mark.slow

KICKOFF = datetime(2025, 5, 10, 12, 0, tzinfo=UTC)
NOW = KICKOFF + timedelta(minutes=45)
BUSY, WAITING, QUIET, SECOND = 5000, 5001, 5002, 5003


@pytest.fixture(scope="session")
def world() -> World:
    return World(date(2025, 5, 10), ())


def named_goal(minute: int, player: int, **more: object) -> Json:
    return goal(minute, player=player, name=f"Player {player}", **more)  # type: ignore[arg-type]


def set_up_matches(harness: MatchdayHarness) -> None:
    """Two live matches with stable goals, one that is about to begin, one without goals."""
    harness.clock.at = NOW - timedelta(minutes=20)
    harness.put(
        BUSY, status="1H", kickoff=KICKOFF, goals=[named_goal(5, 234), named_goal(9, 7), goal(12)]
    )
    harness.put(
        SECOND, status="1H", kickoff=KICKOFF, goals=[named_goal(3, 234), named_goal(20, 234)]
    )
    harness.put(QUIET, status="1H", kickoff=KICKOFF)
    harness.put(WAITING, kickoff=NOW + timedelta(minutes=25))
    harness.track(BUSY, SECOND, QUIET, WAITING)
    for _ in range(3):
        harness.poll()
    harness.clock.at = NOW


def put_changes(harness: MatchdayHarness) -> None:
    """Everything at once: new, renamed, named, cancelled, missing, half-time, unreadable."""
    harness.put(
        BUSY,
        status="HT",
        kickoff=KICKOFF,
        goals=[named_goal(9, 9), named_goal(12, 18), named_goal(44, 234)],
        events=[var_cancel(5, player=234, name="Player 234")],
    )
    harness.put(
        SECOND, status="1H", kickoff=KICKOFF, goals=[named_goal(20, 234), named_goal(41, 7)]
    )
    harness.put(QUIET, status="HT", kickoff=KICKOFF)
    harness.sim.faults.malform(QUIET + 100)


def outcome_of(store: MatchdayStore) -> list[object]:
    """Everything that the rules decide, without the ids of polls and goals, which differ."""
    fixtures = store.fixtures_by_id([BUSY, SECOND, QUIET, WAITING])
    goals = store.goals_of(list(fixtures))
    outcome: list[object] = [
        (f.id, str(f.state), f.status, f.goals, f.listed) for _, f in sorted(fixtures.items())
    ]
    outcome += sorted(
        (
            g.event_id,
            str(g.minute),
            str(g.state),
            str(g.player.name),
            g.score_after if g.live else None,
            tuple(former.event_id for former in g.formerly),
            g.removal.reason if g.removal else None,
        )
        for found in goals.values()
        for g in found
    )
    return outcome


@contextmanager
def copy_of_database(
    uri: str, of: str, listener: KillAtWrite | None = None
) -> Iterator[MatchdayStore]:
    """A copy of a database whose writes the listener sees."""
    listeners = [listener] if listener else []
    with empty_database(uri) as name, MongoClient[Document](uri, tz_aware=True) as plain:
        for collection in non_empty_collections(plain[of]):
            plain[name][collection].insert_many(plain[of][collection].find())
        with MongoClient[Document](uri, tz_aware=True, event_listeners=listeners) as client:
            yield MatchdayStore(client[name])


def poll_to_the_end(store: MatchdayStore, feed: ApiFootball) -> list[object]:
    """Polls until four succeed; the first ones may fail while a dead transaction holds a lock."""
    clock, good = ManualClock(NOW), 0
    for _ in range(100):
        good += not run_cycle(store, feed, clock, polling_policy()).failures
        clock.advance(30)
        if good == 4:
            return outcome_of(store)
    raise AssertionError("the match stays locked")


def run_without_kill(harness: MatchdayHarness, mongo_uri: str) -> tuple[str, int, list[object]]:
    """The database before the poll, the number of writes of the poll, and the expected end."""
    set_up_matches(harness)
    put_changes(harness)
    source = harness.store.database.name
    counter = KillAtWrite()
    with copy_of_database(mongo_uri, source, counter) as store:
        run_cycle(store, harness.feed, ManualClock(NOW), polling_policy())
        return source, counter.count, poll_to_the_end(store, harness.feed)


def test_a_cycle_killed_at_any_write_ends_the_same_when_run_again(
    harness: MatchdayHarness, mongo_uri: str
) -> None:
    source, writes, expected = run_without_kill(harness, mongo_uri)
    assert writes >= 9, "the scenario makes too few writes"
    for after in (False, True):
        for number in range(1, writes + 1):
            killer = KillAtWrite(number, after=after)
            with copy_of_database(mongo_uri, source, killer) as store:
                with pytest.raises(Killed):
                    run_cycle(store, harness.feed, ManualClock(NOW), polling_policy())
                assert poll_to_the_end(store, harness.feed) == expected, (number, after)


@pytest.mark.parametrize("goals_change", [True, False])
def test_a_match_locked_by_a_dead_process_fails_alone_and_in_time(
    harness: MatchdayHarness, mongo_uri: str, monkeypatch: pytest.MonkeyPatch, goals_change: bool
) -> None:
    """A process killed between two writes of a match leaves an open transaction."""
    monkeypatch.setattr("footy_assets.matchday.store.matchdays.WRITE_WITHIN", 0.5)
    set_up_matches(harness)
    outcome = {"status": "HT", "kickoff": KICKOFF}
    harness.put(QUIET, **outcome, goals=[named_goal(40, 7)] if goals_change else [])
    harness.put(
        SECOND, **outcome, goals=[named_goal(3, 234), named_goal(20, 234), named_goal(40, 7)]
    )
    with MongoClient[Document](mongo_uri) as dead, dead.start_session() as session:
        session.start_transaction()
        dead[harness.store.database.name]["fixtures"].update_one(
            {"_id": QUIET}, {"$inc": {"revision": 1}}, session=session
        )
        report = harness.poll()
        assert [failure.subject for failure in report.failures] == [f"write {QUIET}"]
        assert (report.written, report.superseded) == (1, 0)
        assert len(harness.live(SECOND)) == 3
        # Raises if MongoDB gave the transaction up, after 60 s: the poll waited for less.
        assert dead[harness.store.database.name]["fixtures"].find_one(
            {"_id": QUIET}, session=session
        )
        session.abort_transaction()
    assert harness.poll().failures == []
    assert harness.fixture(QUIET).status == "HT"
    assert len(harness.live(QUIET)) == goals_change


@pytest.mark.usefixtures("short_transactions")
def test_a_process_killed_at_any_write_ends_the_same_when_started_again(
    harness: MatchdayHarness, sim: SimServer, mongo_uri: str
) -> None:
    source, writes, expected = run_without_kill(harness, mongo_uri)

    # Exit codes are not safe to read from several threads.
    one_process = Lock()

    def killed_at(number: int) -> list[object]:
        with copy_of_database(mongo_uri, source) as store, ApiFootball(sim.url, None) as feed:
            options = mongo_uri, store.database.name, sim.url, NOW, 1, number
            with one_process:
                assert exit_code(fork(poll_in_process, *options)) == KILLED
            return poll_to_the_end(store, feed)

    with ThreadPoolExecutor(2) as pool:
        for number, outcome in enumerate(pool.map(killed_at, range(1, writes + 1)), start=1):
            assert outcome == expected, number
