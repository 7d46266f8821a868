"""X as a real Chromium sees it, on the simulated site."""

import json
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from footy_assets.clip_limits import ClipRules
from footy_assets.clock import ManualClock
from footy_assets.errors import LoginLost, SiteRateLimited, SiteUnavailable
from footy_assets.providers.rules.recovery import BrowserLimits
from footy_assets.search.rules.posts import Post, PostRefusal, Window, post_refusal
from footy_assets.search.rules.query import GoalQuery
from footy_assets.sim.social import SocialServer
from footy_assets_tests.resources.fans import (
    NOW,
    QUERY,
    ago,
    ignore,
    post,
    post_series,
    show,
    window,
)
from footy_assets_tests.resources.fans import site as make_site
from footy_assets_tests.resources.local_rate_limit import LocalRateLimit
from resources.browser.launch import BrowserOptions
from resources.browser.processes import kill_using, processes_using
from resources.browser.session import BrowserSession
from resources.sites.rate_limit import RateLimiter
from resources.x.client import XSite
from resources.x.cookies import read_cookies
from resources.x.search_page import PageWaits

pytestmark = pytest.mark.slow

# Long enough for a busy machine; only a test that waits in vain takes this long.
PATIENT = PageWaits(appears=8.0, more=6.0)
QUICK = PageWaits(appears=4.0, more=1.0)


@dataclass
class XHarness:
    site: SocialServer
    browser: BrowserSession
    cookies: Path

    @property
    def clock(self) -> ManualClock:
        assert isinstance(self.site.clock, ManualClock)
        return self.site.clock

    def client(self, limits: PageWaits = PATIENT, most: int = 1_000) -> XSite:
        limiter = RateLimiter("X", most, self.clock, LocalRateLimit())
        return XSite(self.browser, self.site.url, clock=self.clock, limiter=limiter, limits=limits)

    def log_in(self) -> None:
        """Logs in as a user does: a session, its cookie in the file and in the browser."""
        host = "127.0.0.1"
        cookie = {"name": "auth_token", "value": self.site.new_session(), "domain": host}
        self.cookies.write_text(json.dumps([cookie]))

        def renew(page: object, on_progress: object) -> None:
            context = page.context  # type: ignore[attr-defined]
            context.clear_cookies()
            context.add_cookies(read_cookies(self.cookies, self.site.url))

        self.browser.run(renew, ignore)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[XHarness]:
    cookies = tmp_path_factory.mktemp("x") / "cookies.json"
    with make_site() as site:
        options = BrowserOptions(
            cookies=lambda: read_cookies(cookies, site.url) if cookies.exists() else []
        )
        with BrowserSession(options, jobs_per_browser=500) as browser:
            yield XHarness(site, browser, cookies)


@pytest.fixture
def harness(shared: XHarness) -> XHarness:
    shared.site.reset()
    shared.clock.at = NOW
    shared.log_in()
    show(shared.site, [])
    return shared


def search(harness: XHarness, **time: float) -> tuple[Post, ...]:
    return harness.client().search(QUERY, window(**time), ignore).posts


def test_se5_a_post_with_a_video_is_read_whole_from_the_json(harness: XHarness) -> None:
    show(harness.site, [post(1, likes=40, reposts=5, views=2_500)])
    (found,) = search(harness)
    assert found == Post(
        site="x",
        post_id="1900000001",
        url=f"{harness.site.url}/fan1/status/1900000001",
        posted_at=ago(seconds=60),
        text="GOAL! Salah for Liverpool, take 1",
        author="fan1",
        video_url=f"{harness.site.url}/video/film1.mp4",
        duration=12.5,
        width=1280,
        height=720,
        aspect=16 / 9,
        size=3_400_000,
        popularity=40 + 2 * 5 + 25,
    )


def test_se5_the_query_is_typed_as_x_wants_it_newest_first(harness: XHarness) -> None:
    posts = [post(1, 30), post(2, 10), post(3, 20, text="Salah for Egypt"), post(4, video=None)]
    show(harness.site, posts)
    assert [p.author for p in search(harness)] == ["fan2", "fan1"]
    (visit,) = [v for v in harness.site.requests if v.path == "/search"]
    assert "src=typed_query&f=live" in visit.query
    assert "%28Salah%20OR%20Mohamed%29%20%28Liverpool%20OR%20LFC%29%20filter%3Avideos" in (
        visit.query
    )


def test_se5_videos_and_images_are_never_loaded(harness: XHarness) -> None:
    show(harness.site, post_series(5))
    search(harness)
    assert not harness.site.requests_to("/video/")
    assert not harness.site.requests_to("/thumb/")


