"""The alias resolver with everything it uses, the sites that are heard, the listener and the
keeper of feeds, opened from the settings."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from functools import partial

from pymongo.database import Database

from footy_assets.clock import Clock, SystemClock
from footy_assets.matchday.store.journal import Journal
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.search.aliases import TeamAliases
from footy_assets.search.heard_bluesky import HeardBluesky
from footy_assets.search.keep_feeds import FeedKeeper, is_anyone_waiting
from footy_assets.search.listen import ListenRules, PostListener
from footy_assets.search.rules.site import VideoSite
from footy_assets.search.rules.team_facts import Encyclopedia, TeamDirectory
from footy_assets.search.store.heard_posts import HeardPosts
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.team_aliases import TeamAliasStore
from footy_assets.settings import Settings
from footy_assets.site_name import SiteName
from footy_assets.store.collections import Document
from footy_assets.store.rate_limit import SharedRateLimit
from footy_assets.store.site_feeds import SiteFeeds
from resources.bluesky.connection import open_jetstream
from resources.language_model.alias_picker_connection import open_alias_picker
from resources.sites.feeds import open_feeds
from resources.wikidata.connection import open_wikidata


@contextmanager
def open_team_aliases(
    settings: Settings,
    database: Database[Document],
    teams: TeamDirectory,
    clock: Clock,
    encyclopedia: Encyclopedia | None = None,
) -> Iterator[TeamAliases]:
    """`teams` is the provider. Opens Wikidata unless `encyclopedia` is given."""
    with ExitStack() as stack:
        known = encyclopedia or stack.enter_context(open_wikidata(settings))
        picker = stack.enter_context(open_alias_picker(settings, database, clock))
        yield TeamAliases(TeamAliasStore(database), teams, known, clock, picker, Journal(database))


def heard_sites(
    settings: Settings, database: Database[Document], clock: Clock
) -> tuple[VideoSite, ...]:
    """SE5: the configured sites whose posts are heard, which need no connection of their own."""
    if not settings.listens_to_bluesky:
        return ()
    store = HeardPosts(database, SiteName.BLUESKY.value)
    return (HeardBluesky(store, clock, settings.bluesky_video_url),)


def bluesky_listener(settings: Settings, database: Database[Document]) -> PostListener:
    keep = timedelta(hours=settings.heard_posts_hours)
    store = HeardPosts(database, SiteName.BLUESKY.value)
    return PostListener(store, open_jetstream(settings), SystemClock(), ListenRules(keep))


@contextmanager
def open_feed_keeper(settings: Settings, database: Database[Document]) -> Iterator[FeedKeeper]:
    clock, rate_limit = settings.make_clock(), SharedRateLimit(database)
    is_needed = partial(is_anyone_waiting, MatchdayStore(database), SearchStore(database))
    with open_feeds(settings, clock, rate_limit, SiteFeeds(database)) as feeds:
        yield FeedKeeper(feeds, is_needed, clock)
