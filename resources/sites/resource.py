"""The sites where fans post, as a Dagster resource."""

from contextlib import AbstractContextManager

from dagster import ConfigurableResource

from footy_assets.search.rules.site import VideoSite
from footy_assets.store.rate_limit import SharedRateLimit
from footy_assets.store.site_browsers import SiteBrowsers
from footy_assets.store.site_feeds import SiteFeeds
from resources.browser.resource import BrowserResource
from resources.clock import ClockResource
from resources.from_settings import FromSettings, setting
from resources.mongo.resource import MongoResource
from resources.run_scoped import RunScoped
from resources.sites.connection import open_sites_with


class SitesResource(
    FromSettings, RunScoped[tuple[VideoSite, ...]], ConfigurableResource["SitesResource"]
):
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
    clip_height: int = setting("clip_height")
    download_megabytes: int = setting("download_megabytes")
    bluesky_url: str | None = setting("bluesky_url")
    bluesky_video_url: str = setting("bluesky_video_url")
    bluesky_requests_per_15_minutes: int = setting("bluesky_requests_per_15_minutes")
    reddit_url: str = setting("reddit_url")
    reddit_feed_seconds: float = setting("reddit_feed_seconds")
    clip_hosts: str = setting("clip_hosts")
    telegram_url: str = setting("telegram_url")
    telegram_channels: str = setting("telegram_channels")
    telegram_feed_seconds: float = setting("telegram_feed_seconds")

    def open(self) -> AbstractContextManager[tuple[VideoSite, ...]]:
        database = self.mongo.database
        return open_sites_with(
            self.browser.session,
            self.as_settings(),
            self.clock.clock(),
            SharedRateLimit(database),
            SiteFeeds(database),
            SiteBrowsers(database).record,
        )

    @property
    def video_sites(self) -> tuple[VideoSite, ...]:
        return self.value
