"""Faults of MongoDB, browsers and logins during a search, and the outcome for its attempt.

| fault                       | meanwhile                                | once healed            |
|-----------------------------|------------------------------------------|------------------------|
| MongoDB down                | the sweep fails                          | the same attempt again |
| browser killed in a search  | another one; killed again: failed        | the next attempt       |
| login lost                  | one alert, stored with its reason        | the next attempt       |
| one goal's search fails     | stored with its reason                   | others are not delayed |
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Page
from pymongo.database import Database
from pymongo.errors import PyMongoError

from footy_assets.clock import ManualClock
from footy_assets.logs import no_log
from footy_assets.matchday.rules.sighting import Side
from footy_assets.matchday.store.documents import goal_from
from footy_assets.search.rules.attempts import AttemptOutcome
from footy_assets.search.rules.site import Progress, VideoSite
from footy_assets.search.searcher import AttemptResult, Searcher, SearchRules
from footy_assets.search.site_health import site_works
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.search.sweep import Sweep
from footy_assets.store.collections import ATTEMPTS, EVENTS, Document
from footy_assets_tests.fixtures.server_switches import ServerSwitch
from footy_assets_tests.matchday.goals import GOAL, STABLE, put_goal
from footy_assets_tests.resources.fans import post as fan_post
from footy_assets_tests.resources.fans import show
from footy_assets_tests.resources.fans import site as make_site
from footy_assets_tests.resources.local_rate_limit import LocalRateLimit
from footy_assets_tests.search.test_searcher import FakeSite, post
from footy_assets_tests.waiting import no_sleep
from resources.browser.launch import BrowserOptions
from resources.browser.processes import kill_using
from resources.browser.session import BrowserSession, Job, T
from resources.sites.rate_limit import RateLimiter
from resources.x.client import SEARCH_SECONDS, XSite
from resources.x.search_page import PageWaits

pytestmark = pytest.mark.slow

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def aliases(side: Side) -> tuple[str, ...]:
    return ("Liverpool", "LFC")


def make_searcher(
    database: Database[Document],
    clock: ManualClock,
    client: VideoSite,
    aliases_of: Callable[[Side], tuple[str, ...]] = aliases,
) -> Searcher:
    rules = SearchRules(wait_for_next=timedelta(0))
    sweep, health = Sweep([client], no_sleep), SiteHealth(database)
    return Searcher(SearchStore(database), sweep, aliases_of, clock, rules, health)


def run_attempt(searcher: Searcher) -> AttemptResult:
    found = searcher.attempt(GOAL.key, no_log)
    assert found is not None
    return found


def outcome(database: Database[Document], number: int) -> str:
    found = database[ATTEMPTS].find_one({"number": number}) or {}
    return str(found.get("failure") or found["outcome"])


class FragileBrowser(BrowserSession):
    """Killed at this many page loads, in the thread that loads them: never after a search."""

    kills = 0

    def run(self, job: Job[T], on_progress: Progress, within: float = SEARCH_SECONDS) -> T:
        def fragile(page: Page, on_progress: Progress) -> T:
            def kill(message: str) -> None:
                on_progress(message)
                if message.startswith("opening X") and self.kills and self.profile:
                    self.kills -= 1
                    kill_using(self.profile)

            return job(page, kill)

        return super().run(fragile, on_progress, within)


@contextmanager
def x_in_a_browser(clock: ManualClock) -> Iterator[tuple[Any, FragileBrowser, XSite, Any]]:
    with make_site() as site:
        site.clock = clock
        session = {"token": site.new_session()}

        def cookies() -> list[dict[str, str]]:
            return [{"name": "auth_token", "value": session["token"], "url": site.url}]

        with FragileBrowser(BrowserOptions(cookies=cookies)) as browser:
            limits = PageWaits(appears=6.0, more=2.0)
            limiter = RateLimiter("X", 1_000, clock, LocalRateLimit())
            client = XSite(browser, site.url, clock=clock, limiter=limiter, limits=limits)
            yield site, browser, client, session


def test_mongodb_down_during_a_search_repeats_the_attempt_under_its_number(
    switchable_mongo: tuple[Database[Document], ServerSwitch], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("footy_assets.store.retrying.sleep", no_sleep)
    database, switch = switchable_mongo
    put_goal(database)
    clock = ManualClock(STABLE)
    fake_site = FakeSite(clock, [post(1)])
    searcher = make_searcher(database, clock, fake_site)
    fake_site.meanwhile = switch.kill
    with pytest.raises(PyMongoError):
        list(searcher.sweep(no_log))
    switch.revive()
    fake_site.meanwhile = None
    database[EVENTS].update_one({}, {"$set": {"search.held_until": LONG_AGO}})
    first = next(iter(searcher.sweep(no_log)))
    assert (first.attempt.number, len(first.chosen)) == (1, 1)


def test_a_browser_killed_during_a_search_is_replaced_or_the_attempt_fails(
    database: Database[Document],
) -> None:
    put_goal(database)
    clock = ManualClock(STABLE)
    SearchStore(database).open_searches()
    with x_in_a_browser(clock) as (site, browser, client, _):
        show(site, [fan_post(n, posted_at=STABLE) for n in range(3)])
        searcher = make_searcher(database, clock, client)
        browser.kills = 1
        assert len(run_attempt(searcher).chosen) == 3, "another browser finished the search"
        assert browser.kills == 0

        clock.advance(60)
        browser.kills = 99
        assert run_attempt(searcher).outcome.failed
        browser.kills = 0
        clock.advance(60)
        assert not run_attempt(searcher).outcome.failed
    assert outcome(database, 2).startswith("x: the browser ended twice in one search")
    assert outcome(database, 3) == AttemptOutcome.FOUND_NOTHING


def test_se7_a_lost_login_raises_one_alert_in_an_outage_and_fails_the_check(
    database: Database[Document],
) -> None:
    put_goal(database)
    clock = ManualClock(STABLE)
    SearchStore(database).open_searches()
    health = SiteHealth(database)
    with x_in_a_browser(clock) as (site, browser, client, session):

        def one_sweep() -> AttemptResult:
            """One attempt in its own sweep: an alert is raised once across sweeps."""
            found = run_attempt(make_searcher(database, clock, client))
            clock.advance(60)
            return found

        def log_in() -> None:
            session["token"] = site.new_session()
            browser.close()

        assert one_sweep().outcome.alerts == ()
        assert site_works(health, "x").passed
        site.end_sessions()
        lost = [one_sweep() for _ in range(3)]
        assert [len(found.outcome.alerts) for found in lost] == [1, 0, 0]
        assert "footy login x" in lost[0].outcome.alerts[0]
        assert all(found.outcome.failed for found in lost), "SE7: no empty results"
        finding = site_works(health, "x")
        assert not finding.passed
        assert finding.details["needs_person"]
        assert "3 searches failed" in finding.summary
        log_in()
        show(site, [fan_post(1, posted_at=clock.now())])
        assert len(one_sweep().chosen) == 1
        assert site_works(health, "x").passed
        site.end_sessions()
        assert len(one_sweep().outcome.alerts) == 1, "another outage raises an alert again"
    assert outcome(database, 2).startswith("x: X ")
    goal = database[EVENTS].find_one({}) or {}
    assert goal_from(goal).attempts_counted == 1, "SE9: of six attempts two were answered"
    assert goal["search"]["failed"] == [2, 3, 4, 6]


def test_se9_one_goals_failed_search_is_stored_and_stops_no_other(
    database: Database[Document],
) -> None:
    put_goal(database)
    put_goal(database, replace(GOAL, key="goal-b", event_id="5000_33_9_Goal_1", team_id=33))

    def broken_for_liverpool(side: Side) -> tuple[str, ...]:
        if side.id == 40:
            raise KeyError("words")
        return aliases(side)

    clock = ManualClock(STABLE)
    searcher = make_searcher(database, clock, FakeSite(clock), broken_for_liverpool)
    done = list(searcher.sweep(no_log))
    assert {one.attempt.goal.key for one in done} == {"goal-a", "goal-b"}
    rows = {d["goal_key"]: d for d in database[ATTEMPTS].find({"number": 1})}
    assert rows["goal-a"]["failure"] == "KeyError: 'words'"
    outcomes = {key: row["outcome"] for key, row in rows.items()}
    assert outcomes == {
        "goal-a": AttemptOutcome.FAILED,
        "goal-b": AttemptOutcome.FOUND_NOTHING,
    }
