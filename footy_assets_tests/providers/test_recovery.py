"""Recovery as the watcher does it: what is in flight is finished, and each deed leaves an entry."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import ProviderUnavailable
from footy_assets.providers.rules.adapter import Adapter, FetchResult
from footy_assets.providers.rules.adapter_settings import PageSettings
from footy_assets.providers.rules.descriptors import MAIN
from footy_assets.providers.rules.health import ALL_PROVIDERS, Grade
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets.providers.rules.recovery import Action, BrowserFigures, BrowserLimits, Outcome
from footy_assets.sim import World, make_world
from footy_assets.sim.other_providers import OtherProviders
from footy_assets.store.collections import Document
from footy_assets_tests.providers.stand import Stand, stand
from footy_assets_tests.waiting import wait_until
from resources.browser import session
from resources.score_page.client import ScorePage

pytestmark = pytest.mark.slow


@dataclass
class Worn:
    """A provider whose browser has been up for a while."""

    inner: Adapter
    worn: BrowserFigures = field(default_factory=BrowserFigures)
    recycled: int = 0
    was_reset: int = 0

    def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
        return self.inner.fetch(wanted, within)

    def figures(self) -> BrowserFigures | None:
        return self.worn

    def recycle(self) -> None:
        self.recycled, self.worn = self.recycled + 1, BrowserFigures()

    def reset(self) -> None:
        self.was_reset, self.worn = self.was_reset + 1, BrowserFigures()

    def close(self) -> None:
        self.inner.close()


@pytest.fixture(scope="session")
def world() -> World:
    return make_world(matches=2)


@pytest.fixture
def running(
    database: Database[Document], world: World, clock: ManualClock
) -> Iterator[tuple[Stand, Worn]]:
    with stand(database, world, clock, {MAIN: 100, "second": 80}) as made:
        made.ingest()
        clock.at = max(script.kickoff for script in world.scripts) + timedelta(minutes=5)
        worn = Worn(made.adapters["second"])
        made.adapters["second"] = worn
        made.poll()
        yield made, worn


def steps(made: Stand, seconds: int, every: int = 15) -> None:
    assert isinstance(made.clock, ManualClock)
    for _ in range(seconds // every):
        made.clock.advance(every)
        made.watcher.step()


def test_recovery_a_browser_of_six_hours_is_recycled_once(running: tuple[Stand, Worn]) -> None:
    made, worn = running
    worn.worn = BrowserFigures(uptime=timedelta(hours=6), processes=9, megabytes=400)
    steps(made, 60)
    assert worn.recycled == 1
    (entry,) = made.collector.state.recoveries()
    assert entry.action is Action.BROWSER_RECYCLE
    assert entry.condition == "up for 6:00:00"
    assert entry.outcome is Outcome.SUCCESS
    assert entry.seconds is not None
    assert (entry.before["processes"], entry.after["processes"]) == (9, 0)


def test_recovery_pages_that_pile_up_are_closed_and_the_browser_stays(
    running: tuple[Stand, Worn],
) -> None:
    made, worn = running
    worn.worn = BrowserFigures(pages=8)
    steps(made, 15)
    assert (worn.was_reset, worn.recycled) == (1, 0)


def test_recovery_a_manual_request_is_performed_by_the_watcher(
    running: tuple[Stand, Worn],
) -> None:
    made, worn = running
    made.collector.state.request_recovery(
        Action.MANUAL, "requested over HTTP", "w1", made.clock.now()
    )
    steps(made, 30)
    assert worn.recycled == 1
    (entry,) = made.collector.state.recoveries()
    assert (entry.id, entry.action, entry.outcome) == ("w1", Action.MANUAL, Outcome.SUCCESS)


def test_recovery_the_watchdog_restarts_and_the_grade_decides_the_outcome(
    running: tuple[Stand, Worn],
) -> None:
    made, worn = running
    steps(made, 30)
    made.second.football_data.broken = "down"
    steps(made, 300)
    assert worn.recycled >= 1
    oldest = made.collector.state.recoveries()[-1]
    assert oldest.action is Action.SOFT_RESTART
    assert oldest.outcome is Outcome.FAILED
    made.second.football_data.broken = None
    steps(made, 600)
    assert made.collector.state.grade("second")[0].grade is Grade.HEALTHY
    assert made.collector.state.recoveries()[0].outcome in (Outcome.SUCCESS, Outcome.FAILED)


def test_recovery_is_for_the_provider_that_fails_and_settled_by_its_grade(
    database: Database[Document], world: World, clock: ManualClock
) -> None:
    with stand(database, world, clock) as made:
        made.ingest()
        clock.at = max(script.kickoff for script in world.scripts) + timedelta(minutes=5)
        second, third = (Worn(made.adapters[name]) for name in ("second", "third"))
        made.adapters |= {"second": second, "third": third}
        made.poll()
        made.second.football_data.broken = "down"
        for _ in range(20):
            made.poll(15)
            made.watcher.step()
        assert made.collector.state.grade()[0].grade is Grade.HEALTHY
        assert (second.recycled >= 1, third.recycled) == (True, 0)
        oldest = made.collector.state.recoveries()[-1]
        assert (oldest.subject, oldest.outcome) == ("second", Outcome.FAILED)


def test_health_a_source_that_is_switched_off_has_no_grade(running: tuple[Stand, Worn]) -> None:
    made, worn = running
    made.second.football_data.broken = "down"
    steps(made, 150)
    assert made.collector.state.grade("second")[0].grade is not Grade.HEALTHY
    made.collector.state.switch("second", False, made.clock.now())
    recycled = worn.recycled
    steps(made, 300)
    assert made.collector.state.graded_subjects() == [ALL_PROVIDERS, MAIN]
    assert worn.recycled == recycled


def test_recovery_recycling_finishes_the_task_in_flight(
    world: World, more: OtherProviders, clock: ManualClock
) -> None:
    more.page.slow_seconds = 1.0
    page = ScorePage(PageSettings(url=f"{more.url}/scores"), clock)
    try:
        with ThreadPoolExecutor(1) as pool:
            request = pool.submit(page.fetch, [], 15)
            wait_until(lambda: more.page.request_count > 0)
            assert not request.done()
            page.recycle()
            assert len(request.result().matches) == len(world.scripts)
        figures = page.figures()
        assert figures is not None
        assert figures.processes == 0
        assert more.page.request_count == 1
    finally:
        page.close()


def test_a_page_that_is_closed_starts_no_browser(more: OtherProviders, clock: ManualClock) -> None:
    page = ScorePage(PageSettings(url=f"{more.url}/scores"), clock)
    page.close()
    with pytest.raises(ProviderUnavailable):
        page.fetch([], within=15)
    assert page.figures() == BrowserFigures()
    assert more.page.request_count == 0


def test_a_page_that_is_closed_while_it_is_read_leaves_no_browser(
    more: OtherProviders, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "STOP_SECONDS", 0.5)
    more.page.slow_seconds = 10.0
    page = ScorePage(PageSettings(url=f"{more.url}/scores"), clock)
    with ThreadPoolExecutor(1) as pool:
        request = pool.submit(page.fetch, [], 15)
        wait_until(lambda: more.page.request_count > 0)
        page.close()
        with pytest.raises(ProviderUnavailable):
            request.result()
    assert page.figures() == BrowserFigures()
    assert more.page.request_count == 1


def test_a_collector_that_is_stopped_tries_nothing_again(running: tuple[Stand, Worn]) -> None:
    made, _ = running
    requests: list[float] = []

    class StoppedMeanwhile(Worn):
        def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
            requests.append(within)
            made.collector.stop()
            raise ProviderUnavailable("down")

    made.adapters["second"] = StoppedMeanwhile(made.adapters["second"])
    assert isinstance(made.clock, ManualClock)
    made.clock.advance(30)
    made.collector.round()
    assert len(requests) == 1


def test_recovery_a_page_that_leaks_windows_is_reset_and_read_on(
    world: World, more: OtherProviders, clock: ManualClock
) -> None:
    more.page.broken = "leaking"
    page = ScorePage(PageSettings(url=f"{more.url}/scores"), clock)
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
