"""Feeds that are read while a match is played: how soon a post is known, and what is requested."""

import random
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from statistics import quantiles
from typing import Any

import pytest
from pymongo.database import Database
from pymongo.errors import AutoReconnect

from footy_assets.clock import ManualClock
from footy_assets.errors import SiteRateLimited
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.runtime.listen_process import has_listener
from footy_assets.search.keep_feeds import LOOK_BACK, FeedKeeper, is_anyone_waiting
from footy_assets.search.side_by_side import run_side_by_side
from footy_assets.search.store.searches import SearchStore
from footy_assets.settings import Settings, settings_of
from footy_assets.sim.social.posts import SimPost
from footy_assets.sim.social.soccer_server import FEED, SoccerServer
from footy_assets.sim.social.soccer_titles import goal_title
from footy_assets.sim.social.telegram_server import TelegramServer
from footy_assets.store.collections import Document
from footy_assets.store.rate_limit import SharedRateLimit
from footy_assets.store.site_feeds import SiteFeeds
from footy_assets_tests.resources.fans import ignore
from footy_assets_tests.resources.seen_goal import MATCH, MINUTE, NOW, QUERY, SEEN, WINDOW
from resources.sites.connection import open_sites
from resources.sites.feeds import open_feeds

HOUR = timedelta(hours=1)


class WatchedFeeds(SiteFeeds):
    """Notes when each post is stored first."""

    def __init__(self, database: Database[Document], clock: ManualClock) -> None:
        super().__init__(database)
        self.clock, self.stored_at = clock, dict[str, datetime]()

    def save(self, name: str, feed: Document) -> None:
        super().save(name, feed)
        for entry in feed.get("entries", ()):
            self.stored_at.setdefault(f"{name} {entry['published'].isoformat()}", self.clock.now())


@dataclass
class Sites:
    clock: ManualClock
    soccer: SoccerServer
    telegram: TelegramServer
    database: Database[Document]
    feeds: WatchedFeeds
    settings: Settings = field(init=False)
    is_played: bool = True

    def __post_init__(self) -> None:
        self.settings = settings_of(
            sites=("reddit", "telegram"),
            reddit_url=self.soccer.url,
            telegram_url=self.telegram.url,
            telegram_channels=("goals",),
            clip_hosts=("127.0.0.1=streamin", "localhost=streamain"),
        )

    def keep(self, duration: timedelta) -> FeedKeeper:
        limit, ends = SharedRateLimit(self.database), self.clock.now() + duration
        with open_feeds(self.settings, self.clock, limit, self.feeds) as feeds:
            keeper = FeedKeeper(feeds, lambda: self.is_played, self.clock)
            keeper.run(lambda: self.clock.now() >= ends)
        return keeper

    def search(self) -> dict[str, int]:
        limit = SharedRateLimit(self.database)
        with open_sites(self.settings, self.clock, limit, self.feeds) as sites:
            return {site.name: len(site.search(QUERY, WINDOW, ignore).posts) for site in sites}

    def requests(self) -> tuple[int, int]:
        return len(self.soccer.requests_to(FEED)), len(self.telegram.requests_to("/s/"))


@pytest.fixture
def sites(database: Database[Document]) -> Iterator[Sites]:
    clock = ManualClock(NOW)
    with ExitStack() as stack:
        soccer = stack.enter_context(SoccerServer(lambda now: [], clock))
        telegram = stack.enter_context(TelegramServer(lambda now: [], clock))
        telegram.quiet_channels.add("goals")
        yield Sites(clock, soccer, telegram, database, WatchedFeeds(database, clock))


def posted(number: int, at: datetime, **changes: Any) -> SimPost:
    values: dict[str, Any] = {"author": "goals", "video": "film", "sites": {"reddit", "telegram"}}
    return SimPost(f"{number:x}", goal_title(SEEN, 0), posted_at=at, **values | changes)


