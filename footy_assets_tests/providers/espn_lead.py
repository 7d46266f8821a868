"""A matchday that ESPN leads, with its ids translated back into those of the script."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.matchday.ingest import Ingest, IngestReport
from footy_assets.matchday.monitor import CycleReport, run_cycle
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.tracking import TrackingPolicy
from footy_assets.matchday.views import event_row, fixture_row
from footy_assets.providers.lead import LeadFeed
from footy_assets.providers.rules.identify import Aliases
from footy_assets.providers.store.our_ids import Kind, OurIds
from footy_assets.sim import World
from footy_assets.sim.espn_words import ID_OFFSET, LEAGUES
from footy_assets.sim.other_providers import OtherProviders
from footy_assets.store.collections import Document, ensure_indexes
from footy_assets_tests.policies import polling_policy
from resources.espn.client import Espn

Row = dict[str, Any]
SLUGS = tuple(league.slug for league in LEAGUES.values())


@dataclass
class EspnLead:
    world: World
    server: OtherProviders
    clock: ManualClock
    store: MatchdayStore
    feed: LeadFeed

    def ingest(self) -> IngestReport:
        return Ingest(self.store, self.feed, self.clock, TrackingPolicy()).daily(self.world.day)

    def poll(self, seconds: float = 30) -> CycleReport:
        report = run_cycle(self.store, self.feed, self.clock, polling_policy())
        self.clock.advance(seconds)
        return report

    def rows(self) -> tuple[list[Row], list[Row]]:
        """Fixtures and events, by the ids of the script."""
        fixtures = [one for day in self.world.days for one in self.store.fixtures_of(day)]
        goals = self.store.goals_of([one.id for one in fixtures])
        events = [event_row(goal, one.matchday) for one in fixtures for goal in goals[one.id]]
        rows = [fixture_row(one, self.clock.now()) for one in fixtures]
        for row in (*rows, *events):
            for name, kind in KINDS.items():
                if row.get(name) is not None:
                    row[name] = self._scripted(kind, row[name])
        return rows, events

    def _scripted(self, kind: Kind, number: int) -> int:
        theirs = OurIds(self.store.database, "espn").theirs(kind, [number])
        return int(theirs[number]) - ID_OFFSET


KINDS = {"fixture_id": Kind.MATCH, "team_id": Kind.TEAM, "player_id": Kind.PLAYER}


@contextmanager
def espn_lead(database: Database[Document], world: World) -> Iterator[EspnLead]:
    ensure_indexes(database)
    clock, store = ManualClock(world.starts_at), MatchdayStore(database)
    with (
        OtherProviders(world, clock) as server,
        closing(Espn(server.url, SLUGS, clock=clock)) as espn,
    ):
        feed = LeadFeed("espn", espn, store, clock, Aliases())
        yield EspnLead(world, server, clock, store, feed)
