"""SE8: searches for goals that are seen and not stable yet."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.store.documents import goal_from
from footy_assets.search.ahead_search import AheadSearcher
from footy_assets.search.rules.video import VideoState
from footy_assets.search.searcher import AttemptResult, Searcher, SearchRules
from footy_assets.search.store.ahead import AheadStore
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.search.sweep import Sweep
from footy_assets.store.collections import ATTEMPTS, EVENTS, FIXTURES, VIDEOS, Document
from footy_assets_tests.matchday.goals import GOAL, KICKOFF, STABLE, put_goal
from footy_assets_tests.resources.local_rate_limit import LocalRateLimit
from footy_assets_tests.search.test_searcher import FakeSite, aliases, post
from resources.sites.rate_limit import RateLimiter

SEEN = STABLE - timedelta(minutes=1)
SEEN_ONCE = replace(
    GOAL, stable_at=None, first_seen_at=SEEN, seen_in_polls=("p1",), attempts_planned=0
)


@dataclass
class FullSite(FakeSite):
    """A site that is searched over the network, and whether its rate limit has room."""

    name: str = "limited"
    room: bool = False

    def has_room(self) -> bool:
        return self.room


@dataclass
class Ahead:
    database: Database[Document]
    clock: ManualClock = field(default_factory=lambda: ManualClock(SEEN))

    def __post_init__(self) -> None:
        self.site = FakeSite(self.clock)
        self.sites: list[FakeSite] = [self.site]

    def sweep(self, seconds: float) -> list[AttemptResult]:
        rules = SearchRules(max_duration=timedelta(seconds=seconds))
        parts = (
            SearchStore(self.database),
            Sweep(self.sites, self.clock.sleep),
            aliases,
            self.clock,
            rules,
            SiteHealth(self.database),
        )
        ahead = AheadSearcher(AheadStore(self.database), *parts)
        return list(Searcher(*parts, ahead).sweep(lambda _: None))

    def states(self) -> dict[str, str]:
        return {d["video_id"]: d["state"] for d in self.database[VIDEOS].find().sort("_id")}

    def make_stable(self) -> None:
        stable = {"stable_at": STABLE, "seen_in_polls": ["p1", "p2", "p3"], "attempts_planned": 10}
        self.database[EVENTS].update_one({}, {"$set": stable})


@pytest.fixture
def ahead(database: Database[Document]) -> Ahead:
    put_goal(database, SEEN_ONCE)
    return Ahead(database)


def test_se8_a_goal_seen_once_is_searched_for_at_once_and_four_times_until_it_is_stable(
    ahead: Ahead,
) -> None:
    ahead.site.posts = [post(1, SEEN), post(2, SEEN + timedelta(seconds=10))]
    done = ahead.sweep(200)
    starts = [(at - SEEN).total_seconds() for _, _, at in ahead.site.searches_made]
    assert starts == [0, 13, 26, 39], "start to start"
    assert [[p.video_id for p in one.chosen] for one in done] == [["board:1"], ["board:2"], [], []]
    assert ahead.states() == {"board:1": "chosen", "board:2": "chosen"}


def test_se8_none_of_the_planned_attempts_is_used_up(ahead: Ahead) -> None:
    ahead.site.posts = [post(1, SEEN)]
    ahead.sweep(55)
    assert ahead.database[ATTEMPTS].count_documents({}) == 0
    ahead.make_stable()
    ahead.clock.at = STABLE
    ahead.site.posts.append(post(2, STABLE))
    done = ahead.sweep(630)
    assert [one.attempt.number for one in done] == list(range(1, 11))
    assert [p.video_id for p in done[0].chosen] == ["board:2"], "the other is known already"


def test_se8_se2_no_attempt_counts_while_videos_found_ahead_are_not_settled(ahead: Ahead) -> None:
    """Else a goal would be complete, and its match over, before its first clip."""
    ahead.site.posts = [post(1, SEEN)]
    ahead.sweep(55)
    ahead.make_stable()
    ahead.clock.at = STABLE
    ahead.sweep(30)
    counted = [goal.attempts_counted for goal in map(goal_from, ahead.database[EVENTS].find())]
    assert counted == [0], "the attempt found nothing new"
    searches = SearchStore(ahead.database)
    searches.videos.settle(GOAL.key, {"board:1": {"state": VideoState.TAKEN}}, STABLE)
    searches.count_settled(GOAL.key, STABLE)
    (goal,) = map(goal_from, ahead.database[EVENTS].find())
    assert goal.attempts_counted == 1


def test_se8_all_searches_ahead_choose_as_many_videos_as_one_attempt(ahead: Ahead) -> None:
    early = [post(number, SEEN) for number in range(3)]
    late = [post(number, SEEN + timedelta(seconds=20)) for number in range(3, 9)]
    ahead.site.posts = [*early, *late]
    assert [len(one.chosen) for one in ahead.sweep(200)] == [3, 0, 2, 0]
    assert list(ahead.states().values()).count(VideoState.SEEN) == 4, "they stay eligible"


def test_se8_a_site_without_room_is_left_to_the_attempts(ahead: Ahead) -> None:
    full, free = FullSite(ahead.clock), FullSite(ahead.clock, room=True, name="free")
    ahead.sites = [full, free, ahead.site]
    ahead.sweep(5)
    made = [len(site.searches_made) for site in ahead.sites]
    assert made == [0, 1, 1]


def test_se8_a_site_has_room_while_half_of_its_limit_is_unused() -> None:
    clock, shared = ManualClock(SEEN), LocalRateLimit()
    limiter = RateLimiter("X", 4, clock, shared)
    room = []
    for _ in range(4):
        room.append(limiter.has_room())
        limiter.wait_for_turn(lambda _: None)
    assert room == [True, True, True, False]
    shared.close_until("X", SEEN + timedelta(hours=1))
    clock.advance(1000)
    assert not limiter.has_room(), "it is closed"


def without_scorer(goal: GoalEvent) -> GoalEvent:
    return replace(goal, seen_in_polls=())


@pytest.mark.parametrize("change", [without_scorer, lambda goal: GOAL])
def test_se8_only_goals_with_a_known_scorer_that_are_not_stable_are_searched_for_ahead(
    database: Database[Document], change: Callable[[GoalEvent], GoalEvent]
) -> None:
    put_goal(database, change(SEEN_ONCE))
    store = AheadStore(database)
    assert store.open(SEEN) == 0
    assert store.due_goals(SEEN) == []


def test_se8_a_goal_of_a_past_match_is_not_searched_for_ahead(ahead: Ahead) -> None:
    long_ago = {"kickoff": KICKOFF - timedelta(hours=5)}
    ahead.database[FIXTURES].update_one({}, {"$set": long_ago})
    assert ahead.sweep(60) == []
    assert ahead.site.searches_made == []


def test_se8_a_search_that_fails_costs_nothing(ahead: Ahead) -> None:
    def break_down() -> None:
        raise RuntimeError("broken")

    ahead.site.meanwhile = break_down
    assert ahead.sweep(200) == []
    assert len(ahead.site.searches_made) == 4
    story = AheadStore(ahead.database).story(GOAL.key) or {}
    assert story["searches"][0]["failures"] == {"search": "RuntimeError: broken"}


def test_se8_e6_a_goal_removed_during_the_search_keeps_no_videos(ahead: Ahead) -> None:
    def remove() -> None:
        ahead.database[EVENTS].update_one({}, {"$set": {"live": False}})

    ahead.site.meanwhile, ahead.site.posts = remove, [post(1, SEEN)]
    ahead.sweep(5)
    assert ahead.states() == {}


def test_se8_one_process_at_a_time_searches_ahead(database: Database[Document]) -> None:
    put_goal(database, SEEN_ONCE)
    store = AheadStore(database)
    assert (store.open(SEEN), store.open(SEEN)) == (1, 0)
    assert store.claim(GOAL.key, SEEN) is not None
    assert store.claim(GOAL.key, SEEN) is None