def test_se5_a_post_is_a_candidate_within_a_minute(sites: Sites) -> None:
    numbers = random.Random(7)
    posts = [posted(n, NOW + HOUR * numbers.random()) for n in range(300)]
    sites.soccer.posts = sites.telegram.posts = lambda now: posts
    sites.keep(HOUR + 2 * MINUTE)
    for name in ("r/soccer", "t.me/goals"):
        stored = sites.feeds.stored_at
        waits = [
            (stored[f"{name} {post.posted_at.isoformat()}"] - post.posted_at).total_seconds()
            for post in posts
        ]
        assert quantiles(waits, n=20)[-1] < 65
        assert max(waits) < 65
    assert max(sites.requests()) <= 63, "one request a minute"


def test_se5_a_search_of_a_feed_that_is_kept_sends_no_request(sites: Sites) -> None:
    posts = [posted(1, NOW - MINUTE)]
    sites.soccer.posts = sites.telegram.posts = lambda now: posts
    sites.keep(MINUTE + timedelta(seconds=1))
    before = sites.requests()
    for _ in range(11):
        assert sites.search() == {"reddit": 1, "telegram": 1}
        sites.clock.advance(10)
    assert sites.requests() == before
    sites.clock.advance(10)
    assert sites.search() == {"reddit": 1, "telegram": 1}
    assert sites.requests() == (before[0] + 1, before[1] + 1), "when nobody keeps it, it reads"


def test_se5_while_nobody_plays_no_request_is_sent(sites: Sites) -> None:
    sites.is_played = False
    assert sites.keep(HOUR).counts == {}
    assert sites.requests() == (0, 0)


def test_se5_older_posts_that_a_first_search_needs_are_read_too(sites: Sites) -> None:
    posts = [posted(n, NOW - n * MINUTE) for n in range(1, 60)]
    sites.telegram.posts = lambda now: posts
    sites.keep(timedelta(seconds=1))
    feed = sites.feeds.load("t.me/goals") or {}
    assert feed["complete_since"] == NOW - LOOK_BACK


def test_se5_a_feed_that_fails_harms_no_other_and_is_left_alone(sites: Sites) -> None:
    sites.soccer.faults.status = 429
    keeper = sites.keep(10 * MINUTE)
    assert sites.requests() == (3, 10), "after 0, 2 and 6 minutes"
    assert keeper.counts["failed"] == 3
    with pytest.raises(SiteRateLimited):
        sites.search()


def test_a_feed_with_a_bug_harms_no_other(sites: Sites) -> None:
    class Broken:
        name = "broken"

        def keep_fresh(self, since: datetime) -> datetime:
            raise RuntimeError("a bug")

    clock = ManualClock(NOW)
    keeper = FeedKeeper([Broken()], lambda: True, clock)
    keeper.run(lambda: clock.now() >= NOW + 3 * MINUTE)
    assert keeper.counts == {"failed": 3}


def test_feeds_are_kept_while_a_match_is_played_or_a_search_is_open(
    database: Database[Document],
) -> None:
    matchdays, searches = MatchdayStore(database), SearchStore(database)
    assert not is_anyone_waiting(matchdays, searches)
    for number, status in enumerate(("NS", "PST", "FT")):
        matchdays.add([replace(MATCH, id=number, status=status)])
    assert not is_anyone_waiting(matchdays, searches)
    matchdays.add([replace(MATCH, id=9, status="HT")])
    assert is_anyone_waiting(matchdays, searches)


def test_se5_footy_up_reads_feeds_of_sites_that_are_on() -> None:
    assert has_listener(settings_of(sites=("reddit",)))
    assert has_listener(settings_of(sites=("telegram",), telegram_channels=("goals",)))
    assert not has_listener(settings_of(sites=("telegram",)))
    assert not has_listener(settings_of(sites=("reddit",), search_attempts=0))


def test_loops_end_together() -> None:
    ended = []

    def wait(stopped: Any) -> None:
        while not stopped():
            pass
        ended.append("wait")

    def fail(stopped: Any) -> None:
        raise AutoReconnect("MongoDB is gone")

    with pytest.raises(AutoReconnect):
        run_side_by_side([wait, fail], lambda: False)
    assert ended == ["wait"]
