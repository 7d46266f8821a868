"""S7: an outage is told about once, however many sweeps and processes meet it."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from pymongo.database import Database

from footy_assets.operations.source_health import source_works
from footy_assets.store.collections import Document
from footy_assets.store.source_health import SourceHealth
from footy_assets_tests.store.goals import STABLE


def lost(health: SourceHealth, minutes: int = 0) -> bool:
    at = STABLE + timedelta(minutes=minutes)
    return health.failed("x", "LoginLost", "$the login has ended", True, at)


def test_s7_once_an_outage_and_again_in_the_next(database: Database[Document]) -> None:
    health = SourceHealth(database)
    assert [lost(health, minute) for minute in range(3)] == [True, False, False]
    outage = health.state("x").outage
    assert outage is not None
    assert (outage.since, outage.failures) == (STABLE, 3)
    assert outage.reason == "$the login has ended"
    health.worked("x", STABLE)
    assert health.state("x").outage is None
    assert lost(health)


def test_s7_of_many_processes_at_once_one_tells(database: Database[Document]) -> None:
    lost(SourceHealth(database))
    SourceHealth(database).worked("x", STABLE)
    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(lambda n: lost(SourceHealth(database)), range(16)))
    assert sum(told) == 1


def test_s7_an_outage_that_heals_by_itself_needs_no_person(database: Database[Document]) -> None:
    health = SourceHealth(database)
    assert not health.failed("x", "SourceUnavailable", "X answered 503", False, STABLE)
    assert lost(health), "a login lost in the middle of it is told"
    assert not health.failed("x", "SourceUnavailable", "X answered 503", False, STABLE)
    assert not lost(health)


def test_s7_the_health_of_a_source_as_checks_tell_it(database: Database[Document]) -> None:
    health = SourceHealth(database)
    assert source_works(health, "x").summary == "not asked yet"
    health.worked("x", STABLE)
    assert source_works(health, "x").summary == "worked at 14:31:00 UTC"
    lost(health)
    found = source_works(health, "x")
    assert not found.passed
    assert found.details["kind"] == "LoginLost"
