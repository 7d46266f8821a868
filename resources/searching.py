"""Searching as a Dagster resource: sources, aliases and due times, opened together."""

from collections.abc import Iterator
from contextlib import contextmanager

from dagster import ConfigurableResource, InitResourceContext
from pydantic import PrivateAttr

from footy_assets.matchday.goal import GoalEvent
from footy_assets.operations.by_hand import ByHand, begin_search
from footy_assets.operations.rules import search_rules
from footy_assets.operations.search_sources import Sweep
from footy_assets.operations.searching import Begun, Searcher
from footy_assets.settings import load_settings
from footy_assets.store.searches import SearchStore
from footy_assets.store.source_health import SourceHealth
from resources.football import FootballResource
from resources.mongo import MongoResource
from resources.team_aliases import open_team_aliases
from resources.video_sources import VideoSourcesResource
from resources.wikidata.resource import WikidataResource


class SearcherResource(ConfigurableResource["SearcherResource"]):
    """Attempts at finding videos. The browser starts with the first search that needs it."""

    mongo: MongoResource
    sources: VideoSourcesResource
    football: FootballResource
    wikidata: WikidataResource

    _searcher: Searcher | None = PrivateAttr(default=None)
    _searches: SearchStore | None = PrivateAttr(default=None)

    @contextmanager
    def yield_for_execution(self, context: InitResourceContext) -> Iterator["SearcherResource"]:
        settings = load_settings()
        clock, database = settings.make_clock(), self.mongo.database
        self._searches = SearchStore(database)
        with open_team_aliases(
            settings, database, self.football.feed, clock, self.wikidata.client
        ) as aliases:
            self._searcher = Searcher(
                self._searches,
                Sweep(self.sources.sources, clock.sleep),
                aliases.aliases_for,
                clock,
                search_rules(settings),
                SourceHealth(database),
            )
            try:
                yield self
            finally:
                self._searcher = None

    @property
    def searcher(self) -> Searcher:
        if self._searcher is None:
            raise RuntimeError("SearcherResource searches only while Dagster executes with it")
        return self._searcher

    def begin_now(self, by: ByHand, goal: GoalEvent) -> Begun:
        """P5: one attempt now, whatever is due."""
        assert self._searches is not None
        return begin_search(self._searches, self.searcher, by, goal)
