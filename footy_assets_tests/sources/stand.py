"""The live poll on top of several providers, all on loopback, with a clock by hand."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from pymongo.database import Database

from footy_assets.clock import Clock, ManualClock
from footy_assets.matchday.goal import GoalEvent
from footy_assets.operations.ingest import Ingest
from footy_assets.operations.monitor import CycleReport, run_cycle
from footy_assets.operations.rules import Following, Rules
from footy_assets.operations.sources_collect import Collector
from footy_assets.operations.sources_feed import MergedFeed
from footy_assets.operations.sources_health import Pulse
from footy_assets.operations.sources_watch import Watcher
from footy_assets.sim import World
from footy_assets.sim.more_sources import MoreSources
from footy_assets.sim.seen_through import LensServer
from footy_assets.sources.adapter import Adapter
from footy_assets.sources.descriptors import MAIN, Descriptor, Limits, SourcesFile
from footy_assets.sources.task import TASK_SECONDS
from footy_assets.store.collections import Document, ensure_indexes
from footy_assets.store.matchdays import MatchdayStore
from resources.api_football.client import ApiFootball
from resources.football_data.client import FootballData

THREE = {MAIN: 100, "second": 80, "third": 60}


async def never_wait(seconds: float) -> None:
    """Retries without their pauses."""


@dataclass
class Stand:
    store: MatchdayStore
    clock: Clock
    main: LensServer
    second: MoreSources
    third: MoreSources
    raw: ApiFootball
    content: SourcesFile
    adapters: dict[str, Adapter]
    rules: Rules = field(default_factory=Rules)

    def __post_init__(self) -> None:
        self.feed = MergedFeed(self.raw, self.store, self.clock, lambda: self.content)
        self.collector = Collector(
            *(self.store, self.adapters, self.clock, lambda: self.content),
            chance=lambda: 0.0,
            patience=TASK_SECONDS,
        )
        self.pulse = Pulse(self.store.database, lambda: self.content)
        self.watcher = Watcher(self.collector, self.pulse, self.clock)

    def ingest(self) -> None:
        importer = Ingest(self.store, self.raw, self.clock, Following(teams="*"))
        importer.ids(list(self.main.world.fixture_ids))

    def poll(self, seconds: float = 30) -> CycleReport:
        """The others are asked, then the live poll; by hand, `seconds` later."""
        if isinstance(self.clock, ManualClock):
            self.clock.advance(seconds)
        self.collector.round()
        report = run_cycle(self.store, self.feed, self.clock, self.rules)
        self.feed.tell()
        return report

    def goals(self) -> list[GoalEvent]:
        found = self.store.goals_of(list(self.main.world.fixture_ids))
        return [goal for goals in found.values() for goal in goals]

    def live_goals(self) -> list[GoalEvent]:
        return [goal for goal in self.goals() if goal.live]


def described(precedence: dict[str, int], limits: Limits | None = None) -> SourcesFile:
    return SourcesFile(
        sources={
            name: Descriptor(
                adapter="api_football" if name == MAIN else "football_data",
                precedence=weight,
                limits=limits or Limits(max_concurrent=4),
            )
            for name, weight in precedence.items()
        }
    )


@contextmanager
def stand(
    database: Database[Document],
    world: World,
    clock: Clock,
    precedence: dict[str, int] | None = None,
) -> Iterator[Stand]:
    ensure_indexes(database)
    content = described(precedence or THREE)
    with ExitStack() as stack:
        main = LensServer(world, clock)
        stack.enter_context(main)
        second = stack.enter_context(MoreSources(world, clock))
        third = stack.enter_context(MoreSources(world, clock))
        raw = stack.enter_context(ApiFootball(main.url, None, sleep=never_wait))
        servers = {"second": second, "third": third}
        adapters: dict[str, Adapter] = {}
        for name in content.sources:
            if name in servers:
                adapters[name] = FootballData(servers[name].url)
                stack.callback(adapters[name].close)
        yield Stand(MatchdayStore(database), clock, main, second, third, raw, content, adapters)
