"""The sites where fans post, as a Dagster resource."""

from collections.abc import Iterator
from contextlib import contextmanager

from dagster import ConfigurableResource, InitResourceContext
from pydantic import PrivateAttr

from footy_assets.search.rules.site import VideoSite
from footy_assets.store.rate_limit import SharedRateLimit
from resources.browser.resource import BrowserResource
from resources.clock import ClockResource
from resources.from_settings import FromSettings, setting
from resources.mongo.resource import MongoResource
from resources.sites.connection import open_sites_with


class SitesResource(FromSettings, ConfigurableResource["SitesResource"]):
    """The configured sites, each within its rate limit."""

    mongo: MongoResource
    clock: ClockResource
    browser: BrowserResource
    home: str = setting("home")
    sites: str = setting("sites")
    x_url: str = setting("x_url")
    x_cookies_file: str | None = setting("x_cookies_file")
    x_requests_per_15_minutes: int = setting("x_requests_per_15_minutes")
    x_scrolls: int = setting("x_scrolls")
    bluesky_url: str = setting("bluesky_url")
    bluesky_requests_per_15_minutes: int = setting("bluesky_requests_per_15_minutes")

    _opened: tuple[VideoSite, ...] | None = PrivateAttr(default=None)

    @contextmanager
    def yield_for_execution(self, context: InitResourceContext) -> Iterator["SitesResource"]:
        rate_limit = SharedRateLimit(self.mongo.database)
        with open_sites_with(
            self.browser.session, self.as_settings(), self.clock.clock(), rate_limit
        ) as opened:
            self._opened = opened
            try:
                yield self
            finally:
                self._opened = None

    @property
    def opened(self) -> tuple[VideoSite, ...]:
        if self._opened is None:
            raise RuntimeError("SitesResource has sites only while Dagster executes with it")
        return self._opened
