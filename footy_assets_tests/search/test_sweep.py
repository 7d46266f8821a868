"""Sites fail alone; a lost login raises one alert."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from footy_assets.errors import (
    BadInput,
    BinaryMissing,
    FootyError,
    LoginLost,
    SiteAnswerInvalid,
    SiteError,
    SiteRateLimited,
    SiteUnavailable,
)
from footy_assets.search.rules.posts import Post, Window
from footy_assets.search.rules.query import GoalQuery
from footy_assets.search.rules.site import Progress, SiteResult
from footy_assets.search.sweep import Sweep, search_all

NOW = datetime(2025, 5, 10, 15, 30, tzinfo=UTC)
QUERY = GoalQuery(("Salah",), ("Liverpool",))


@dataclass
class FakeSite:
    """A site with scripted answers; the last one repeats."""

    name: str
    answers: list[SiteResult | FootyError] = field(default_factory=lambda: [SiteResult()])
    searches_made: int = 0

    def search(self, query: GoalQuery, window: Window, on_progress: Progress) -> SiteResult:
        self.searches_made += 1
        answer = self.answers[min(self.searches_made, len(self.answers)) - 1]
        if isinstance(answer, FootyError):
            raise answer
        return answer


def result_with_posts(site: str, *ids: str) -> SiteResult:
    posts = tuple(Post(site, one, "https://example.org", NOW) for one in ids)
    return SiteResult(posts, len(posts))


def window_for(site: str) -> Window:
    return Window(NOW)


def ignore(text: str) -> None:
    pass


def sweep(*sites: FakeSite, slept: list[float] | None = None) -> Sweep:
    sites: Sequence[FakeSite] = sites
    return Sweep(sites, (slept if slept is not None else []).append)


def test_se5_the_posts_of_all_sites_are_combined() -> None:
    sites = (
        FakeSite("x", [result_with_posts("x", "1", "2")]),
        FakeSite("bluesky", [result_with_posts("bluesky", "1")]),
    )
    outcome = search_all(sweep(*sites), QUERY, window_for, ignore)
    assert [p.video_id for p in outcome.posts] == ["x:1", "x:2", "bluesky:1"]
    assert (outcome.looked_at, outcome.failures, outcome.failed) == (3, (), False)


def test_se5_a_failing_site_does_not_stop_the_other() -> None:
    sites = (
        FakeSite("x", [SiteAnswerInvalid("X's timeline has an unknown form")]),
        FakeSite("bluesky", [result_with_posts("bluesky", "1")]),
    )
    outcome = search_all(sweep(*sites), QUERY, window_for, ignore)
    assert len(outcome.posts) == 1
    (failure,) = outcome.failures
    assert (failure.site, failure.kind) == ("x", "SiteAnswerInvalid")
    assert "unknown form" in failure.reason
    assert not outcome.failed


def test_se5_when_all_fail_the_search_has_failed() -> None:
    outcome = search_all(
        sweep(FakeSite("x", [LoginLost("X shows its login page")])), QUERY, window_for, ignore
    )
    assert outcome.failed


def test_se7_a_lost_login_says_what_to_do_and_is_recorded_each_time() -> None:
    x = FakeSite("x", [LoginLost("X shows its login page")])
    round_ = sweep(x, FakeSite("bluesky"))
    outcomes = [search_all(round_, QUERY, window_for, ignore) for _ in range(3)]
    fix = (
        "X shows its login page. Run `footy login x` and log in by hand, or renew "
        "FOOTY_X_COOKIES_FILE."
    )
    failures = [(f.kind, f.operator_fix) for o in outcomes for f in o.failures]
    assert failures == [("LoginLost", fix)] * 3
    assert x.searches_made == 1, "another page load would only find the same login page"


@pytest.mark.parametrize(
    "error", [BinaryMissing("there is no Chromium"), BadInput("/c is no cookies file")]
)
def test_se5_a_missing_browser_or_file_stops_one_site_only(error: FootyError) -> None:
    x, bluesky = FakeSite("x", [error]), FakeSite("bluesky", [result_with_posts("bluesky", "1")])
    round_ = sweep(x, bluesky)
    outcomes = [search_all(round_, QUERY, window_for, ignore) for _ in range(2)]
    assert [len(o.posts) for o in outcomes] == [1, 1]
    assert all(f.operator_fix for o in outcomes for f in o.failures)
    assert [len(o.failures) for o in outcomes] == [1, 1]
    assert x.searches_made == 1


def test_p4_transient_failures_get_three_tries() -> None:
    slept: list[float] = []
    x = FakeSite(
        "x",
        [SiteUnavailable("X answered 503"), SiteUnavailable("again"), result_with_posts("x", "1")],
    )
    progress: list[str] = []
    outcome = search_all(sweep(x, slept=slept), QUERY, window_for, progress.append)
    assert len(outcome.posts) == 1
    assert slept == [10.0, 15.0]
    assert progress == ["x: X answered 503; again in 10 s", "x: again; again in 15 s"]


@pytest.mark.parametrize("error", [SiteRateLimited("X: too many"), SiteAnswerInvalid("odd")])
def test_p4_rate_limits_are_not_retried(error: SiteError) -> None:
    slept: list[float] = []
    x = FakeSite("x", [error])
    assert search_all(sweep(x, slept=slept), QUERY, window_for, ignore).failed
    assert (x.searches_made, slept) == (1, [])


def test_p4_a_site_that_stays_down_gets_one_try_per_goal() -> None:
    x = FakeSite("x", [SiteUnavailable("down")])
    round_ = sweep(x)
    for _ in range(3):
        search_all(round_, QUERY, window_for, ignore)
    assert x.searches_made == 3 + 1 + 1
    x.answers = [result_with_posts("x", "1")]
    assert search_all(round_, QUERY, window_for, ignore).posts
    assert "x" not in round_.failing