def test_se6_an_ad_is_known_by_its_marker_not_by_its_text(harness: XHarness) -> None:
    adams = post(
        1, 20, text="Ad of the day? Adams sets up Salah, promoted Liverpool lead", author="ad"
    )
    show(harness.site, [adams, post(2, 30), post(3, 40), post(4, 10, is_ad=True, text="Buy boots")])
    found = search(harness)
    assert [p.author for p in found if p.is_ad] == ["fan4"]
    fit = [p.author for p in found if post_refusal(p, window(), (), ClipRules()) is None]
    assert fit == ["ad", "fan2", "fan3"]


def test_se6_a_quoted_or_linked_video_is_not_the_posts_own(harness: XHarness) -> None:
    quoted = post(9, seconds_ago=5_000)
    show(
        harness.site,
        [
            post(1, 10, video=None, quotes=quoted),
            post(2, 20, video=None, links_a_video=True),
            post(3, 30),
        ],
    )
    found = search(harness)
    assert [p.video_url is not None for p in found] == [False, False, True]
    assert post_refusal(found[0], window(), (), ClipRules()) is PostRefusal.NO_VIDEO


def test_se5_posts_that_cannot_be_parsed_are_counted(harness: XHarness) -> None:
    show(
        harness.site,
        [
            post(1, 10, shape="tombstone"),
            post(2, 20, shape="malformed"),
            post(3, 30, shape="visibility"),
            post(4, 40, shape="empty"),
            post(5, 50, shape="undated"),
            post(6, 60),
        ],
    )
    found = harness.client().search(QUERY, window(), ignore)
    assert [p.author for p in found.posts] == ["fan3", "fan6"]
    assert found.unreadable == {"tombstone": 1, "unknown_form": 2, "empty": 1}
    assert found.looked_at == 6


def test_se7_scrolling_stops_at_the_window(harness: XHarness) -> None:
    show(harness.site, post_series(200, seconds_apart=4))
    found = search(harness, minutes=3)
    # 46 posts are younger than three minutes: the third page of 20 holds the first older one.
    assert len(found) == 60
    assert len(harness.site.requests_to("SearchTimeline")) == 3


def test_se7_scrolling_stops_after_ten(harness: XHarness) -> None:
    show(harness.site, post_series(400, seconds_apart=0.1))
    found = search(harness, hours=1)
    assert len(found) == 20 + 10 * 20
    assert len(harness.site.requests_to("SearchTimeline")) == 11


def test_se7_an_old_ad_does_not_end_the_scrolling(harness: XHarness) -> None:
    show(
        harness.site, [*post_series(30), post(5_000, seconds_ago=90_000, is_ad=True, text="Boots")]
    )
    assert len([p for p in search(harness) if not p.is_ad]) == 30


def test_se5_the_end_of_the_results_is_the_end(harness: XHarness) -> None:
    show(harness.site, post_series(25))
    patient = harness.client(PageWaits(more=100.0))
    began = time.monotonic()
    assert len(patient.search(QUERY, window(), ignore).posts) == 25
    assert time.monotonic() - began < 90, "it does not wait for more than there is"


def test_se7_no_results_is_an_answer_and_nothing_to_scroll_for(harness: XHarness) -> None:
    progress: list[str] = []
    assert harness.client(PageWaits()).search(QUERY, window(), progress.append).posts == ()
    assert progress[-1] == "X: 0 posts after 0 scrolls"


def test_se5_posts_appear_as_the_clock_moves(harness: XHarness) -> None:
    show(harness.site, [post(1, 30), post(2, seconds_ago=-45)])
    assert [p.author for p in search(harness)] == ["fan1"]
    harness.clock.advance(60)
    assert [p.author for p in search(harness)] == ["fan2", "fan1"]


def test_se6_the_query_for_a_past_match_contains_its_times(harness: XHarness) -> None:
    show(harness.site, [*post_series(30), post(1, 7_200), post(2, 7_500), post(3, 20_000)])
    past = Window(ago(hours=3), ago(hours=2))
    assert [p.author for p in harness.client().search(QUERY, past, ignore).posts] == [
        "fan1",
        "fan2",
    ]
    assert len(harness.site.requests_to("SearchTimeline")) <= 2


# -- the page instead of the JSON --------------------------------------------------------------


@pytest.mark.parametrize("broken", ["fails", "garbled", "unknown_shape", "silent"])
def test_se5_without_usable_json_the_page_itself_is_read(harness: XHarness, broken: str) -> None:
    harness.site.faults.timeline = broken  # type: ignore[assignment]
    adams = post(1, 10, text="Adams and an Ad: Salah Liverpool", likes=1_234, author="adman")
    show(
        harness.site,
        [
            adams,
            post(2, 20, video=None, links_a_video=True),
            post(3, 30, video=None, quotes=post(9, 5_000)),
            post(4, 40, shape="undated"),
            post(5, 50, is_ad=True, text="Boots"),
            post(6, 60, shape="tombstone"),
        ],
    )
    found = harness.client(QUICK).search(QUERY, window(), ignore)
    read = {p.author: (p.video_url, p.is_ad) for p in found.posts}
    url = f"{harness.site.url}/adman/status/1900000001"
    assert read == {
        "adman": (url, False),
        "fan2": (None, False),
        "fan3": (None, False),
        "fan5": (f"{harness.site.url}/fan5/status/1900000005", True),
    }
    assert found.unreadable == {"no_time": 1}
    first = found.posts[0]
    assert (first.posted_at, first.popularity) == (ago(seconds=10), 1_234 + 2 * 3 + 10)


