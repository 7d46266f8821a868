"""Attempts and sweeps over real due times; the site is a list of posts."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import LoginLost, SiteError, SiteUnavailable
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import Side
from footy_assets.matchday.store.documents import goal_from
from footy_assets.search.rules.posts import Post, Window
from footy_assets.search.rules.query import GoalQuery
from footy_assets.search.rules.site import Progress, SiteResult
from footy_assets.search.searcher import AttemptResult, Searcher, SearchRules, estimate_scored_at
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.search.sweep import Sweep
from footy_assets.store.collections import ATTEMPTS, EVENTS, Document
from footy_assets_tests.matchday.goals import FIXTURE, GOAL, KICKOFF, STABLE, put_goal

pytestmark = pytest.mark.slow


@dataclass
class FakeSite:
    """A site whose posts are a list."""

    clock: ManualClock
    posts: list[Post] = field(default_factory=list)
    searches_made: list[tuple[GoalQuery, Window, datetime]] = field(default_factory=list)
    failure: SiteError | None = None
    takes: float = 3.0
    name: str = "board"
    meanwhile: Callable[[], None] | None = None

    def search(self, query: GoalQuery, window: Window, on_progress: Progress) -> SiteResult:
        self.searches_made.append((query, window, self.clock.now()))
        on_progress("searching")
        if self.meanwhile:
            self.meanwhile()
        self.clock.advance(self.takes)
        if self.failure:
            raise self.failure
        now = self.clock.now()
        return SiteResult(tuple(p for p in self.posts if p.posted_at <= now), len(self.posts))


def post(number: int, posted_at: datetime = STABLE, **changes: object) -> Post:
    made = Post("board", str(number), f"https://b.test/{number}", posted_at, video_url="v")
    return replace(made, **changes)  # type: ignore[arg-type]


def aliases(side: Side) -> tuple[str, ...]:
    return tuple(side.name.split())


Run = Callable[..., list[AttemptResult]]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(STABLE)


@pytest.fixture
def fake_site(clock: ManualClock) -> FakeSite:
    return FakeSite(clock)


@pytest.fixture
def run(database: Database[Document], clock: ManualClock, fake_site: FakeSite) -> Run:
    put_goal(database)

    def sweep(**changes: object) -> list[AttemptResult]:
        rules = replace(SearchRules(), **changes)  # type: ignore[arg-type]
        store, sites = SearchStore(database), Sweep([fake_site], clock.sleep)
        health = SiteHealth(database)
        searcher = Searcher(store, sites, aliases, clock, rules, health)
        return list(searcher.sweep(lambda _: None))

    return sweep


def test_se1_one_sweep_serves_all_ten_attempts_of_a_goal(
    run: Run, fake_site: FakeSite, database: Database[Document]
) -> None:
    done = run()
    assert [one.attempt.number for one in done] == list(range(1, 11))
    starts = [searches_made[2] for searches_made in fake_site.searches_made]
    assert starts == [STABLE + timedelta(seconds=60 * n) for n in range(10)]
    assert all(one.lag_seconds == 0 for one in done)
    assert str(goal_from(database[EVENTS].find_one({}) or {}).state) == "complete"


def test_se1_one_sweep_serves_several_goals_and_reports_the_lag(
    run: Run, database: Database[Document], fake_site: FakeSite
) -> None:
    for number in range(2, 6):
        put_goal(database, replace(GOAL, key=f"goal-{number}", event_id=f"5000_40_{number}_Goal_1"))
    done = run()
    assert len(done) == 50
    first_round = [one.lag_seconds for one in done[:5]]
    assert first_round == [0, 3, 6, 9, 12], "one after the other, three seconds each"
    assert max(one.lag_seconds for one in done) < 15


def test_se1_a_sweep_that_ends_early_loses_nothing(
    run: Run, fake_site: FakeSite, clock: ManualClock
) -> None:
    first = run(wait_for_next=timedelta(seconds=30))
    assert [one.attempt.number for one in first] == [1]
    clock.at = STABLE + timedelta(seconds=60)
    assert [one.attempt.number for one in run(max_duration=timedelta(seconds=61))] == [2, 3]


def test_se4_the_query_names_the_scorer_and_the_team_that_the_goal_counts_for(
    run: Run, fake_site: FakeSite
) -> None:
    run(wait_for_next=timedelta(0))
    assert fake_site.searches_made[0][0] == GoalQuery(("Mohamed", "Salah"), ("Liverpool",))


def test_se4_an_own_goal_counts_for_the_provider_s_team(
    run: Run, fake_site: FakeSite, database: Database[Document]
) -> None:
    database[EVENTS].delete_many({})
    put_goal(database, replace(GOAL, team_id=33, detail="Own Goal"))
    run(wait_for_next=timedelta(0))
    assert fake_site.searches_made[0][0].teams == ("Manchester", "United")


def test_se6_windows_follow_the_previous_attempt(run: Run, fake_site: FakeSite) -> None:
    run(max_duration=timedelta(seconds=130))
    since = [window.since for _, window, _ in fake_site.searches_made]
    assert GOAL.first_seen_at
    assert since[0] == GOAL.first_seen_at - timedelta(minutes=3)
    assert since[1] == STABLE - timedelta(minutes=3)
    assert since[2] == STABLE + timedelta(seconds=60) - timedelta(minutes=3)


def test_se6_posts_during_an_outage_of_a_site_are_found_after_it(
    run: Run, fake_site: FakeSite, clock: ManualClock
) -> None:
    fake_site.posts.append(post(1, STABLE - timedelta(seconds=50)))
    fake_site.failure = SiteUnavailable("it is down")
    failed = run(max_duration=timedelta(minutes=5))
    assert len(failed) > 4
    assert all(one.outcome.failed for one in failed)
    fake_site.failure = None
    clock.advance(60)
    back, *_ = run(wait_for_next=timedelta(0))
    assert [one.post_id for one in back.chosen] == ["1"]


def test_se9_of_20_goals_the_one_that_somebody_waits_for_goes_first(
    run: Run, fake_site: FakeSite, database: Database[Document]
) -> None:
    """Also one that becomes preferred while others are searched for."""
    for number in range(2, 21):
        put_goal(database, replace(GOAL, key=f"goal-{number}", event_id=f"5000_40_{number}_Goal_1"))
    store = SearchStore(database)
    store.set_preferred("goal-19")

    def meanwhile() -> None:
        if len(fake_site.searches_made) == 5:
            store.set_preferred("goal-20")

    fake_site.meanwhile = meanwhile
    done = [one.attempt.goal.key for one in run(max_duration=timedelta(seconds=125))]
    assert (done[0], done[5]) == ("goal-19", "goal-20")
    assert len(set(done[:20])) == 20, "the others are searched for while it is not due again"
    assert done[20] == "goal-19"


SEEN = KICKOFF + timedelta(minutes=100)


@pytest.mark.parametrize(
    ("goal_minute", "clock_said", "clock_at", "scored"),
    [
        (70, 71, SEEN, SEEN - timedelta(minutes=1)),
        # The feed did not update for six minutes.
        (70, 76, SEEN, SEEN - timedelta(minutes=6)),
        # The clock was updated later: the window is computed back from it.
        (70, 80, SEEN + timedelta(minutes=5), SEEN - timedelta(minutes=5)),
        # Half-time lies in between.
        (44, 47, SEEN, SEEN - timedelta(minutes=3 + 18)),
        # A minute that was corrected upwards is ignored.
        (70, 68, SEEN, SEEN),
        (10, 85, SEEN, SEEN - timedelta(minutes=40)),
        (70, None, SEEN, SEEN),
    ],
)
def test_se6_the_first_window_begins_when_the_goal_was_scored_not_when_we_saw_it(
    goal_minute: int, clock_said: int | None, clock_at: datetime, scored: datetime
) -> None:
    goal = replace(GOAL, minute=MatchMinute(goal_minute), first_seen_at=SEEN)
    fixture = replace(FIXTURE, elapsed=clock_said, elapsed_at=clock_at)
    assert estimate_scored_at(goal, fixture) == scored


def test_se6_five_are_chosen_and_the_rest_stay_eligible(run: Run, fake_site: FakeSite) -> None:
    fake_site.posts = [post(n, text="Salah " * (n > 2), popularity=n) for n in range(8)]
    first, second, third = run(max_duration=timedelta(seconds=130))
    assert [p.post_id for p in first.chosen] == ["7", "6", "5", "4", "3"]
    assert [p.post_id for p in second.chosen] == ["2", "1", "0"]
    assert third.chosen == ()
    assert third.refused == {"known": 8}


def test_a_past_match_is_searched_once_over_its_whole_length(
    run: Run, fake_site: FakeSite, database: Database[Document], clock: ManualClock
) -> None:
    later = KICKOFF + timedelta(days=9)
    database[EVENTS].delete_many({})
    put_goal(database, replace(GOAL, stable_at=later, attempts_planned=1))
    clock.at = later
    fake_site.posts = [post(1, KICKOFF + timedelta(minutes=33)), post(2, later)]
    (once,) = run()
    assert [p.post_id for p in once.chosen] == ["1"]
    assert once.refused == {"too_new": 1}


def test_se7_a_lost_login_is_a_failed_attempt_not_an_empty_one(
    run: Run, fake_site: FakeSite, database: Database[Document]
) -> None:
    fake_site.failure = LoginLost("the login has ended")
    first, *_ = run(wait_for_next=timedelta(0))
    assert first.outcome.failed
    row = database[ATTEMPTS].find_one({}) or {}
    assert (row["outcome"], row["failure"]) == ("failed", "board: the login has ended")
    assert len(fake_site.searches_made) == 1
