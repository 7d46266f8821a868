"""What `footy doctor` says about the sites where fans post."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from pymongo.database import Database

from footy_assets.clock import Clock, SystemClock
from footy_assets.errors import ChannelNotReadable, LoginLost, MongoUnavailable
from footy_assets.runtime.check_result import CheckResult
from footy_assets.runtime.home import Home
from footy_assets.runtime.listen_process import has_listener
from footy_assets.search.heard_bluesky import SILENT_AFTER, SILENT_FIX
from footy_assets.search.site_health import site_works
from footy_assets.search.store.heard_posts import RECONNECTS, HeardPosts
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.settings import Settings
from footy_assets.site_name import SiteName
from footy_assets.store.collections import Document
from footy_assets.store.site_feeds import SiteFeeds
from resources.mongo.connection import open_mongo
from resources.telegram.client import NO_CHANNELS, NO_CHANNELS_FIX
from resources.telegram.feed import feed_name

WAIT = "Wait; it is retried automatically"
FIXES: dict[str, str] = {
    error.__name__: error.default_fix for error in (LoginLost, ChannelNotReadable)
}


def examine_sites(settings: Settings) -> Iterator[CheckResult]:
    try:
        with open_mongo(settings, checked=False) as database:
            yield from searched_sites(settings, database)
            if settings.listens_to_bluesky:
                yield listener_of_bluesky(settings, database, SystemClock())
            if SiteName.TELEGRAM in settings.sites:
                yield telegram_channels(settings, database)
    except MongoUnavailable:
        # Reported by the MongoDB check.
        return


def searched_sites(settings: Settings, database: Database[Document]) -> Iterator[CheckResult]:
    """SE7: the result of the last search of each site."""
    health = SiteHealth(database)
    for site in settings.sites:
        found = site_works(health, site)
        fix = FIXES.get(found.details.get("kind", ""), WAIT)
        needed = bool(found.details.get("needs_person"))
        name = f"searches of {site}"
        yield CheckResult(name, found.passed, found.summary, fix, optional=not needed)


def listener_of_bluesky(
    settings: Settings, database: Database[Document], clock: Clock
) -> CheckResult:
    """Whether messages of the stream came lately; `clock` is the real time, as the listener's."""
    name = "listener of Bluesky"
    is_up = has_listener(settings) and bool(Home(settings.home).read_record().get("ui"))
    state = HeardPosts(database, SiteName.BLUESKY.value).state()
    if state is None:
        return CheckResult(name, not is_up, "has heard nothing yet", SILENT_FIX, optional=True)
    silent = clock.now() - state.written_at
    detail = (
        f"last message {state.written_at:%Y-%m-%d %H:%M:%S} UTC, {state.counts.get('kept', 0)} "
        f"posts kept, {state.counts.get(RECONNECTS, 0)} reconnects"
    )
    ok = not is_up or silent <= SILENT_AFTER
    return CheckResult(name, ok, detail, SILENT_FIX, optional=True)


def telegram_channels(settings: Settings, database: Database[Document]) -> CheckResult:
    """Each channel as it was last read: one that fails is hidden by the others' results."""
    name, feeds = "Telegram channels", SiteFeeds(database)
    if not settings.telegram_channels:
        return CheckResult(name, False, NO_CHANNELS, NO_CHANNELS_FIX)
    found = {
        channel: feeds.load(feed_name(channel)) or {} for channel in settings.telegram_channels
    }
    detail = "; ".join(f"{channel}: {_last_read(feed)}" for channel, feed in found.items())
    ok = not any(feed.get("problem") for feed in found.values())
    return CheckResult(name, ok, detail, ChannelNotReadable.default_fix, optional=True)


def _last_read(feed: dict[str, Any]) -> str:
    if feed.get("problem"):
        return "no web preview"
    read_at = feed.get("fetched_at")
    if not isinstance(read_at, datetime):
        return "not read yet"
    return f"read at {read_at:%Y-%m-%d %H:%M:%S} UTC"
