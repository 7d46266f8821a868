"""Everything that handles providers in production, in one process, with servers on loopback."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Event, Thread
from typing import Any

from footy_assets.clock import ScaledClock
from footy_assets.matchday.ingest import Ingest
from footy_assets.matchday.monitor import run_cycle
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.tracking import TrackingPolicy
from footy_assets.policies import monitor_policy
from footy_assets.providers.collect import Collector
from footy_assets.providers.feed import MergedFeed
from footy_assets.providers.health import HealthMonitor
from footy_assets.providers.recovery import Recovery
from footy_assets.providers.rules.adapter import Adapter
from footy_assets.providers.rules.adapter_settings import PageSettings
from footy_assets.providers.rules.descriptors import (
    API_FOOTBALL,
    API_FOOTBALL_ONLY,
    Descriptor,
    ProvidersFile,
    RequestLimits,
)
from footy_assets.providers.rules.health import Grade
from footy_assets.providers.rules.priority import Priority
from footy_assets.providers.store.refusals import ProviderRefusals
from footy_assets.providers.watch import Watcher
from footy_assets.settings import settings_of
from footy_assets.sim import World
from footy_assets.sim.lens_server import LensServer
from footy_assets.sim.other_providers import OtherProviders
from footy_assets.store.collections import ensure_indexes
from resources.api_football.client import ApiFootball
from resources.football_data.client import FootballData
from resources.mongo.connection import connect
from resources.score_page.client import ScorePage

POLL_SECONDS = 30.0


@dataclass
class Rig:
    """`page` is None without a browser."""

    world: World
    clock: ScaledClock
    main: LensServer
    second: OtherProviders
    third: OtherProviders
    store: MatchdayStore
    feed: MergedFeed
    monitor: HealthMonitor
    watcher: Watcher
    page: ScorePage | None
    stop: Event = field(default_factory=Event)
    live_requests_delayed: int = 0
    other_requests: int = 0

    def start(self) -> list[Thread]:
        jobs: list[tuple[Callable[[], Any], float]] = [
            (self._poll, POLL_SECONDS),
            (self._watch, 1.0),
            (lambda: self.monitor.evaluate_if_due(self.clock.now()), 1.0),
        ]
        threads = [Thread(target=self._every, args=job, daemon=True) for job in jobs]
        for thread in threads:
            thread.start()
        return threads

    def grade(self, subject: str = "all") -> Grade:
        return self.monitor.state.grade(subject)[0].grade

    def _poll(self) -> None:
        run_cycle(self.store, self.feed, self.clock, monitor_policy(settings_of(sites="none")))
        self.feed.record_poll()

    def _watch(self) -> None:
        plan = self.watcher.step().plan
        if plan is not None:
            delayed_live = [d for d in plan.deferred if d.batch.priority is Priority.LIVE]
            started_others = [b for b in plan.start if b.priority is not Priority.LIVE]
            self.live_requests_delayed += bool(delayed_live and started_others)
            requests = [one for batch in plan.start for one in batch.wanted]
            self.other_requests += sum(one.priority is not Priority.LIVE for one in requests)

    def _every(self, job: Callable[[], Any], seconds: float) -> None:
        due = time.monotonic()
        while not self.stop.is_set():
            try:
                job()
            except Exception as error:
                sys.stderr.write(f"{type(error).__name__}: {error}\n")
            due = max(due + seconds, time.monotonic())
            self.stop.wait(due - time.monotonic())


def providers_file(third: str) -> ProvidersFile:
    """The main provider, football-data.org, and a page of scores or a second football-data.org."""
    return ProvidersFile(
        providers={
            API_FOOTBALL: Descriptor(adapter="api_football", precedence=100),
            "second": Descriptor(adapter="football_data", precedence=80),
            third: Descriptor(
                adapter="page" if third == "page" else "football_data",
                precedence=60,
                confidence=0.9,
                limits=RequestLimits(max_concurrent=2),
            ),
        }
    )


@contextmanager
def rig(
    uri: str,
    name: str,
    world: World,
    *,
    browser: bool = False,
    only_lead: bool = False,
    minutes: float,
) -> Iterator[Rig]:
    """A rig that starts `minutes` after the last kickoff; `only_lead` leaves out the others."""
    kickoff = max(script.kickoff for script in world.scripts)
    clock = ScaledClock(kickoff + timedelta(minutes=minutes), 1.0, time.time())
    third = "page" if browser else "third"
    content = API_FOOTBALL_ONLY if only_lead else providers_file(third)
    with ExitStack() as stack:
        database = stack.enter_context(connect(uri, f"bench_{name}"))
        ensure_indexes(database)
        main = stack.enter_context(LensServer(world, clock))
        second, other = (stack.enter_context(OtherProviders(world, clock)) for _ in range(2))
        raw = stack.enter_context(ApiFootball(main.url, None))
        page = ScorePage(PageSettings(url=f"{other.url}/scores"), clock) if browser else None
        adapters: dict[str, Adapter] = {
            "second": FootballData(second.url),
            third: page or FootballData(other.url),
        }
        for adapter in adapters.values():
            stack.callback(adapter.close)
        store = MatchdayStore(database)
        Ingest(store, raw, clock, TrackingPolicy(teams="*")).ids(list(world.fixture_ids))
        monitor = HealthMonitor(database, lambda: content)
        others = {} if only_lead else adapters
        collector = Collector(store, others, clock, lambda: content)
        recovery = Recovery(monitor, content.lead, others, ProviderRefusals(database))
        made = Rig(
            *(world, clock, main, second, other, store),
            *(MergedFeed(raw, store, clock, lambda: content), monitor),
            *(Watcher(collector, monitor, recovery, clock), page),
        )
        threads = made.start()
        try:
            yield made
        finally:
            made.stop.set()
            for thread in threads:
                thread.join(60)
            database.client.drop_database(database.name)
