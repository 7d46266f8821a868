"""Telegram's channels, over loopback."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import (
    ChannelNotReadable,
    DownloadCause,
    SiteAnswerInvalid,
    SiteError,
    SiteRateLimited,
    SiteRefused,
    SiteUnavailable,
)
from footy_assets.search.rules.posts import Post
from footy_assets.sim.social.media import Film
from footy_assets.sim.social.posts import SimPost
from footy_assets.sim.social.soccer_titles import goal_title, other_titles
from footy_assets.sim.social.telegram_server import TelegramServer
from footy_assets.store.collections import Document
from footy_assets.store.rate_limit import SharedRateLimit
from footy_assets.store.site_feeds import SiteFeeds
from footy_assets_tests.resources.fans import ignore
from footy_assets_tests.resources.local_feeds import LocalFeeds
from footy_assets_tests.resources.local_rate_limit import LocalRateLimit
from footy_assets_tests.resources.seen_goal import MINUTE, NOW, QUERY, SEEN, WINDOW
from resources.downloads.fetch import fetch_video
from resources.downloads.guard import NetworkRule
from resources.downloads.hosts import allowed_hosts, is_allowed
from resources.sites.shared_feed import FeedParts
from resources.telegram.client import TelegramSite
from resources.telegram.feed import MISSING_AGAIN, MOST_PAGES, ChannelFeed

TITLE = goal_title(SEEN, 0)
FILM = b"\0\0\0\x18ftypmp42" + bytes(2_000)


def post(number: int, text: str = TITLE, seconds_ago: float = 60, **changes: Any) -> SimPost:
    values: dict[str, Any] = {
        "id": str(number),
        "text": text,
        "author": "goals",
        "posted_at": NOW - timedelta(seconds=seconds_ago),
        "video": f"film{number}",
        "duration": 21.0,
        "views": 1_200,
        "sites": frozenset({"telegram"}),
    }
    return SimPost(**values | changes)


@pytest.fixture(scope="module")
def running() -> Iterator[TelegramServer]:
    films = {"film1": Film(FILM)}
    with TelegramServer(lambda now: [], ManualClock(NOW), films=films.get) as server:
        yield server


@pytest.fixture
def clock(running: TelegramServer) -> ManualClock:
    assert isinstance(running.clock, ManualClock)
    running.clock.at = NOW
    return running.clock


@pytest.fixture
def server(running: TelegramServer, clock: ManualClock) -> TelegramServer:
    running.reset()
    running.posts = lambda now: []
    running.quiet_channels.add("goals")
    return running


def open_site(server: TelegramServer, limit: Any, feeds: Any, *channels: str) -> TelegramSite:
    parts = FeedParts(server.url, server.clock, limit, feeds, MINUTE)
    return TelegramSite([ChannelFeed(channel, parts) for channel in channels])


@pytest.fixture
def telegram(server: TelegramServer) -> Iterator[TelegramSite]:
    with open_site(server, LocalRateLimit(), LocalFeeds(), "goals") as site:
        yield site


def show(server: TelegramServer, *posts: SimPost) -> None:
    server.posts = lambda now: posts


def test_se5_a_message_of_the_goal_has_its_video(
    server: TelegramServer, telegram: TelegramSite
) -> None:
    show(server, post(1))
    (found,) = telegram.search(QUERY, WINDOW, ignore).posts
    assert found == Post(
        site="telegram",
        post_id="goals/1001",
        url="https://t.me/goals/1001",
        posted_at=NOW - MINUTE,
        text=TITLE,
        author="goals",
        video_url=f"{server.url}/file/film1.mp4?token=A&b=1",
        duration=21,
        aspect=16 / 9,
        popularity=12,
    )
    (visit,) = server.requests
    assert (visit.path, visit.query) == ("/s/goals", "")
    assert visit.user_agent.startswith("footy-assets/")


def test_se6_of_all_messages_those_of_the_goal_with_a_video_are_found(
    server: TelegramServer, telegram: TelegramSite
) -> None:
    ours = [post(1), post(2, "Ndiaye!! Everton lead"), post(3, shape="too_big")]
    noise = [post(10 + n, other_titles(SEEN)[n]) for n in (0, 5, 7)]
    noise += [post(20, video=None), post(21, "", quotes=post(1)), post(22, seconds_ago=3_600)]
    show(server, *ours, *noise)
    found = telegram.search(QUERY, WINDOW, ignore)
    assert {one.text for one in found.posts} == {TITLE, "Ndiaye!! Everton lead"}
    assert [one.video_url is None for one in found.posts].count(True) == 1
    assert found.unreadable == {"too_big_for_preview": 1}
    assert found.looked_at == len(ours) + len(noise) - 1


def test_se5_one_request_a_minute_serves_all_goals_and_processes(
    server: TelegramServer, clock: ManualClock, database: Database[Document]
) -> None:
    show(server, post(1), post(2, author="others"))
    for _ in range(3):
        limit, feeds = SharedRateLimit(database), SiteFeeds(database)
        with open_site(server, limit, feeds, "goals", "others") as site:
            assert len(site.search(QUERY, WINDOW, ignore).posts) == 2
    assert len(server.requests) == 2, "one for each channel"
    clock.at += MINUTE
    with open_site(server, limit, feeds, "Goals") as site:
        assert len(site.search(QUERY, WINDOW, ignore).posts) == 1
    assert len(server.requests) == 3


def test_se5_older_pages_are_read_as_far_as_the_window_needs(
    server: TelegramServer, telegram: TelegramSite, clock: ManualClock
) -> None:
    show(server, *(post(n, seconds_ago=4 * n) for n in range(-14, 200)))
    found = telegram.search(QUERY, WINDOW, ignore)
    assert found.looked_at == 76
    assert found.unreadable == {}
    assert len(server.requests) == 4
    clock.at += MINUTE
    assert telegram.search(QUERY, WINDOW, ignore).looked_at == 90
    assert len(server.requests) == 5, "the rest is known"


def test_se5_the_pages_of_one_reading_are_bounded(
    server: TelegramServer, telegram: TelegramSite
) -> None:
    show(server, *(post(n, seconds_ago=n) for n in range(1, 300)))
    found = telegram.search(QUERY, WINDOW, ignore)
    assert len(found.posts) == MOST_PAGES * server.page_size
    assert found.unreadable == {"not_read": 1}, "a part of the window"
    befores = [parse_qs(visit.query).get("before") for visit in server.requests]
    assert len(befores) == MOST_PAGES
    assert len({str(before) for before in befores}) == MOST_PAGES


@pytest.mark.parametrize("status", [429, 500, 302])
def test_se5_a_failing_older_page_leaves_what_was_read(
    server: TelegramServer, telegram: TelegramSite, clock: ManualClock, status: int
) -> None:
    show(server, *(post(n, seconds_ago=4 * n) for n in range(1, 60)))
    server.faults.older_status = status
    found = telegram.search(QUERY, WINDOW, ignore)
    assert found.looked_at == 20
    assert found.unreadable == {"older_page": 1, "not_read": 1}
    clock.at += MINUTE
    if status == 429:
        with pytest.raises(SiteRateLimited, match="not read before 15:32:00 UTC"):
            telegram.search(QUERY, WINDOW, ignore)


@pytest.mark.parametrize("fault", ["missing", "no_preview"])
def test_se7_a_channel_without_a_preview_says_what_to_do(
    server: TelegramServer, clock: ManualClock, fault: str
) -> None:
    channel = "nosuch" if fault == "missing" else "goals"
    server.faults.no_preview.add("goals")
    with open_site(server, LocalRateLimit(), LocalFeeds(), channel) as site:
        for _ in range(2):
            with pytest.raises(ChannelNotReadable, match=f"{channel} does not exist") as error:
                site.search(QUERY, WINDOW, ignore)
        assert "FOOTY_TELEGRAM_CHANNELS" in error.value.sentence()
        assert len(server.requests) == 1
        server.faults.no_preview.clear()
        server.quiet_channels.add(channel)
        clock.at += MISSING_AGAIN
        assert site.search(QUERY, WINDOW, ignore).posts == ()


def test_se5_a_channel_fails_alone(server: TelegramServer) -> None:
    show(server, post(1))
    with open_site(server, LocalRateLimit(), LocalFeeds(), "nosuch", "goals") as site:
        found = site.search(QUERY, WINDOW, ignore)
    assert len(found.posts) == 1
    assert found.unreadable == {"channel_failed": 1}


def test_se7_without_channels_a_search_fails(server: TelegramServer) -> None:
    site = open_site(server, LocalRateLimit(), LocalFeeds())
    with pytest.raises(ChannelNotReadable, match="no Telegram channel is listed"):
        site.search(QUERY, WINDOW, ignore)


@pytest.mark.parametrize(
    ("status", "error"),
    [(403, SiteRefused), (429, SiteRateLimited), (503, SiteUnavailable), (400, SiteAnswerInvalid)],
)
def test_se7_an_answer_without_a_preview_is_an_error(
    server: TelegramServer, telegram: TelegramSite, status: int, error: type[SiteError]
) -> None:
    server.faults.status = status
    with pytest.raises(error):
        telegram.search(QUERY, WINDOW, ignore)


@pytest.mark.parametrize("broken", ["other_page", "other_form"])
def test_se7_another_form_is_an_error(
    server: TelegramServer, telegram: TelegramSite, broken: Any
) -> None:
    show(server, post(1))
    server.faults.broken = broken
    with pytest.raises(SiteAnswerInvalid):
        telegram.search(QUERY, WINDOW, ignore)


def test_se5_after_too_many_requests_all_channels_are_left_alone(
    server: TelegramServer, clock: ManualClock
) -> None:
    server.quiet_channels.add("others")
    with open_site(server, LocalRateLimit(), LocalFeeds(), "goals", "others") as site:
        for minutes in (2, 4, 8):
            server.faults.status = 429
            before = len(server.requests)
            with pytest.raises(SiteRateLimited):
                site.search(QUERY, WINDOW, ignore)
            assert len(server.requests) == before + 1, "the second channel is not requested"
            clock.at += timedelta(minutes=minutes) - timedelta(seconds=1)
            with pytest.raises(SiteRateLimited):
                site.search(QUERY, WINDOW, ignore)
            assert len(server.requests) == before + 1
            clock.at += MINUTE
        server.faults.status = None
        site.search(QUERY, WINDOW, ignore)


def test_d1_a_video_comes_through_the_guard(server: TelegramServer, tmp_path: Path) -> None:
    for host in ("cdn4.telesco.pe", "cdn5.cdn-telegram.org"):
        assert is_allowed(host, allowed_hosts())
    assert not is_allowed("t.me", allowed_hosts()), "no page is fetched in a download"
    rule = NetworkRule(("127.0.0.1",), 10**6, private_addresses=True)
    url = f"{server.url}/file/film1.mp4?token=A&b=1"
    assert fetch_video(url, tmp_path, "one", 10**6, rule, lambda: None).read_bytes() == FILM
    with pytest.raises(Exception, match="404") as failure:
        fetch_video(f"{server.url}/file/gone.mp4", tmp_path, "two", 10**6, rule, lambda: None)
    assert getattr(failure.value, "cause", None) is DownloadCause.REMOVED
