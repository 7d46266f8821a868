"""A clock that is wrong by ten minutes for a while, and right again."""

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.search.agenda import update_agenda
from footy_assets.search.rules.attempts import SearchPlan
from footy_assets.search.searcher import AttemptResult, Searcher, SearchRules
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.search.sweep import Sweep
from footy_assets.store.collections import Document
from footy_assets_tests.matchday.goals import GOAL, STABLE, put_goal
from footy_assets_tests.search.test_searcher import FakeSite, aliases, post

JUMP = 600.0
MINUTE = timedelta(minutes=1)


class Search:
    """Sweeps for one goal, with a clock that can be set."""

    def __init__(self, database: Database[Document]) -> None:
        self.clock = ManualClock(STABLE)
        self.site = FakeSite(self.clock)
        self._store = SearchStore(database)
        self._health = SiteHealth(database)

    def sweep_for(self, minutes: float) -> list[AttemptResult]:
        """The attempts of this time, as the clock goes on."""
        rules = SearchRules(max_duration=minutes * MINUTE)
        sites = Sweep([self.site], self.clock.sleep)
        searcher = Searcher(self._store, sites, aliases, self.clock, rules, self._health)
        return list(searcher.sweep(lambda _: None))


@pytest.fixture
def search(database: Database[Document]) -> Search:
    put_goal(database)
    return Search(database)


def test_se6_what_was_posted_while_the_clock_was_ahead_is_found_afterwards(search: Search) -> None:
    search.clock.advance(JUMP)
    search.sweep_for(1)
    search.clock.advance(-JUMP)
    posted_at = search.clock.now() - timedelta(seconds=30)
    search.site.posts.append(post(1, posted_at))
    after = search.sweep_for(2)
    assert [one.post_id for one in after[0].chosen] == ["1"]


def test_se1_the_next_attempt_does_not_wait_until_a_clock_that_was_ahead_is_right(
    search: Search,
) -> None:
    search.clock.advance(JUMP)
    ahead = search.sweep_for(1)
    search.clock.advance(-JUMP)
    numbers = [one.attempt.number for one in [*ahead, *search.sweep_for(3)]]
    assert numbers == list(range(1, len(ahead) + 3))


def test_se1_a_goal_that_became_stable_while_the_clock_was_ahead_is_due_at_once(
    database: Database[Document],
) -> None:
    put_goal(database, replace(GOAL, stable_at=STABLE + timedelta(seconds=JUMP)))
    agenda = update_agenda(SearchStore(database), STABLE, SearchPlan())
    assert agenda.due == 1


def test_se1_a_clock_that_is_behind_uses_up_no_attempts(search: Search) -> None:
    search.sweep_for(2)
    search.clock.advance(-JUMP)
    behind = search.sweep_for(3)
    assert [one.attempt.number for one in behind] == [3, 4]
    search.clock.advance(JUMP)
    starts = [one.attempt.started_at for one in search.sweep_for(30)]
    assert len(starts) == SearchPlan().attempts - 4
    pauses = [later - earlier for earlier, later in pairwise(starts)]
    assert min(pauses) >= timedelta(seconds=10)


def test_se6_a_goal_that_was_first_seen_while_the_clock_was_ahead_is_searched_for_since_now(
    database: Database[Document],
) -> None:
    ahead = timedelta(seconds=JUMP)
    assert GOAL.first_seen_at
    put_goal(database, replace(GOAL, first_seen_at=GOAL.first_seen_at + ahead))
    search = Search(database)
    search.sweep_for(0.5)
    (_, window, _), *_ = search.site.searches_made
    assert window.since == STABLE - 3 * MINUTE


def closed_at(database: Database[Document], minutes: float) -> int:
    """How many searches a look closes, so many minutes after the goal became stable."""
    return update_agenda(SearchStore(database), STABLE + minutes * MINUTE, SearchPlan()).closed


def test_se2_a_clock_that_is_ahead_for_a_moment_closes_no_search(
    database: Database[Document],
) -> None:
    put_goal(database)
    ahead = [closed_at(database, minutes) for minutes in (21 + 10, 22 + 10, 22.9 + 10)]
    right = [closed_at(database, minutes) for minutes in (23, 30, 31)]
    assert (ahead, right) == ([0, 0, 0], [0, 0, 0])
    assert closed_at(database, 32) == 1


def test_se2_the_deadline_of_a_goal_that_a_clock_behind_called_stable_counts_from_its_sighting(
    database: Database[Document],
) -> None:
    behind = STABLE - timedelta(seconds=JUMP)
    put_goal(database, replace(GOAL, first_seen_at=STABLE, stable_at=behind))
    assert [closed_at(database, minutes) for minutes in (22, 25, 30, 32)] == [0, 0, 0, 1]
