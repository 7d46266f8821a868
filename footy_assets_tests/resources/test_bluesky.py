"""Bluesky over loopback."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from footy_assets.clock import ManualClock
from footy_assets.errors import SiteError, SiteRateLimited, SiteRefused, SiteUnavailable
from footy_assets.search.rules.posts import Post, Window
from footy_assets.search.rules.query import GoalQuery
from footy_assets.sim.social import SocialServer
from footy_assets_tests.resources.fans import NOW, ago, ignore, post, post_series, show, window
from footy_assets_tests.resources.fans import site as make_site
from footy_assets_tests.resources.local_rate_limit import LocalRateLimit
from resources.bluesky.client import BlueskySite
from resources.sites.rate_limit import RateLimiter

QUERY = GoalQuery(("Salah",), ("Liverpool", "LFC"))


@pytest.fixture(scope="module")
def shared_site() -> Iterator[SocialServer]:
    with make_site() as running:
        yield running


@pytest.fixture
def clock(shared_site: SocialServer) -> ManualClock:
    assert isinstance(shared_site.clock, ManualClock)
    shared_site.clock.at = NOW
    return shared_site.clock


@pytest.fixture
def site(shared_site: SocialServer, clock: ManualClock) -> SocialServer:
    shared_site.reset()
    show(shared_site, [])
    return shared_site


@pytest.fixture
def bluesky(site: SocialServer, clock: ManualClock) -> Iterator[BlueskySite]:
    with BlueskySite(
        site.url, clock=clock, limiter=RateLimiter("Bluesky", 20, clock, LocalRateLimit())
    ) as client:
        yield client


def test_se5_a_post_with_a_video_is_read(site: SocialServer, bluesky: BlueskySite) -> None:
    show(site, [post(1, likes=7, reposts=2)])
    (found,) = bluesky.search(QUERY, window(), ignore).posts
    assert found == Post(
        site="bluesky",
        post_id="did:plc:fan1/1900000001",
        url="https://bsky.app/profile/fan1.bsky.social/post/1900000001",
        posted_at=ago(seconds=60),
        text="GOAL! Salah for Liverpool, take 1",
        author="fan1.bsky.social",
        video_url=f"{site.url}/hls/film1/playlist.m3u8",
        width=1280,
        height=720,
        aspect=1280 / 720,
        popularity=7 + 2 * 2,
    )


def test_se5_the_request_names_the_window_newest_first(
    site: SocialServer, bluesky: BlueskySite
) -> None:
    show(site, [post(1, 30), post(2, 10), post(3, 7_200), post(4, 20, sites=frozenset({"x"}))])
    found = bluesky.search(QUERY, window(), ignore)
    assert [p.author for p in found.posts] == ["fan2.bsky.social", "fan1.bsky.social"]
    (visit,) = site.requests
    assert "q=Salah&sort=latest&limit=100&since=2025-05-10T15%3A25%3A00Z" in visit.query


def test_se4_each_name_of_the_scorer_is_searched_and_posts_must_mention_the_team(
    site: SocialServer, bluesky: BlueskySite
) -> None:
    texts = {
        1: "Salah! LFC lead",
        2: "What a strike, Mohamed, what a strike. Liverpool",
        3: "Salah on my fantasy team again",
        4: "Mohamed Salah for Liverpool",
    }
    show(site, [post(number, text=text) for number, text in texts.items()])
    both = GoalQuery(("Mohamed", "Salah"), ("Liverpool", "LFC"))
    found = bluesky.search(both, window(), ignore)
    assert {p.author for p in found.posts} == {f"fan{n}.bsky.social" for n in (1, 2, 4)}
    assert found.looked_at == 4
    assert [visit.query.split("&")[0] for visit in site.requests] == ["q=Mohamed", "q=Salah"]


def test_se6_a_past_match_has_an_end(site: SocialServer, bluesky: BlueskySite) -> None:
    show(site, [post(1, 30), post(2, 7_200), post(3, 20_000)])
    past = Window(ago(hours=3), ago(hours=2))
    (found,) = bluesky.search(QUERY, past, ignore).posts
    assert found.author == "fan2.bsky.social"


def test_se6_a_quoted_video_is_not_the_posts_own(site: SocialServer, bluesky: BlueskySite) -> None:
    quoted = post(9, 5_000)
    show(site, [post(1, 10, quotes=quoted), post(2, 20, video=None, quotes=quoted)])
    own, other = bluesky.search(QUERY, window(), ignore).posts
    assert own.video_url == f"{site.url}/hls/film1/playlist.m3u8"
    assert other.video_url is None


def test_se5_pages_are_followed_by_their_cursor(site: SocialServer, bluesky: BlueskySite) -> None:
    show(site, post_series(45))
    assert len(bluesky.search(QUERY, window(), ignore).posts) == 45
    assert len(site.requests) == 3


def test_se5_where_only_the_first_page_is_public_it_is_enough(
    site: SocialServer, bluesky: BlueskySite
) -> None:
    show(site, post_series(45))
    site.faults.bluesky_pages = False
    found = bluesky.search(QUERY, window(), ignore)
    assert len(found.posts) == 20
    assert found.unreadable == {"page_refused": 1}


def test_se5_its_own_rate_limit_in_the_middle_keeps_what_was_found(
    site: SocialServer, clock: ManualClock
) -> None:
    show(site, post_series(45))
    with BlueskySite(
        site.url, clock=clock, limiter=RateLimiter("Bluesky", 2, clock, LocalRateLimit())
    ) as bluesky:
        assert len(bluesky.search(QUERY, window(), ignore).posts) == 40


def test_se5_posts_that_cannot_be_parsed_are_counted(
    site: SocialServer, bluesky: BlueskySite
) -> None:
    show(site, [post(1, 10, shape="malformed"), post(2, 20, shape="undated"), post(3, 30)])
    found = bluesky.search(QUERY, window(), ignore)
    assert [p.author for p in found.posts] == ["fan3.bsky.social"]
    assert (found.looked_at, found.unreadable) == (3, {"unknown_form": 2})


@pytest.mark.parametrize(
    ("status", "failure"),
    [(403, SiteRefused), (401, SiteRefused), (500, SiteUnavailable), (400, SiteError)],
)
def test_se5_a_refusal_is_a_failure_not_an_empty_result(
    site: SocialServer, bluesky: BlueskySite, status: int, failure: type[SiteError]
) -> None:
    site.faults.bluesky_status = status
    with pytest.raises(failure, match=str(status)):
        bluesky.search(QUERY, window(), ignore)


def test_se5_a_429_pauses_bluesky_until_its_reset_time(
    site: SocialServer, bluesky: BlueskySite, clock: ManualClock
) -> None:
    site.faults.bluesky_status = 429
    with pytest.raises(SiteRateLimited):
        bluesky.search(QUERY, window(), ignore)
    site.faults.bluesky_status = None
    with pytest.raises(SiteRateLimited, match="15:31:00"):
        bluesky.search(QUERY, window(), ignore)
    assert len(site.requests) == 1
    clock.advance(40)
    bluesky.search(QUERY, window(), ignore)
    assert clock.now() >= NOW + timedelta(seconds=60), "it waited for the last twenty seconds"


def test_se5_no_server_is_a_failure(clock: ManualClock) -> None:
    limiter = RateLimiter("Bluesky", 20, clock, LocalRateLimit())
    with (
        BlueskySite("http://127.0.0.1:9", clock=clock, limiter=limiter) as nowhere,
        pytest.raises(SiteUnavailable),
    ):
        nowhere.search(QUERY, window(), ignore)


def test_se5_a_short_rate_limit_is_waited_for_and_a_long_one_is_an_error(
    clock: ManualClock,
) -> None:
    limiter = RateLimiter("Bluesky", 2, clock, LocalRateLimit(), within=timedelta(seconds=60))
    progress: list[str] = []
    limiter.wait_for_turn(progress.append)
    clock.advance(35)
    limiter.wait_for_turn(progress.append)
    assert not progress
    limiter.wait_for_turn(progress.append)
    assert clock.now() == NOW + timedelta(seconds=60)
    assert progress[0] == "Bluesky: waiting 25 s for the rate limit"
    assert max(clock.slept[-5:]) <= 15, "it reports progress while it waits"
    full = RateLimiter("Bluesky", 1, clock, LocalRateLimit())
    full.count()
    with pytest.raises(SiteRateLimited, match="15:46:00"):
        full.wait_for_turn(ignore)
