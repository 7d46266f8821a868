"""The live poll on top of several providers, all on loopback, with a manual clock."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from pymongo.database import Database

from footy_assets.clock import Clock, ManualClock
from footy_assets.matchday.ingest import Ingest
from footy_assets.matchday.monitor import CycleReport, MonitorPolicy, run_cycle
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.tracking import TrackingPolicy
from footy_assets.providers.collect import Collector
from footy_assets.providers.feed import MergedFeed
from footy_assets.providers.health import HealthMonitor
from footy_assets.providers.recovery import Recovery
from footy_assets.providers.rules.adapter import Adapter
from footy_assets.providers.rules.descriptors import (
    API_FOOTBALL,
    Descriptor,
    ProvidersFile,
    RequestLimits,
)
from footy_assets.providers.rules.task import TASK_SECONDS
from footy_assets.providers.store.refusals import ProviderRefusals
from footy_assets.providers.watch import Watcher
from footy_assets.sim import World
from footy_assets.sim.lens_server import LensServer
from footy_assets.sim.other_providers import OtherProviders
from footy_assets.store.collections import Document, ensure_indexes
from footy_assets_tests.policies import polling_policy
from resources.api_football.client import ApiFootball
from resources.football_data.client import FootballData

THREE = {API_FOOTBALL: 100, "second": 80, "third": 60}
MATCHES = 4


async def no_sleep(seconds: float) -> None:
    """Retries without waiting."""


@dataclass
class ProvidersHarness:
    store: MatchdayStore
    clock: Clock
    main: LensServer
    second: OtherProviders
    third: OtherProviders
    raw: ApiFootball
    content: ProvidersFile
    adapters: dict[str, Adapter]
    policy: MonitorPolicy = field(default_factory=polling_policy)

    def __post_init__(self) -> None:
        self.feed = MergedFeed(self.raw, self.store, self.clock, lambda: self.content)
        self.collector = Collector(
            *(self.store, self.adapters, self.clock, lambda: self.content),
            jitter=lambda: 0.0,
            wait_seconds=TASK_SECONDS,
        )
        self.monitor = HealthMonitor(self.store.database, lambda: self.content)
        refusals = ProviderRefusals(self.store.database)
        self.recovery = Recovery(self.monitor, self.content.lead, self.adapters, refusals)
        self.watcher = Watcher(self.collector, self.monitor, self.recovery, self.clock)

    def ingest(self) -> None:
        importer = Ingest(self.store, self.raw, self.clock, TrackingPolicy(teams="*"))
        importer.ids(list(self.main.world.fixture_ids))

    def poll(self, seconds: float = 30) -> CycleReport:
        """Advances the clock, then runs one round of the collector and the live poll."""
        if isinstance(self.clock, ManualClock):
            self.clock.advance(seconds)
        self.collector.round()
        report = run_cycle(self.store, self.feed, self.clock, self.policy)
        self.feed.record_poll()
        return report

    def goals(self) -> list[GoalEvent]:
        found = self.store.goals_of(list(self.main.world.fixture_ids))
        return [goal for goals in found.values() for goal in goals]

    def live_goals(self) -> list[GoalEvent]:
        return [goal for goal in self.goals() if goal.live]


def descriptor(precedence: dict[str, int], limits: RequestLimits | None = None) -> ProvidersFile:
    return ProvidersFile(
        providers={
            name: Descriptor(
                adapter="api_football" if name == API_FOOTBALL else "football_data",
                precedence=weight,
                limits=limits or RequestLimits(max_concurrent=4),
            )
            for name, weight in precedence.items()
        }
    )


def set_clock_after_kickoff(harness: ProvidersHarness, minutes: float) -> None:
    assert isinstance(harness.clock, ManualClock)
    last = max(script.kickoff for script in harness.main.world.scripts)
    harness.clock.at = last + timedelta(minutes=minutes)


@contextmanager
def providers_harness(
    database: Database[Document],
    world: World,
    clock: Clock,
    precedence: dict[str, int] | None = None,
) -> Iterator[ProvidersHarness]:
    ensure_indexes(database)
    content = descriptor(precedence or THREE)
    with ExitStack() as stack:
        main = LensServer(world, clock)
        stack.enter_context(main)
        second = stack.enter_context(OtherProviders(world, clock))
        third = stack.enter_context(OtherProviders(world, clock))
        raw = stack.enter_context(ApiFootball(main.url, None, sleep=no_sleep))
        servers = {"second": second, "third": third}
        adapters: dict[str, Adapter] = {}
        for name in content.providers:
            if name in servers:
                adapters[name] = FootballData(servers[name].url)
                stack.callback(adapters[name].close)
        yield ProvidersHarness(
            MatchdayStore(database), clock, main, second, third, raw, content, adapters
        )