def test_se7_the_page_is_scrolled_to_the_window_too(harness: XHarness) -> None:
    harness.site.faults.timeline = "fails"
    show(harness.site, post_series(100, seconds_apart=4))
    assert len(search(harness, minutes=3)) == 60


def test_se7_a_page_without_results_is_an_empty_result(harness: XHarness) -> None:
    harness.site.faults.timeline = "garbled"
    assert search(harness) == ()


# -- the login ---------------------------------------------------------------------------------


@pytest.mark.parametrize("wall", ["redirect", "form", "refused_call", "blank"])
def test_se7_a_lost_login_is_never_an_empty_result(harness: XHarness, wall: str) -> None:
    show(harness.site, post_series(3))
    harness.site.end_sessions()
    harness.site.faults.wall = wall  # type: ignore[assignment]
    if wall == "blank":
        harness.browser.run(lambda page, on_progress: page.context.clear_cookies(), ignore)
    with pytest.raises(LoginLost) as lost:
        harness.client(QUICK).search(QUERY, window(), ignore)
    assert "footy login x" in lost.value.sentence()


def test_se7_a_login_lost_during_a_search_is_an_error(harness: XHarness) -> None:
    show(harness.site, post_series(200))
    harness.site.faults.end_sessions_after = 2
    with pytest.raises(LoginLost):
        search(harness)
    harness.log_in()
    assert search(harness)


# -- limits ------------------------------------------------------------------------------------


def test_se5_a_429_pauses_x_until_its_reset_time(harness: XHarness) -> None:
    show(harness.site, post_series(3))
    harness.site.faults.rate_limit = 0
    client = harness.client()
    with pytest.raises(SiteRateLimited):
        client.search(QUERY, window(), ignore)
    harness.site.faults.rate_limit = None
    requests_before = len(harness.site.requests)
    with pytest.raises(SiteRateLimited, match="15:45:00"):
        client.search(QUERY, window(), ignore)
    assert len(harness.site.requests) == requests_before, "no request was sent to X"
    harness.clock.advance(901)
    assert client.search(QUERY, window(hours=1), ignore).posts


def test_se5_a_429_in_the_middle_keeps_what_was_found(harness: XHarness) -> None:
    show(harness.site, post_series(100))
    harness.site.faults.rate_limit = 1
    found = harness.client().search(QUERY, window(), ignore)
    assert len(found.posts) == 20
    assert found.unreadable == {"page_refused": 1}


def test_se5_its_own_rate_limit_counts_every_page(harness: XHarness) -> None:
    show(harness.site, post_series(45))
    client = harness.client(most=4)
    client.search(QUERY, window(), ignore)
    with pytest.raises(SiteRateLimited):
        client.search(QUERY, window(), ignore)


def test_se5_a_slow_site_is_waited_for_with_progress_reported(harness: XHarness) -> None:
    show(harness.site, post_series(25))
    harness.site.faults.slow = 0.4
    progress: list[tuple[float, str]] = []
    client = harness.client(PageWaits(appears=5.0, more=3.0))
    client.search(QUERY, window(), lambda text: progress.append((time.monotonic(), text)))
    moments = [at for at, _ in progress]
    assert max(b - a for a, b in pairwise(moments)) < 15
    texts = [text for _, text in progress]
    assert texts[0].startswith("opening X for (Salah")
    assert texts[1] == "X answered; waiting for its posts"
    assert "X: 20 posts, scroll 1" in texts


def test_se5_a_site_that_is_down_is_an_error(harness: XHarness) -> None:
    nowhere = XSite(
        harness.browser,
        "http://127.0.0.1:9",
        clock=harness.clock,
        limiter=RateLimiter("X", 9, harness.clock, LocalRateLimit()),
        limits=QUICK,
    )
    with pytest.raises(SiteUnavailable, match="cannot be reached"):
        nowhere.search(QUERY, window(), ignore)
    harness.site.faults.slow = 2.0
    with pytest.raises(SiteUnavailable, match="within 1 s"):
        harness.client(PageWaits(opens=1.0)).search(QUERY, window(), ignore)


# -- the browser -------------------------------------------------------------------------------


def _kill_browser(browser: BrowserSession) -> None:
    assert browser.profile is not None
    kill_using(browser.profile)


