"""SE7: an outage is reported once, however many sweeps and processes notice it."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from pymongo.database import Database

from footy_assets.search.site_health import site_works
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.store.collections import Document
from footy_assets_tests.matchday.goals import STABLE


def record_lost_login(health: SiteHealth, minutes: int = 0) -> bool:
    at = STABLE + timedelta(minutes=minutes)
    return health.record_failure("x", "LoginLost", "$the login has ended", True, at)


def test_se7_each_outage_is_reported_once(database: Database[Document]) -> None:
    health = SiteHealth(database)
    assert [record_lost_login(health, minute) for minute in range(3)] == [True, False, False]
    outage = health.state("x").outage
    assert outage is not None
    assert (outage.since, outage.failures) == (STABLE, 3)
    assert outage.reason == "$the login has ended"
    health.record_success("x", STABLE)
    assert health.state("x").outage is None
    assert record_lost_login(health)


def test_se7_of_many_processes_one_reports_an_outage(database: Database[Document]) -> None:
    record_lost_login(SiteHealth(database))
    SiteHealth(database).record_success("x", STABLE)
    with ThreadPoolExecutor(8) as pool:
        reported = list(pool.map(lambda n: record_lost_login(SiteHealth(database)), range(16)))
    assert sum(reported) == 1


def test_se7_a_transient_outage_needs_no_operator(database: Database[Document]) -> None:
    health = SiteHealth(database)
    assert not health.record_failure("x", "SiteUnavailable", "X answered 503", False, STABLE)
    assert record_lost_login(health), "a login lost in the middle of it is reported"
    assert not health.record_failure("x", "SiteUnavailable", "X answered 503", False, STABLE)
    assert not record_lost_login(health)


def test_se7_the_health_of_a_site_in_its_check(database: Database[Document]) -> None:
    health = SiteHealth(database)
    assert site_works(health, "x").summary == "not searched yet"
    health.record_success("x", STABLE)
    assert site_works(health, "x").summary == "worked at 14:31:00 UTC"
    record_lost_login(health)
    found = site_works(health, "x")
    assert not found.passed
    assert found.details["kind"] == "LoginLost"
