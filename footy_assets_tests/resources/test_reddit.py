"""r/soccer's feed and the hosts of clips, over loopback."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import (
    SiteAnswerInvalid,
    SiteError,
    SiteRateLimited,
    SiteRefused,
    SiteUnavailable,
)
from footy_assets.search.rules.posts import Post
from footy_assets.search.rules.query import GoalQuery
from footy_assets.sim.social.posts import SimPost
from footy_assets.sim.social.soccer_server import FEED, SoccerServer
from footy_assets.sim.social.soccer_titles import STYLES, goal_title, other_titles
from footy_assets.store.collections import Document
from footy_assets.store.rate_limit import SharedRateLimit
from footy_assets.store.site_feeds import SiteFeeds
from footy_assets_tests.resources.fans import ignore
from footy_assets_tests.resources.local_feeds import LocalFeeds
from footy_assets_tests.resources.local_rate_limit import LocalRateLimit
from footy_assets_tests.resources.seen_goal import MINUTE, NOW, QUERY, SEEN, WINDOW
from resources.clip_hosts.table import ClipHosts
from resources.reddit.client import RedditSite
from resources.reddit.feed import NAME, SoccerFeed
from resources.reddit.models import parse_feed
from resources.sites.shared_feed import FeedParts

HOSTS = ClipHosts(("127.0.0.1=streamin", "localhost=streamain"))


def post(number: int, title: str, seconds_ago: float = 60, **changes: Any) -> SimPost:
    values: dict[str, Any] = {
        "id": f"1abc{number:02d}",
        "text": title,
        "author": f"fan{number}",
        "posted_at": NOW - timedelta(seconds=seconds_ago),
        "video": f"film{number}",
        "sites": frozenset({"reddit"}),
    }
    return SimPost(**values | changes)


@pytest.fixture(scope="module")
def running() -> Iterator[SoccerServer]:
    with SoccerServer(lambda now: [], ManualClock(NOW)) as server:
        yield server


@pytest.fixture
def clock(running: SoccerServer) -> ManualClock:
    assert isinstance(running.clock, ManualClock)
    running.clock.at = NOW
    return running.clock


@pytest.fixture
def server(running: SoccerServer, clock: ManualClock) -> SoccerServer:
    running.reset()
    running.posts = lambda now: []
    return running


def open_site(server: SoccerServer, limit: Any, feeds: Any) -> RedditSite:
    parts = FeedParts(server.url, server.clock, limit, feeds, MINUTE)
    return RedditSite(SoccerFeed(parts), HOSTS)


@pytest.fixture
def reddit(server: SoccerServer) -> Iterator[RedditSite]:
    with open_site(server, LocalRateLimit(), LocalFeeds()) as site:
        yield site


def show(server: SoccerServer, *posts: SimPost) -> None:
    server.posts = lambda now: posts


def test_se5_a_post_of_the_goal_has_the_link_to_its_clip(
    server: SoccerServer, reddit: RedditSite
) -> None:
    show(server, post(1, goal_title(SEEN, 0)))
    (found,) = reddit.search(QUERY, WINDOW, ignore).posts
    assert found == Post(
        site="reddit",
        post_id="t3_1abc01",
        url="https://www.reddit.com/r/soccer/comments/1abc01/title/",
        posted_at=NOW - MINUTE,
        text="Fulham 1 - [2] Everton - Iliman Ndiaye 67'",
        author="fan1",
        video_url=found.video_url,
    )
    assert HOSTS.host_of(found.video_url or "") is not None
    (visit,) = server.requests
    assert visit.path == FEED
    assert visit.user_agent.startswith("footy-assets/")


def test_se6_of_all_posts_of_a_match_those_of_the_goal_are_found(
    server: SoccerServer, reddit: RedditSite
) -> None:
    ours = [post(n, goal_title(SEEN, n)) for n in range(len(STYLES))]
    earlier = replace(SEEN, score=(1, 1), minute="50")
    noise = [post(20, goal_title(earlier, 0)), post(21, goal_title(replace(SEEN, home="Hull"), 0))]
    noise += [post(30 + n, title, video=None) for n, title in enumerate(other_titles(SEEN))]
    show(server, *ours, *noise)
    found = reddit.search(QUERY, WINDOW, ignore)
    assert {p.post_id for p in found.posts} == {f"t3_{p.id}" for p in ours}
    assert found.looked_at == len(ours) + len(noise)
    assert len({(p.video_url or "").split(":")[1] for p in found.posts}) == 2, "both hosts"


def test_se5_one_request_a_minute_serves_all_goals(
    server: SoccerServer, clock: ManualClock
) -> None:
    limit, feeds = LocalRateLimit(), LocalFeeds()
    show(server, post(1, goal_title(SEEN, 0)))
    with open_site(server, limit, feeds) as one, open_site(server, limit, feeds) as other:
        for site in (one, other, one):
            assert len(site.search(QUERY, WINDOW, ignore).posts) == 1
        assert len(server.requests_to(FEED)) == 1
        clock.at += timedelta(seconds=57)
        assert len(other.search(QUERY, WINDOW, ignore).posts) == 1
    assert len(server.requests_to(FEED)) == 2, "a request that is due in seconds is waited for"


def test_se5_posts_stay_known_after_they_left_the_feed(
    server: SoccerServer, reddit: RedditSite, clock: ManualClock
) -> None:
    show(server, post(1, goal_title(SEEN, 0)))
    reddit.search(QUERY, WINDOW, ignore)
    show(server)
    clock.at += MINUTE
    assert len(reddit.search(QUERY, WINDOW, ignore).posts) == 1
    clock.at += timedelta(hours=7)
    assert reddit.search(QUERY, WINDOW, ignore).posts == ()


def test_se5_after_too_many_requests_reddit_is_left_alone_longer_each_time(
    server: SoccerServer, reddit: RedditSite, clock: ManualClock
) -> None:
    for minutes in (2, 4, 8, 16, 32, 32, 0, 2):
        server.faults.status = 429 if minutes else None
        if not minutes:
            reddit.search(QUERY, WINDOW, ignore)
            clock.at += timedelta(minutes=5)
            continue
        until = clock.now() + timedelta(minutes=minutes)
        with pytest.raises(SiteRateLimited, match=f"none before {until:%H:%M:%S} UTC"):
            reddit.search(QUERY, WINDOW, ignore)
        clock.at = until - timedelta(seconds=6)
        with pytest.raises(SiteRateLimited, match="not read before"):
            reddit.search(QUERY, WINDOW, ignore)
        clock.at = until
    assert len(server.requests_to(FEED)) == 8


def test_se5_a_time_that_reddit_names_is_kept(
    server: SoccerServer, reddit: RedditSite, clock: ManualClock
) -> None:
    server.faults.status, server.faults.headers = 429, {"x-ratelimit-reset": "600.0"}
    with pytest.raises(SiteRateLimited):
        reddit.search(QUERY, WINDOW, ignore)
    server.faults.status = None
    clock.at += timedelta(minutes=9)
    with pytest.raises(SiteRateLimited, match="not read before 15:40:00 UTC"):
        reddit.search(QUERY, WINDOW, ignore)
    clock.at += timedelta(minutes=1)
    reddit.search(QUERY, WINDOW, ignore)
    assert len(server.requests_to(FEED)) == 2


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (403, SiteRefused),
        (500, SiteUnavailable),
        (302, SiteAnswerInvalid),
        (404, SiteAnswerInvalid),
    ],
)
def test_se7_an_answer_without_a_feed_is_an_error(
    server: SoccerServer, reddit: RedditSite, status: int, error: type[SiteError]
) -> None:
    server.faults.status = status
    with pytest.raises(error):
        reddit.search(QUERY, WINDOW, ignore)


@pytest.mark.parametrize("broken", ["html", "entities", "cut"])
def test_se7_what_is_no_atom_feed_is_an_error(
    server: SoccerServer, reddit: RedditSite, broken: Any
) -> None:
    show(server, post(1, goal_title(SEEN, 0)))
    server.faults.broken = broken
    with pytest.raises(SiteAnswerInvalid, match="not an Atom feed"):
        reddit.search(QUERY, WINDOW, ignore)


def test_se7_old_posts_are_not_passed_off_as_new(
    server: SoccerServer, reddit: RedditSite, clock: ManualClock
) -> None:
    reddit.search(QUERY, WINDOW, ignore)
    server.faults.status, server.faults.headers = 429, {"retry-after": "900"}
    clock.at += MINUTE
    with pytest.raises(SiteRateLimited):
        reddit.search(QUERY, WINDOW, ignore)
    assert reddit.search(QUERY, WINDOW, ignore).looked_at == 0, "a minute old: good enough"
    clock.at += timedelta(minutes=3)
    with pytest.raises(SiteRateLimited, match="not read before"):
        reddit.search(QUERY, WINDOW, ignore)


def test_se5_an_entry_that_cannot_be_parsed_is_counted(
    server: SoccerServer, reddit: RedditSite
) -> None:
    show(server, post(1, goal_title(SEEN, 0), shape="undated"), post(2, goal_title(SEEN, 1)))
    found = reddit.search(QUERY, WINDOW, ignore)
    assert len(found.posts) == 1
    assert found.unreadable == {"unknown_form": 1}


def test_se5_if_no_entry_can_be_parsed_the_form_has_changed(
    server: SoccerServer, reddit: RedditSite
) -> None:
    show(server, post(1, goal_title(SEEN, 0), shape="undated"))
    with pytest.raises(SiteAnswerInvalid, match="no entry"):
        reddit.search(QUERY, WINDOW, ignore)


def test_se6_a_link_to_an_unknown_host_is_no_video(
    server: SoccerServer, reddit: RedditSite
) -> None:
    show(server, post(1, goal_title(SEEN, 0), video=None))
    found = reddit.search(QUERY, WINDOW, ignore)
    assert [p.video_url for p in found.posts] == [None]
    assert found.unreadable == {"no_known_host": 1}


def test_se5_without_a_goal_the_words_decide(server: SoccerServer, reddit: RedditSite) -> None:
    show(server, post(1, goal_title(SEEN, 0)), post(2, goal_title(replace(SEEN, away="Hull"), 0)))
    found = reddit.search(GoalQuery(("Ndiaye",), ("Everton",)), WINDOW, ignore)
    assert [p.post_id for p in found.posts] == ["t3_1abc01"]


def test_se5_all_processes_share_the_feed(
    server: SoccerServer, clock: ManualClock, database: Database[Document]
) -> None:
    show(server, post(1, goal_title(SEEN, 0)))
    for _ in range(2):
        limit, feeds = SharedRateLimit(database), SiteFeeds(database)
        with open_site(server, limit, feeds) as site:
            assert len(site.search(QUERY, WINDOW, ignore).posts) == 1
    assert len(server.requests_to(FEED)) == 1


def test_se5_a_stored_feed_of_another_form_is_read_again(
    server: SoccerServer, clock: ManualClock
) -> None:
    feeds = LocalFeeds()
    feeds.save(NAME, {"entries": "none"})
    show(server, post(1, goal_title(SEEN, 0)))
    with open_site(server, LocalRateLimit(), feeds) as site:
        assert len(site.search(QUERY, WINDOW, ignore).posts) == 1


def test_se5_the_submitted_link_comes_first() -> None:
    content = (
        "&lt;p&gt;mirror &lt;a href=&quot;https://a.example/1&quot;&gt;here&lt;/a&gt;&lt;/p&gt;"
        "&lt;a href=&quot;https://b.example/2?a=1&amp;amp;b=2&quot;&gt;[link]&lt;/a&gt;"
    )
    feed = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>t3_a</id><title>T</title>'
        f'<link href="https://r.example"/><published>2026-09-12T15:00:00+00:00</published>'
        f"<content>{content}</content></entry></feed>"
    )
    (entry,) = parse_feed(feed.encode(), Counter())
    assert entry.links == ("https://b.example/2?a=1&b=2", "https://a.example/1")
