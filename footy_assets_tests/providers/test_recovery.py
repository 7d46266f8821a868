"""Recovery by the watcher: requests in flight finish, and each action leaves an audit entry."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date, timedelta

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import ProviderUnavailable
from footy_assets.providers.rules.adapter import Adapter, FetchResult
from footy_assets.providers.rules.adapter_settings import PageSettings
from footy_assets.providers.rules.descriptors import API_FOOTBALL
from footy_assets.providers.rules.health import ALL_PROVIDERS, Grade
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets.providers.rules.recovery import (
    Action,
    BrowserFigures,
    BrowserLimits,
    RecoveryEntry,
    RecoveryOutcome,
)
from footy_assets.sim import World, make_world
from footy_assets.sim.other_providers import OtherProviders
from footy_assets.store.collections import Document
from footy_assets_tests.providers.harness import ProvidersHarness, providers_harness
from footy_assets_tests.waiting import wait_until
from resources.browser import session
from resources.score_page.client import ScorePage

pytestmark = pytest.mark.slow


@dataclass
class BrowserAdapter:
    """An adapter whose browser has the figures that a test sets."""

    inner: Adapter
    browser: BrowserFigures = field(default_factory=BrowserFigures)
    recycle_count: int = 0
    reset_count: int = 0

    def discover(self, day: date, within: float) -> FetchResult:
        return self.inner.discover(day, within)

    def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
        return self.inner.fetch(wanted, within)

    def figures(self) -> BrowserFigures | None:
        return self.browser

    def recycle(self) -> None:
        self.recycle_count, self.browser = self.recycle_count + 1, BrowserFigures()

    def reset(self) -> None:
        self.reset_count, self.browser = self.reset_count + 1, BrowserFigures()

    def close(self) -> None:
        self.inner.close()


@pytest.fixture(scope="session")
def world() -> World:
    return make_world(matches=2)


@pytest.fixture
def harness_with_browser(
    database: Database[Document], world: World, clock: ManualClock
) -> Iterator[tuple[ProvidersHarness, BrowserAdapter]]:
    with providers_harness(database, world, clock, {API_FOOTBALL: 100, "second": 80}) as harness:
        harness.ingest()
        clock.at = max(script.kickoff for script in world.scripts) + timedelta(minutes=5)
        adapter = BrowserAdapter(harness.adapters["second"])
        harness.adapters["second"] = adapter
        harness.poll()
        yield harness, adapter


def step_watcher(harness: ProvidersHarness, seconds: int, every: int = 15) -> None:
    assert isinstance(harness.clock, ManualClock)
    for _ in range(seconds // every):
        harness.clock.advance(every)
        harness.watcher.step()


def test_recovery_a_browser_of_six_hours_is_recycled_once(
    harness_with_browser: tuple[ProvidersHarness, BrowserAdapter],
) -> None:
    harness, adapter = harness_with_browser
    adapter.browser = BrowserFigures(uptime=timedelta(hours=6), processes=9, megabytes=400)
    step_watcher(harness, 60)
    assert adapter.recycle_count == 1
    (entry,) = harness.collector.state.recoveries()
    assert entry.action is Action.BROWSER_RECYCLE
    assert entry.condition == "up for 6:00:00"
    assert entry.outcome is RecoveryOutcome.SUCCESS
    assert entry.seconds is not None
    assert (entry.before["processes"], entry.after["processes"]) == (9, 0)


def test_recovery_pages_that_pile_up_are_closed_and_the_browser_stays(
    harness_with_browser: tuple[ProvidersHarness, BrowserAdapter],
) -> None:
    harness, adapter = harness_with_browser
    adapter.browser = BrowserFigures(pages=8)
    step_watcher(harness, 15)
    assert (adapter.reset_count, adapter.recycle_count) == (1, 0)


def test_recovery_a_manual_request_is_performed_by_the_watcher(
    harness_with_browser: tuple[ProvidersHarness, BrowserAdapter],
) -> None:
    harness, adapter = harness_with_browser
    harness.collector.state.request_recovery(
        Action.MANUAL, "requested over HTTP", "w1", harness.clock.now()
    )
    step_watcher(harness, 30)
    assert adapter.recycle_count == 1
    (entry,) = harness.collector.state.recoveries()
    assert (entry.id, entry.action, entry.outcome) == ("w1", Action.MANUAL, RecoveryOutcome.SUCCESS)


def of_second(harness: ProvidersHarness) -> list[RecoveryEntry]:
    return [one for one in harness.collector.state.recoveries() if one.subject == "second"]


def test_recovery_the_watchdog_restarts_and_the_grade_decides_the_outcome(
    harness_with_browser: tuple[ProvidersHarness, BrowserAdapter],
) -> None:
    harness, adapter = harness_with_browser
    step_watcher(harness, 30)
    harness.second.football_data.broken = "down"
    step_watcher(harness, 300)
    assert adapter.recycle_count >= 1
    oldest = of_second(harness)[-1]
    assert oldest.action is Action.SOFT_RESTART
    assert oldest.outcome is RecoveryOutcome.FAILED
    harness.second.football_data.broken = None
    step_watcher(harness, 600)
    assert harness.collector.state.grade("second")[0].grade is Grade.HEALTHY
    assert of_second(harness)[0].outcome in (RecoveryOutcome.SUCCESS, RecoveryOutcome.FAILED)


def test_recovery_is_for_the_provider_that_fails_and_settled_by_its_grade(
    database: Database[Document], world: World, clock: ManualClock
) -> None:
    with providers_harness(database, world, clock) as harness:
        harness.ingest()
        clock.at = max(script.kickoff for script in world.scripts) + timedelta(minutes=5)
        second, third = (BrowserAdapter(harness.adapters[name]) for name in ("second", "third"))
        harness.adapters |= {"second": second, "third": third}
        harness.poll()
        harness.second.football_data.broken = "down"
        for _ in range(20):
            harness.poll(15)
            harness.watcher.step()
        assert harness.collector.state.grade()[0].grade is Grade.HEALTHY
        assert (second.recycle_count >= 1, third.recycle_count) == (True, 0)
        oldest = harness.collector.state.recoveries()[-1]
        assert (oldest.subject, oldest.outcome) == ("second", RecoveryOutcome.FAILED)


def test_health_a_provider_that_is_switched_off_has_no_grade(
    harness_with_browser: tuple[ProvidersHarness, BrowserAdapter],
) -> None:
    harness, adapter = harness_with_browser
    harness.second.football_data.broken = "down"
    step_watcher(harness, 150)
    assert harness.collector.state.grade("second")[0].grade is not Grade.HEALTHY
    harness.collector.state.switch("second", False, harness.clock.now())
    recycle_count = adapter.recycle_count
    step_watcher(harness, 300)
    assert harness.collector.state.graded_subjects() == [ALL_PROVIDERS, API_FOOTBALL]
    assert adapter.recycle_count == recycle_count


def test_recovery_recycling_finishes_the_task_in_flight(
    world: World, other_providers: OtherProviders, clock: ManualClock
) -> None:
    other_providers.page.slow_seconds = 1.0
    page = ScorePage(PageSettings(url=f"{other_providers.url}/scores"), clock)
    try:
        with ThreadPoolExecutor(1) as pool:
            request = pool.submit(page.fetch, [], 15)
            wait_until(lambda: other_providers.page.request_count > 0)
            assert not request.done()
            page.recycle()
            assert len(request.result().matches) == len(world.scripts)
        figures = page.figures()
        assert figures is not None
        assert figures.processes == 0
        assert other_providers.page.request_count == 1
    finally:
        page.close()


def test_a_page_that_is_closed_starts_no_browser(
    other_providers: OtherProviders, clock: ManualClock
) -> None:
    page = ScorePage(PageSettings(url=f"{other_providers.url}/scores"), clock)
    page.close()
    with pytest.raises(ProviderUnavailable):
        page.fetch([], within=15)
    assert page.figures() == BrowserFigures()
    assert other_providers.page.request_count == 0


def test_a_page_that_is_closed_while_it_is_read_leaves_no_browser(
    other_providers: OtherProviders, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "STOP_SECONDS", 0.5)
    other_providers.page.slow_seconds = 10.0
    page = ScorePage(PageSettings(url=f"{other_providers.url}/scores"), clock)
    with ThreadPoolExecutor(1) as pool:
        request = pool.submit(page.fetch, [], 15)
        wait_until(lambda: other_providers.page.request_count > 0)
        page.close()
        with pytest.raises(ProviderUnavailable):
            request.result()
    assert page.figures() == BrowserFigures()
    assert other_providers.page.request_count == 1


def test_a_stopped_collector_does_not_retry(
    harness_with_browser: tuple[ProvidersHarness, BrowserAdapter],
) -> None:
    harness, _ = harness_with_browser
    requests: list[float] = []

    class StopsDuringFetch(BrowserAdapter):
        def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
            requests.append(within)
            harness.collector.stop()
            raise ProviderUnavailable("down")

    harness.adapters["second"] = StopsDuringFetch(harness.adapters["second"])
    assert isinstance(harness.clock, ManualClock)
    harness.clock.advance(30)
    harness.collector.round()
    assert len(requests) == 1


def test_recovery_a_page_that_leaks_windows_is_reset_and_still_readable(
    world: World, other_providers: OtherProviders, clock: ManualClock
) -> None:
    other_providers.page.broken = "leaking"
    page = ScorePage(PageSettings(url=f"{other_providers.url}/scores"), clock)
    limits = BrowserLimits(pages=5)
    try:
        for _ in range(4):
            assert len(page.fetch([], within=15).matches) == len(world.scripts)
            figures = page.figures()
            assert figures is not None
            if figures.pages >= limits.pages:
                break
        assert figures.pages >= limits.pages
        page.reset()
        after = page.figures()
        assert after is not None
        assert after.pages == 1
        assert len(page.fetch([], within=15).matches) == len(world.scripts)
    finally:
        page.close()


def test_L6_a_provider_that_is_alone_recovers_too(
    database: Database[Document], world: World, clock: ManualClock
) -> None:
    with providers_harness(database, world, clock, {API_FOOTBALL: 100}) as harness:
        harness.ingest()
        clock.at = max(script.kickoff for script in world.scripts) + timedelta(minutes=5)

        def polled(seconds: int) -> list[Grade]:
            grades = []
            for _ in range(seconds // 15):
                harness.poll(15)
                harness.monitor.evaluate_if_due(clock.now())
                harness.recovery.step(clock.now())
                harness.recovery.settle(clock.now())
                grades.append(harness.monitor.state.grade(API_FOOTBALL)[0].grade)
            return grades

        polled(30)
        harness.main.faults.fail(times=None)
        assert Grade.RECOVERING in polled(150)
        harness.main.faults.clear()
        assert polled(30)[-1] is Grade.HEALTHY
        (entry,) = harness.monitor.state.recoveries()
        assert (entry.subject, entry.action) == (API_FOOTBALL, Action.SOFT_RESTART)
        assert entry.outcome is RecoveryOutcome.SUCCESS
