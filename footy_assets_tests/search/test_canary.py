"""SE5: canaries: when they run, what fails them, and where their results go."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import LoginLost, SiteError, SiteRateLimited
from footy_assets.logs import no_log
from footy_assets.search.canary import Canaries, CanaryResult, run_due_canaries
from footy_assets.search.checks import site_evaluations
from footy_assets.search.heard_bluesky import HeardBluesky
from footy_assets.search.rules.canary import CanaryRules, canary_problem
from footy_assets.search.rules.heard import HeardPost, position_of
from footy_assets.search.rules.posts import Post, Window
from footy_assets.search.rules.query import GoalQuery
from footy_assets.search.rules.site import Progress, SiteResult, VideoSite
from footy_assets.search.searcher import Searcher, SearchRules
from footy_assets.search.site_health import canary_works, site_works, sites_with_due_canary
from footy_assets.search.store.heard_posts import HeardPosts
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.search.sweep import Sweep
from footy_assets.store.collections import Document
from footy_assets_tests.fixtures.command import Footy
from footy_assets_tests.matchday.goals import STABLE, put_goal

HOUR = timedelta(hours=1)
RULES = CanaryRules(HOUR, ("Liverpool", "Barcelona"))


def post(video_url: str | None = "v") -> Post:
    return Post("x", "1", "https://x.test/1", STABLE, video_url=video_url)


@dataclass
class OneSite:
    """A site with one answer."""

    clock: ManualClock
    answer: SiteResult | SiteError = field(default_factory=lambda: SiteResult((post(),), 1))
    name: str = "x"
    searched: list[tuple[GoalQuery, Window]] = field(default_factory=list)
    meanwhile: Callable[[], object] = lambda: None

    def search(self, query: GoalQuery, window: Window, on_progress: Progress) -> SiteResult:
        self.searched.append((query, window))
        self.meanwhile()
        if isinstance(self.answer, SiteError):
            raise self.answer
        return self.answer


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(STABLE)


@pytest.fixture
def health(database: Database[Document]) -> SiteHealth:
    return SiteHealth(database)


def run(health: SiteHealth, clock: ManualClock, *sites: VideoSite) -> list[CanaryResult]:
    canaries = Canaries(sites, health, clock, RULES)
    return list(iter(lambda: canaries.run_due(no_log), None))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        (SiteResult((post(),), 1), None),
        (SiteResult((post(None), post()), 2, {"unknown_form": 5}), None),
        (SiteResult(), "it answered with no posts"),
        (SiteResult((), 3, {"no_time": 1, "unknown_form": 2}),
         "no post could be read (no_time 1, unknown_form 2)"),
        (SiteResult((), 0, {"unknown_form": 9}), "no post could be read (unknown_form 9)"),
        (SiteResult((post(None),), 1), "none of 1 posts has a video"),
        # A feed whose posts name other goals.
        (SiteResult((), 20, {"unknown_form": 1}), None),
    ],
)  # fmt: skip
def test_se5_an_answer_without_a_readable_post_with_a_video_is_a_problem(
    result: SiteResult, problem: str | None
) -> None:
    assert canary_problem(result) == problem


def test_se5_each_site_has_a_canary_an_hour_which_is_an_ordinary_search(
    health: SiteHealth, clock: ManualClock
) -> None:
    x, reddit = OneSite(clock), OneSite(clock, name="reddit")
    assert [one.site for one in run(health, clock, x, reddit)] == ["x", "reddit"]
    assert run(health, clock, x, reddit) == []
    assert x.searched == [
        (GoalQuery((), ("Liverpool", "Barcelona")), Window(STABLE - timedelta(hours=24)))
    ]
    clock.advance(3599)
    assert sites_with_due_canary(health, ("x", "reddit"), clock.now(), RULES) == []
    clock.advance(1)
    assert sites_with_due_canary(health, ("x", "reddit"), clock.now(), RULES) == ["x", "reddit"]
    assert len(run(health, clock, x, reddit)) == 2


def test_se5_two_processes_run_no_canary_twice(health: SiteHealth) -> None:
    with ThreadPoolExecutor(8) as pool:
        claims = list(pool.map(lambda _: health.claim_canary("x", STABLE, HOUR), range(16)))
    assert sum(claims) == 1
    before = STABLE - timedelta(days=9)
    assert health.claim_canary("x", before, HOUR), "the clock was set back"
    assert not health.claim_canary("x", before, HOUR)
    assert not health.claim_canary("reddit", STABLE, timedelta(0)), "switched off"


def test_se5_a_failed_canary_fails_its_check_until_one_works(
    health: SiteHealth, clock: ManualClock
) -> None:
    site = OneSite(clock, SiteResult())
    for _ in range(2):
        (result,) = run(health, clock, site)
        clock.advance(3600)
    assert result.problem == "it answered with no posts"
    found = canary_works(health, "x")
    assert (found.passed, found.summary) == (
        False,
        "it answered with no posts; since 2025-05-10 14:31:00 UTC",
    )
    checks = {one.check_name: one.passed for one in site_evaluations(health, ("x",))}
    assert (checks["x_canary"], checks["x_works"], checks["reddit_canary"]) == (False, True, True)
    site.answer = SiteResult((post(),), 1)
    run(health, clock, site)
    assert canary_works(health, "x").summary == "1 posts at 2025-05-10 16:31:00 UTC"


def test_se5_a_canary_reports_a_lost_login_before_the_first_goal_once(
    health: SiteHealth, clock: ManualClock
) -> None:
    site = OneSite(clock, LoginLost("$the login has ended"))
    (first,) = run(health, clock, site)
    clock.advance(3600)
    (second,) = run(health, clock, site)
    assert "footy login x" in first.alert
    assert second.alert == ""
    assert not site_works(health, "x").passed
    assert canary_works(health, "x").summary.startswith("$the login has ended")


def test_se5_a_canary_at_the_rate_limit_is_skipped_and_changes_nothing(
    health: SiteHealth, clock: ManualClock
) -> None:
    (result,) = run(health, clock, OneSite(clock, SiteRateLimited("not before 15:00")))
    assert result == CanaryResult("x", skipped=True)
    assert health.canary("x") is None
    assert site_works(health, "x").summary == "not searched yet"


def test_se5_a_canary_that_breaks_is_a_problem_of_its_site_alone(
    health: SiteHealth, clock: ManualClock
) -> None:
    def broken() -> None:
        raise KeyError("entries")

    results = run(health, clock, OneSite(clock, meanwhile=broken), OneSite(clock, name="reddit"))
    assert [one.problem for one in results] == ["KeyError: 'entries'", None]


def test_se5_goals_go_before_canaries(
    health: SiteHealth, clock: ManualClock, database: Database[Document]
) -> None:
    x, reddit = OneSite(clock), OneSite(clock, name="reddit")
    rules = SearchRules(wait_for_next=timedelta(0))
    store, sweep = SearchStore(database), Sweep([x, reddit], clock.sleep)
    searcher = Searcher(store, sweep, lambda side: (side.name,), clock, rules, health)
    canaries = Canaries([x, reddit], health, clock, RULES)

    def goal_during_a_canary() -> None:
        if len(x.searched) == 1:
            put_goal(database)
            store.open_searches()

    x.meanwhile = goal_during_a_canary
    assert [one.site for one in run_due_canaries(searcher, canaries, no_log)] == ["x"]
    assert list(run_due_canaries(searcher, canaries, no_log)) == [], "the goal is due"
    assert len(list(searcher.sweep(no_log))) == 1
    assert [one.site for one in run_due_canaries(searcher, canaries, no_log)] == ["reddit"]


def test_se5_a_site_that_is_switched_off_has_no_canary_that_could_fail(
    health: SiteHealth, clock: ManualClock
) -> None:
    run(health, clock, OneSite(clock, SiteResult()), OneSite(clock, name="reddit"))
    health.forget_canaries_except(("reddit",))
    assert list(health.canaries()) == ["reddit"]


def test_se5_the_canary_of_bluesky_is_what_was_heard_lately(
    health: SiteHealth, clock: ManualClock, database: Database[Document]
) -> None:
    store = HeardPosts(database, "bluesky")
    site = HeardBluesky(store, clock, "https://video.test")

    def heard(text: str) -> HeardPost:
        return HeardPost("did:plc:a/1", "did:plc:a", text, STABLE, "film", width=1, height=1)

    canaries = Canaries([site], health, clock, RULES)
    assert "no post was heard yet" in str(canaries.run(site, no_log).problem)
    store.advance(position_of(STABLE), STABLE, {})
    assert canaries.run(site, no_log).problem == "it answered with no posts"
    store.write([heard("a cat")], [], [], HOUR)
    assert canaries.run(site, no_log) == CanaryResult("bluesky", 1)


def test_footy_canary_says_which_site_does_not_work(footy: Footy) -> None:
    footy.env["FOOTY_SITES"] = "x"
    done = footy("canary", "--json")
    assert done.returncode == 1
    (row,) = json.loads(done.stdout)
    problem = "nobody has logged in to X yet"
    assert row == {"site": "x", "works": False, "posts": 0, "problem": problem}
    assert footy("canary", "--site", "bluesky").returncode == 2
