"""Searching as a Dagster resource: sites, team aliases and search attempts, opened together."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from dagster import ConfigurableResource

from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.operator_actions import OperatorAction
from footy_assets.policies import canary_rules, is_searched_ahead, search_rules
from footy_assets.search.ahead_search import AheadSearcher
from footy_assets.search.aliases import TeamAliases
from footy_assets.search.canary import Canaries
from footy_assets.search.connection import heard_sites, open_team_aliases
from footy_assets.search.operator_actions import begin_search
from footy_assets.search.searcher import Searcher, StartedAttempt
from footy_assets.search.store.ahead import AheadStore
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.search.sweep import Sweep
from resources.clock import ClockResource
from resources.from_settings import FromSettings, setting
from resources.mongo.resource import MongoResource
from resources.provider.resource import ProviderResource
from resources.run_scoped import RunScoped
from resources.sites.resource import SitesResource
from resources.wikidata.resource import WikidataResource


class TeamAliasesResource(
    FromSettings, RunScoped[TeamAliases], ConfigurableResource["TeamAliasesResource"]
):
    """Resolves the words that fans use for teams."""

    mongo: MongoResource
    provider: ProviderResource
    wikidata: WikidataResource
    clock: ClockResource
    alias_llm_url: str | None = setting("alias_llm_url")
    alias_llm_model: str = setting("alias_llm_model")
    alias_llm_key: str | None = setting("alias_llm_key")
    alias_llm_calls_per_day: int = setting("alias_llm_calls_per_day")

    def open(self) -> AbstractContextManager[TeamAliases]:
        return open_team_aliases(
            self.as_settings(),
            self.mongo.database,
            self.provider.teams,
            self.clock.clock(),
            self.wikidata.client,
        )

    @property
    def aliases(self) -> TeamAliases:
        return self.value

    @property
    def wikidata_calls(self) -> int:
        return self.wikidata.client.calls


class SearcherResource(FromSettings, RunScoped[Searcher], ConfigurableResource["SearcherResource"]):
    """Search attempts. The browser starts with the first search that needs it."""

    mongo: MongoResource
    sites: SitesResource
    aliases: TeamAliasesResource
    clock: ClockResource
    search_attempts: int = setting("search_attempts")
    search_apart_seconds: float = setting("search_apart_seconds")
    search_give_up_minutes: float = setting("search_give_up_minutes")
    search_chosen: int = setting("search_chosen")
    search_ahead: bool = setting("search_ahead")
    clip_longer_than_seconds: float = setting("clip_longer_than_seconds")
    clip_up_to_seconds: float = setting("clip_up_to_seconds")
    clip_short_edge: int = setting("clip_short_edge")
    clip_portrait: bool = setting("clip_portrait")
    download_megabytes: int = setting("download_megabytes")
    canary_minutes: float = setting("canary_minutes")
    canary_words: str = setting("canary_words")

    @contextmanager
    def open(self) -> Iterator[Searcher]:
        clock, database = self.clock.clock(), self.mongo.database
        heard = heard_sites(self.sites.as_settings(), database, clock)
        settings = self.as_settings()
        parts = (
            SearchStore(database, self.run_id),
            Sweep((*self.sites.video_sites, *heard), clock.sleep),
            self.aliases.aliases.aliases_for,
            clock,
            search_rules(settings),
            SiteHealth(database),
        )
        is_ahead = is_searched_ahead(settings)
        ahead = AheadSearcher(AheadStore(database, self.run_id), *parts) if is_ahead else None
        yield Searcher(*parts, ahead)

    @property
    def searcher(self) -> Searcher:
        return self.value

    @property
    def canaries(self) -> Canaries:
        health, rules = SiteHealth(self.mongo.database), canary_rules(self.as_settings())
        return Canaries(self.searcher.sites, health, self.clock.clock(), rules)

    def begin_now(self, by: OperatorAction, goal: GoalEvent) -> StartedAttempt:
        """P5: start an attempt now, due or not."""
        return begin_search(SearchStore(self.mongo.database), self.searcher, by, goal)
