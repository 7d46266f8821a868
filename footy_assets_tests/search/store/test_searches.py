from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pymongo.collection import Collection
from pymongo.database import Database

from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.store.documents import goal_from
from footy_assets.search.rules.attempts import APART, AttemptOutcome
from footy_assets.search.rules.posts import Post, attempt_window
from footy_assets.search.rules.query import GoalQuery
from footy_assets.search.rules.video import VideoState
from footy_assets.search.store.claims import SearchClaims
from footy_assets.search.store.searches import Attempt, SearchStore
from footy_assets.store.collections import ATTEMPTS, EVENTS, VIDEOS, Document
from footy_assets_tests.matchday.goals import GOAL, STABLE, put_goal

QUERY = GoalQuery(("Salah",), ("LFC",))
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def seconds(n: float) -> timedelta:
    return timedelta(seconds=n)


def post(number: int, **changes: object) -> Post:
    made = Post(
        "x", str(number), f"https://x.test/{number}", STABLE, video_url=f"https://x.test/{number}"
    )
    return replace(made, **changes)  # type: ignore[arg-type]


@pytest.fixture
def searches(database: Database[Document]) -> SearchStore:
    put_goal(database)
    store = SearchStore(database)
    assert store.open_searches() == 1
    return store


def finish(
    searches: SearchStore,
    attempt: Attempt,
    took: float = 5,
    chosen: tuple[Post, ...] = (),
    answered: tuple[str, ...] = ("x", "bluesky"),
) -> bool:
    return searches.record_result(
        attempt,
        attempt.started_at + seconds(took),
        APART,
        query=QUERY,
        window=attempt_window(STABLE, attempt.answered.get("x")),
        chosen=chosen,
        seen=chosen,
        details={},
        answered=answered,
    )


def claim(searches: SearchStore, at: datetime) -> Attempt:
    attempt = searches.claim(GOAL.key, at)
    assert attempt is not None
    return attempt


def expire_claims(database: Database[Document]) -> None:
    """Expires all claims, as if their process had been killed long ago."""
    database[EVENTS].update_many({}, {"$set": {"search.held_until": LONG_AGO}})


def test_se1_a_stable_goal_is_due_at_once_and_only_once(searches: SearchStore) -> None:
    assert searches.due_goals(STABLE) == [GOAL.key]
    assert searches.due_goals(STABLE - seconds(1)) == []
    assert searches.open_searches() == 0


def test_se1_ten_attempts_sixty_seconds_apart_from_start_to_start(
    searches: SearchStore, database: Database[Document]
) -> None:
    now, starts = STABLE, []
    for _ in range(10):
        attempt = claim(searches, now)
        starts.append(attempt.due_at)
        # Each attempt starts seven seconds late: the lag does not accumulate.
        assert finish(searches, replace(attempt, started_at=now + seconds(7)))
        upcoming = searches.next_due_at()
        now = upcoming or now
    assert starts == [STABLE + seconds(60 * n) for n in range(10)]
    assert searches.next_due_at() is None
    goal = goal_from(database[EVENTS].find_one({}) or {})
    assert (goal.attempts_counted, str(goal.state)) == (10, "complete")


def test_se1_never_sooner_than_ten_seconds_after_the_last_ended(searches: SearchStore) -> None:
    finish(searches, claim(searches, STABLE), took=58)
    assert searches.next_due_at() == STABLE + seconds(68)