def test_se5_a_killed_browser_is_replaced(harness: XHarness) -> None:
    show(harness.site, post_series(3))
    before = harness.browser.started
    _kill_browser(harness.browser)
    assert len(search(harness)) == 3
    assert harness.browser.started == before + 1


def test_se5_a_request_that_a_dying_browser_aborted_is_made_in_another(harness: XHarness) -> None:
    """The page may fail with net::ERR_ABORTED before Playwright knows that the browser is gone."""
    tries: list[object] = []

    def aborted_once(page: object, on_progress: object) -> str:
        tries.append(page)
        if len(tries) == 1:
            _kill_browser(harness.browser)
            raise SiteUnavailable("X cannot be reached (ERR_ABORTED)")
        return "read"

    before = harness.browser.started
    assert harness.browser.run(aborted_once, ignore) == "read"
    assert harness.browser.started == before + 1


def test_a_site_that_cannot_be_reached_costs_no_browser(harness: XHarness) -> None:
    def unreachable(page: object, on_progress: object) -> None:
        raise SiteUnavailable("X cannot be reached (ERR_CONNECTION_REFUSED)")

    before = harness.browser.started
    with pytest.raises(SiteUnavailable, match="ERR_CONNECTION_REFUSED"):
        harness.browser.run(unreachable, ignore)
    harness.log_in()
    assert harness.browser.started == before


def test_l6_a_browser_over_a_limit_is_recycled_between_searches_and_its_figures_are_recorded(
    harness: XHarness,
) -> None:
    show(harness.site, post_series(3))
    recorded: list[tuple[str, Mapping[str, float]]] = []
    limits = BrowserLimits(megabytes=1.0)
    options = BrowserOptions(cookies=lambda: read_cookies(harness.cookies, harness.site.url))
    with BrowserSession(options, limits=limits) as browser:
        site = XSite(
            browser,
            harness.site.url,
            clock=harness.clock,
            limiter=RateLimiter("X", 1_000, harness.clock, LocalRateLimit()),
            record=lambda name, figures: recorded.append((name, figures)),
        )
        for _ in range(2):
            assert len(site.search(QUERY, window(), ignore).posts) == 3
        assert browser.started == 2
    for name, figures in recorded:
        assert name == "x"
        assert figures["tasks"] == 1
        assert min(figures["uptime"], figures["processes"], figures["megabytes"]) > 0


def test_se5_a_browser_killed_in_the_middle_costs_one_restart(harness: XHarness) -> None:
    show(harness.site, post_series(25))
    harness.site.faults.slow = 0.3
    killer = threading.Timer(0.6, _kill_browser, [harness.browser])
    killer.start()
    found = harness.client(PageWaits(appears=6.0, more=2.0)).search(QUERY, window(), ignore)
    killer.join()
    assert len(found.posts) == 25


def test_se5_a_browser_that_keeps_dying_is_an_error(harness: XHarness) -> None:
    def kill_each_time(page: object, on_progress: object) -> None:
        _kill_browser(harness.browser)
        page.wait_for_timeout(5_000)  # type: ignore[attr-defined]

    with pytest.raises(SiteUnavailable, match="twice"):
        harness.browser.run(kill_each_time, ignore)
    show(harness.site, post_series(2))
    assert len(search(harness)) == 2, "and the next search starts a new one"


def test_se5_the_same_browser_serves_many_searches_and_is_recycled(harness: XHarness) -> None:
    show(harness.site, post_series(2))
    options = BrowserOptions(cookies=lambda: read_cookies(harness.cookies, harness.site.url))
    with BrowserSession(options, jobs_per_browser=3) as browser:
        one = XHarness(harness.site, browser, harness.cookies)
        started = []
        for _ in range(4):
            assert len(search(one)) == 2
            started.append(browser.started)
        assert started == [1, 1, 1, 2]
        profile = browser.profile
        assert profile is not None
        assert processes_using(profile)
    assert not processes_using(profile), "no process is left"
    assert not profile.exists(), "and no folder"


def test_p3_a_browser_without_progress_is_killed(
    harness: XHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser, profile = harness.browser, harness.browser.profile
    assert profile is not None
    with monkeypatch.context() as impatient:
        impatient.setattr(browser, "silence", 1.0)
        with pytest.raises(SiteUnavailable, match="no sign of life within 1 s"):
            browser.run(lambda page, on_progress: page.evaluate("() => { for (;;) {} }"), ignore)
    assert not processes_using(profile)
    assert browser.run(lambda page, on_progress: page.evaluate("() => 7"), ignore) == 7


def test_se5_a_query_without_words_is_still_a_query(harness: XHarness) -> None:
    show(harness.site, post_series(2))
    assert harness.client().search(GoalQuery(("Salah",), ()), window(), ignore).posts
