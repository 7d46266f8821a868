"""The places where fans post, as a Dagster resource."""

from collections.abc import Iterator
from contextlib import contextmanager

from dagster import ConfigurableResource, InitResourceContext
from pydantic import Field, PrivateAttr

from footy_assets.discovery.sources import VideoSource
from footy_assets.settings import load_settings
from footy_assets.store.turns import SharedTurns
from resources.chromium.session import BrowserSession
from resources.mongo import MongoResource
from resources.source_connections import opened
from resources.x.connection import open_browser


class VideoSourcesResource(ConfigurableResource["VideoSourcesResource"]):
    """Every source that is switched on, and the one browser behind them. What is left out comes
    from the settings."""

    mongo: MongoResource
    browser_path: str | None = Field(default=None, description="A Chromium to use.")

    _browser: BrowserSession | None = PrivateAttr(default=None)
    _sources: tuple[VideoSource, ...] = PrivateAttr(default=())

    @contextmanager
    def yield_for_execution(self, context: InitResourceContext) -> Iterator["VideoSourcesResource"]:
        path = {"browser_path": self.browser_path} if self.browser_path else {}
        settings = load_settings(**path)
        turns = SharedTurns(self.mongo.database)
        with open_browser(settings) as browser, opened(settings, browser, turns) as sources:
            self._browser, self._sources = browser, sources
            try:
                yield self
            finally:
                self._browser, self._sources = None, ()

    @property
    def browser(self) -> BrowserSession:
        if self._browser is None:
            raise RuntimeError("VideoSourcesResource has a browser only while Dagster executes")
        return self._browser

    @property
    def sources(self) -> tuple[VideoSource, ...]:
        if self._browser is None:
            raise RuntimeError("VideoSourcesResource has sources only while Dagster executes")
        return self._sources