def test_se1_an_attempt_runs_at_most_once_at_a_time(searches: SearchStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        claims = list(pool.map(lambda _: searches.claim(GOAL.key, STABLE), range(8)))
    assert sum(claim is not None for claim in claims) == 1
    assert searches.due_goals(STABLE) == []


def test_se1_a_crashed_attempt_is_retried_under_the_same_number(
    searches: SearchStore, database: Database[Document]
) -> None:
    finish(searches, claim(searches, STABLE))
    first = claim(searches, STABLE + seconds(60))
    expire_claims(database)
    again = claim(searches, STABLE + seconds(90))
    assert (first.number, again.number) == (2, 2)
    assert again.generation == first.generation + 1
    assert again.answered == first.answered == {"x": STABLE, "bluesky": STABLE}, (
        "the window starts where the lost attempt's did"
    )
    assert not finish(searches, first), "the process that lost the claim changes nothing any more"
    assert finish(searches, again)
    assert claim(searches, STABLE + seconds(300)).number == 3


def test_se1_only_claims_of_ended_runs_are_given_back_and_only_once(
    searches: SearchStore, database: Database[Document]
) -> None:
    claims, runs = SearchClaims(database), ("one", "two")
    one, two = (SearchStore(database, run_id) for run_id in runs)
    first = claim(one, STABLE)
    assert claims.holders() == {"one"}
    assert (claims.release({"two"}), claims.release({"one"}), claims.release({"one"})) == (0, 1, 0)
    again = claim(two, STABLE)
    assert (again.number, again.generation) == (first.number, first.generation + 1)
    assert claims.release({"one"}) == 0, "it has no claim any more, though it still reports"
    assert not finish(one, first)
    assert claims.holders() == {"two"}
    assert finish(two, again)
    assert claims.holders() == set()


def test_se6_each_site_is_searched_since_its_last_answer(searches: SearchStore) -> None:
    finish(searches, claim(searches, STABLE), answered=("bluesky",))
    second = claim(searches, STABLE + seconds(60))
    assert second.answered == {"bluesky": STABLE}
    searches.record_failure(second, STABLE + seconds(70), APART, "both are down")
    third = claim(searches, STABLE + seconds(120))
    assert third.answered == {"bluesky": STABLE}
    finish(searches, third)
    at = STABLE + seconds(120)
    assert claim(searches, STABLE + seconds(180)).answered == {"x": at, "bluesky": at}


def test_p3_progress_keeps_the_claim_and_a_lost_claim_is_reported(
    searches: SearchStore, database: Database[Document]
) -> None:
    attempt = claim(searches, STABLE)
    expire_claims(database)
    assert searches.renew(attempt)
    assert searches.due_goals(STABLE + seconds(5)) == []
    expire_claims(database)
    claim(searches, STABLE + seconds(5))
    assert not searches.renew(attempt)


def test_se2_an_attempt_that_found_nothing_counts(
    searches: SearchStore, database: Database[Document]
) -> None:
    finish(searches, claim(searches, STABLE))
    row = database[ATTEMPTS].find_one({}) or {}
    assert (row["number"], row["outcome"]) == (1, AttemptOutcome.FOUND_NOTHING)
    assert goal_from(database[EVENTS].find_one({}) or {}).attempts_counted == 1


def test_se2_an_attempt_with_videos_counts_when_they_are_settled(
    searches: SearchStore, database: Database[Document]
) -> None:
    finish(searches, claim(searches, STABLE), chosen=(post(1), post(2)))
    assert goal_from(database[EVENTS].find_one({}) or {}).attempts_counted == 0
    assert searches.uncounted_attempts(GOAL.key) == [1]
    assert searches.videos.attempt_has_waiting(GOAL.key, 1)
    database[VIDEOS].update_many({}, {"$set": {"state": VideoState.REFUSED}})
    assert not searches.videos.attempt_has_waiting(GOAL.key, 1)
    for _ in range(2):
        searches.count_attempts(GOAL.key, [1], STABLE, AttemptOutcome.VIDEOS_SETTLED)
    assert goal_from(database[EVENTS].find_one({}) or {}).attempts_counted == 1


def fail(searches: SearchStore, attempt: Attempt) -> None:
    searches.record_failure(attempt, attempt.started_at + seconds(5), APART, "x: login lost")


def stored_goal(database: Database[Document]) -> GoalEvent:
    return goal_from(database[EVENTS].find_one({}) or {})


def run_all(searches: SearchStore, fails: Callable[[int], bool]) -> list[datetime]:
    """Run every attempt when it is due. Their due times."""
    due = []
    while (now := searches.next_due_at()) is not None:
        attempt = claim(searches, now)
        due.append(attempt.due_at)
        if fails(attempt.number):
            fail(searches, attempt)
        else:
            finish(searches, attempt)
    return due


def test_se9_a_failed_attempt_is_stored_with_its_reason_and_counts_for_nothing(
    searches: SearchStore, database: Database[Document]
) -> None:
    fail(searches, claim(searches, STABLE))
    row = database[ATTEMPTS].find_one({}) or {}
    assert (row["failure"], row["outcome"]) == ("x: login lost", AttemptOutcome.FAILED)
    assert "counted_at" not in row
    assert searches.uncounted_attempts(GOAL.key) == []
    assert searches.next_due_at() == STABLE + seconds(60)
    assert str(stored_goal(database).state) == "stable"


def test_se9_a_failed_attempt_is_made_up_for_by_one_more(
    searches: SearchStore, database: Database[Document]
) -> None:
    due = run_all(searches, lambda number: number in (2, 3))
    assert due == [STABLE + seconds(60 * n) for n in range(12)]
    goal = stored_goal(database)
    assert (goal.attempts_counted, str(goal.state)) == (10, "complete")


@pytest.mark.parametrize("answered", [0, 1, 8])
def test_se9_at_most_15_are_started_and_then_the_goal_is_complete(
    searches: SearchStore, database: Database[Document], answered: int
) -> None:
    due = run_all(searches, lambda number: number > answered)
    assert due == [STABLE + seconds(60 * n) for n in range(15)]
    goal = stored_goal(database)
    assert (goal.attempts_counted, goal.finished) == (10, True)
    counted = database[ATTEMPTS].count_documents({"counted_at": {"$exists": True}})
    assert counted == 10


def test_se9_an_answered_attempt_that_waits_for_its_videos_is_waited_for(
    searches: SearchStore, database: Database[Document]
) -> None:
    finish(searches, claim(searches, STABLE), chosen=(post(1),))
    run_all(searches, lambda number: True)
    assert stored_goal(database).state_label == "searching (9/10)"
    assert searches.uncounted_attempts(GOAL.key) == [1]
    searches.count_attempts(GOAL.key, [1], STABLE, AttemptOutcome.VIDEOS_SETTLED)
    assert str(stored_goal(database).state) == "complete"


def test_se9_a_past_match_whose_only_search_failed_is_searched_once_more(
    database: Database[Document],
) -> None:
    put_goal(database, replace(GOAL, attempts_planned=1))
    searches = SearchStore(database)
    searches.open_searches()
    assert run_all(searches, lambda number: True) == [STABLE, STABLE + seconds(60)]
    assert str(stored_goal(database).state) == "complete"


def test_se9_the_deadline_counts_failed_attempts_up_to_the_plan(
    searches: SearchStore, database: Database[Document]
) -> None:
    for n in range(12):
        attempt = claim(searches, STABLE + seconds(60 * n))
        if n < 3:
            fail(searches, attempt)
        else:
            finish(searches, attempt, chosen=(post(n),) if n == 11 else ())
    after = timedelta(minutes=30)
    assert searches.close_overdue(STABLE + after, after) == [GOAL.key]
    assert stored_goal(database).attempts_counted == 10
    rows = searches.attempts_of(GOAL.key)
    assert [row["outcome"] for row in rows[:3]] == [AttemptOutcome.FAILED] * 3
    assert rows[11]["outcome"] == AttemptOutcome.DEADLINE_PASSED


def test_p5_an_operator_s_attempt_after_the_end_is_one_more_answered_or_not(
    searches: SearchStore, database: Database[Document]
) -> None:
    run_all(searches, lambda number: number > 8)
    later = STABLE + timedelta(minutes=20)
    for number, record in ((16, fail), (17, finish)):
        assert searches.make_due(GOAL.key, later)
        attempt = claim(searches, later)
        record(searches, attempt)
        assert (attempt.number, searches.next_due_at()) == (number, None)
    assert str(stored_goal(database).state) == "complete"


def test_se2_an_attempt_that_ends_after_its_search_was_closed_starts_no_other(
    searches: SearchStore, database: Database[Document]
) -> None:
    attempt = claim(searches, STABLE)
    searches.close_fixture(GOAL.fixture_id, STABLE + seconds(3))
    assert finish(searches, attempt)
    assert searches.next_due_at() is None
    assert stored_goal(database).attempts_counted == 10


class KilledError(Exception):
    pass


def killed_at_write(database: Database[Document], write: int) -> SearchStore:
    """A store whose process dies after this many writes."""
    left = iter(range(write))

    class Killed(Collection[Document]):
        def _died(self, call: Callable[..., Any], *args: Any, **named: Any) -> Any:
            if next(left, None) is None:
                raise KilledError
            return call(*args, **named)

        def update_one(self, *args: Any, **named: Any) -> Any:
            return self._died(super().update_one, *args, **named)

        def update_many(self, *args: Any, **named: Any) -> Any:
            return self._died(super().update_many, *args, **named)

    store = SearchStore(database)
    store._events = Killed(database, EVENTS)
    store._attempts = Killed(database, ATTEMPTS)
    return store


@pytest.mark.parametrize("write", range(4))
@pytest.mark.parametrize("answered_then", [True, False])
def test_se9_a_process_killed_at_any_write_of_a_failure_loses_and_doubles_nothing(
    searches: SearchStore, database: Database[Document], write: int, answered_then: bool
) -> None:
    """The last attempt that may be started fails, its process dies, and what is left is done."""
    for n in range(14):
        fail(searches, claim(searches, STABLE + seconds(60 * n)))
    last = claim(searches, STABLE + seconds(60 * 14))
    with suppress(KilledError):
        fail(killed_at_write(database, write), last)
    # As a batch of clips does meanwhile.
    assert searches.uncounted_attempts(GOAL.key) == []
    expire_claims(database)
    if (again := searches.claim(GOAL.key, STABLE + seconds(900))) is not None:
        assert again.number == 15
        (finish if answered_then else fail)(searches, again)
        row = searches.attempts_of(GOAL.key)[-1]
        assert ("failure" in row) is not answered_then
    goal = stored_goal(database)
    assert (goal.attempts_counted, str(goal.state)) == (10, "complete")
    assert searches.next_due_at() is None


@pytest.mark.parametrize("record", [fail, finish])
def test_p4_a_result_that_is_stored_twice_for_a_lost_answer_counts_once(
    searches: SearchStore, database: Database[Document], record: Callable[..., Any]
) -> None:
    attempt = claim(searches, STABLE)
    for _ in range(2):
        record(searches, attempt)
    assert claim(searches, STABLE + seconds(60)).number == 2
    assert stored_goal(database).attempts_counted == (record is finish)


def test_se2_the_deadline_closes_open_searches(
    searches: SearchStore, database: Database[Document]
) -> None:
    finish(searches, claim(searches, STABLE), chosen=(post(1),))
    after = timedelta(minutes=30)
    assert searches.close_overdue(STABLE + after - seconds(1), after) == []
    assert searches.close_overdue(STABLE + after, after) == [GOAL.key]
    assert searches.close_overdue(STABLE + after, after) == []
    assert str(goal_from(database[EVENTS].find_one({}) or {}).state) == "complete"
    assert (database[VIDEOS].find_one({}) or {})["reason"] == AttemptOutcome.DEADLINE_PASSED
    assert searches.next_due_at() is None


def test_se6_only_chosen_videos_are_known_the_rest_stay_eligible(searches: SearchStore) -> None:
    attempt = claim(searches, STABLE)
    searches.record_result(
        attempt,
        STABLE + seconds(5),
        APART,
        query=QUERY,
        window=attempt_window(STABLE, None),
        chosen=[post(1)],
        seen=[post(1), post(2)],
        details={},
    )
    assert searches.videos.known_ids(GOAL.key) == {"x:1"}
    finish(searches, claim(searches, STABLE + seconds(60)), chosen=(post(2),))
    assert searches.videos.known_ids(GOAL.key) == {"x:1", "x:2"}


def test_e6_a_removed_goal_is_not_searched_for(
    searches: SearchStore, database: Database[Document]
) -> None:
    database[EVENTS].update_one({}, {"$set": {"live": False}})
    assert searches.due_goals(STABLE) == []
    assert searches.claim(GOAL.key, STABLE) is None


def test_a_goal_without_planned_attempts_is_left_alone(database: Database[Document]) -> None:
    put_goal(database, replace(GOAL, attempts_planned=0))
    assert SearchStore(database).open_searches() == 0
