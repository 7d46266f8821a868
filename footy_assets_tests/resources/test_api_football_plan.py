"""API-Football's free plan: it refuses `ids`, so that a poll has to do with few requests."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from footy_assets.clock import ManualClock
from footy_assets.matchday.rules.feed import Answer
from footy_assets.matchday.rules.pace import poll_interval
from footy_assets.runtime.doctor import examine_api_football
from footy_assets.settings import settings_of
from footy_assets.sim import fixture_json, goal
from footy_assets_tests.resources.free_plan import NO_IDS, FreePlanServer
from resources.api_football.client import ApiFootball
from resources.api_football.connection import open_football
from resources.api_football.plan import PlanMemory

NOON = datetime(2025, 9, 13, 12, tzinfo=UTC)
SALAH = goal(12, player=234, name="M. Salah")
UNNAMED = goal(80, player=None, name=None)


@pytest.fixture(scope="module")
def shared_server() -> Iterator[FreePlanServer]:
    with FreePlanServer(ManualClock(NOON)) as server:
        yield server


@pytest.fixture
def server(shared_server: FreePlanServer) -> FreePlanServer:
    """Matches 1 and 2 in play, 3 that kicks off in three hours, 4 tomorrow."""
    shared_server.clear()
    shared_server.clock.at = NOON
    for id_ in (1, 2):
        kickoff = NOON - timedelta(minutes=30)
        shared_server.put(fixture_json(id_, kickoff=kickoff, status="1H", goals=[SALAH]))
    shared_server.put(fixture_json(3, kickoff=NOON + timedelta(hours=3)))
    shared_server.put(fixture_json(4, kickoff=NOON + timedelta(days=1)))
    return shared_server


@pytest.fixture
def feed(server: FreePlanServer) -> Iterator[ApiFootball]:
    with ApiFootball(server.url, None, clock=server.clock, timeout=5) as client:
        yield client


def poll(feed: ApiFootball, server: FreePlanServer, *ids: int, minutes: float = 0) -> Answer:
    server.clock.advance(60 * minutes)
    server.queries.clear()
    return feed.by_ids(ids or (1, 2, 3, 4))


def test_where_ids_are_refused_one_request_has_all_matches_in_play(
    feed: ApiFootball, server: FreePlanServer
) -> None:
    answer = poll(feed, server, 1, 2)
    assert server.queries == ["ids=1-2", "live=all"]
    assert [len(sighting.goals or ()) for sighting in answer.sightings.values()] == [1, 1]
    assert (answer.failures, answer.calls) == ([], 2)
    [warning] = answer.warnings
    assert warning.startswith(f"API-Football: {NO_IDS}")
    assert "Upgrade the plan" in warning


def test_the_refusal_is_remembered_for_a_day_and_said_once(
    feed: ApiFootball, server: FreePlanServer
) -> None:
    poll(feed, server, 1)
    assert poll(feed, server, 1, minutes=5).warnings == []
    assert server.queries == ["live=all"]
    assert poll(feed, server, 1, minutes=24 * 60).warnings
    assert server.queries == ["ids=1", "live=all"]


def test_an_upgraded_plan_is_noticed_within_a_day(
    feed: ApiFootball, server: FreePlanServer
) -> None:
    poll(feed, server, 1)
    server.free = False
    answer = poll(feed, server, *range(1, 51), minutes=24 * 60)
    assert [query[:3] for query in server.queries] == ["ids"] * 3
    assert sorted(answer.sightings) == [1, 2, 3, 4]


def test_a_recheck_costs_one_request_however_many_matches_there_are(
    feed: ApiFootball, server: FreePlanServer
) -> None:
    poll(feed, server, 1)
    poll(feed, server, *range(1, 51), minutes=24 * 60)
    assert sum(query.startswith("ids") for query in server.queries) == 1


def test_the_next_client_of_a_process_knows_the_plan(server: FreePlanServer) -> None:
    settings = settings_of(api_football_url=server.url, api_football_key="a-key")
    for _ in range(2):
        with open_football(settings) as feed:
            feed.by_ids([1])
    assert server.queries.count("ids=1") == 1


def test_without_a_match_that_may_be_in_play_nothing_is_requested(
    feed: ApiFootball, server: FreePlanServer
) -> None:
    poll(feed, server)
    answer = poll(feed, server, 3, 4, minutes=15)
    assert server.queries == []
    assert (answer.sightings, answer.failures, answer.skipped) == ({}, [], {3, 4})
    assert poll_interval(30, answer.quota, answer.calls, server.clock.now()) == 30


def test_a_match_is_seen_from_its_kickoff(feed: ApiFootball, server: FreePlanServer) -> None:
    poll(feed, server)
    poll(feed, server, 3, minutes=177)
    assert server.queries == []
    server.put(fixture_json(3, kickoff=NOON + timedelta(hours=3), status="1H", elapsed=1))
    answer = poll(feed, server, 3, minutes=4)
    assert server.queries == ["live=all"]
    assert answer.sightings[3].status == "1H"


def test_after_a_start_kickoffs_of_many_matches_come_with_a_request_for_each_day(
    feed: ApiFootball, server: FreePlanServer
) -> None:
    for id_ in range(10, 20):
        server.put(fixture_json(id_, kickoff=NOON + timedelta(hours=id_)))
    answer = poll(feed, server, 3, 4, *range(10, 20))
    assert server.queries[1:] == ["live=all", "date=2025-09-13", "date=2025-09-14"]
    assert len(answer.sightings) == 12
    assert poll(feed, server, 3, 4, *range(10, 20), minutes=15).calls == 0


def test_an_unknown_match_is_requested_alone_and_reported_if_there_is_none(
    feed: ApiFootball, server: FreePlanServer
) -> None:
    answer = poll(feed, server, 3, 99)
    assert server.queries[1:] == ["live=all", "id=3", "id=99"]
    assert list(answer.sightings) == [3]
    assert [failure.subject for failure in answer.failures] == ["fixture 99"]
    assert "id=99" not in (poll(feed, server, 99, minutes=5) and server.queries)


def test_a_match_that_ends_is_looked_up_alone_until_its_goals_can_be_stable(
    feed: ApiFootball, server: FreePlanServer
) -> None:
    """E4: three polls have to see the goal that came last; then there is nothing to learn."""
    poll(feed, server)
    late = goal(90, extra=4, player=7, name="L. Diaz")
    kickoff = NOON - timedelta(minutes=30)
    server.put(fixture_json(1, kickoff=kickoff, status="FT", goals=[SALAH, late]))
    looks = 0
    for _ in range(6):
        answer = poll(feed, server, 1, 2, minutes=4)
        assert server.queries[0] == "live=all"
        if "id=1" in server.queries:
            looks += 1
            assert len(answer.sightings[1].goals or ()) == 2
    assert looks == 3


def test_a_match_that_ends_as_it_was_is_looked_up_once(
    feed: ApiFootball, server: FreePlanServer
) -> None:
    for _ in range(3):
        poll(feed, server, minutes=4)
    server.put(fixture_json(1, kickoff=NOON - timedelta(minutes=30), status="FT", goals=[SALAH]))
    asked = [poll(feed, server, 1, 2, minutes=4) and list(server.queries) for _ in range(4)]
    assert asked[0] == ["live=all", "id=1"]
    assert sum("id=1" in queries for queries in asked) == 1


def test_a_scorer_who_is_not_named_at_the_end_is_looked_for_every_ten_minutes(
    feed: ApiFootball, server: FreePlanServer
) -> None:
    kickoff = NOON - timedelta(minutes=30)
    for _ in range(3):
        poll(feed, server, minutes=4)
    server.put(fixture_json(1, kickoff=kickoff, status="FT", goals=[SALAH, UNNAMED]))
    for _ in range(3):
        poll(feed, server, 1, 2, minutes=4)
    asked = [poll(feed, server, 1, 2, minutes=4) and list(server.queries) for _ in range(6)]
    assert sum("id=1" in queries for queries in asked) == 2


def test_ended_matches_share_one_request_each_half_hour(
    feed: ApiFootball, server: FreePlanServer
) -> None:
    """Their status is needed until their goals are searched; their goals are known."""
    for id_ in (1, 2):
        kickoff = NOON - timedelta(hours=2)
        server.put(fixture_json(id_, kickoff=kickoff, status="FT", goals=[SALAH]))
    for _ in range(8):
        poll(feed, server, 1, 2, minutes=4)
    spent = []
    for _ in range(15):
        answer = poll(feed, server, 1, 2, minutes=4)
        spent += server.queries
        if server.queries:
            assert {one.status for one in answer.sightings.values()} == {"FT"}
    assert spent == ["date=2025-09-13"] * 2


def test_a_match_that_does_not_begin_is_looked_up(
    feed: ApiFootball, server: FreePlanServer
) -> None:
    poll(feed, server)
    kickoff = NOON + timedelta(hours=3)
    server.put(fixture_json(3, kickoff=kickoff, status="PST"))
    poll(feed, server, 3, minutes=180)
    assert server.queries == ["live=all"]
    assert poll(feed, server, 3, minutes=15).sightings[3].status == "PST"
    assert server.queries == ["live=all", "date=2025-09-13"]
    poll(feed, server, 3, minutes=4)
    assert server.queries == [], "a postponed match is not in play"


def test_the_last_fifth_of_the_day_is_for_matches_in_play(
    feed: ApiFootball, server: FreePlanServer
) -> None:
    poll(feed, server)
    server.put(fixture_json(1, kickoff=NOON - timedelta(hours=2), status="FT", goals=[SALAH]))
    server.left = 20
    poll(feed, server, 1, 2, minutes=4)
    assert server.queries == ["live=all"]


def test_a_poll_that_fails_fails_for_matches_that_may_be_in_play(
    feed: ApiFootball, server: FreePlanServer
) -> None:
    poll(feed, server)
    server.status = 403
    answer = poll(feed, server, minutes=4)
    assert server.queries == ["live=all"]
    [failure] = answer.failures
    assert failure.fixture_ids == (1, 2)
    assert answer.skipped == {3, 4}


def test_an_unreadable_match_of_ours_is_reported_and_those_of_others_are_not(
    feed: ApiFootball, server: FreePlanServer
) -> None:
    poll(feed, server)
    for id_ in (1, 50):
        broken = fixture_json(id_, kickoff=NOON, status="1H")
        broken["teams"] = None
        server.put(broken)
    answer = poll(feed, server, 1, 2, minutes=4)
    assert [piece.subject for piece in answer.unreadable] == ["fixture 1"]
    assert server.queries == ["live=all"], "it is in play, and not looked up"


def test_a_whole_evening_fits_into_the_day_and_no_goal_is_missed(
    feed: ApiFootball, server: FreePlanServer
) -> None:
    """Ten matches at 15:00, five at 18:00, each with a goal late on, polled as the pace says."""
    kickoffs = {id_: NOON + timedelta(hours=3 if id_ < 110 else 6) for id_ in range(100, 115)}
    clock, base = server.clock, 30.0
    seen: dict[int, set[int]] = {id_: set() for id_ in kickoffs}
    late: list[float] = []
    server.fixtures.clear()
    polls = 0
    while clock.now() < NOON + timedelta(hours=10):
        for id_, kickoff in kickoffs.items():
            played = (clock.now() - kickoff).total_seconds() / 60
            status = "NS" if played < 0 else "2H" if played < 110 else "FT"
            goals = [goal(80, player=id_, name="A. Scorer")] if played >= 95 else []
            server.put(fixture_json(id_, kickoff=kickoff, status=status, goals=goals))
        polls += 1
        answer = feed.by_ids(list(kickoffs))
        for id_, sighting in answer.sightings.items():
            if sighting.goals:
                if not seen[id_]:
                    scored = kickoffs[id_] + timedelta(minutes=95)
                    late.append((clock.now() - scored).total_seconds())
                seen[id_].add(polls)
        clock.advance(poll_interval(base, answer.quota, answer.calls, clock.now()))
    assert server.left > 0
    assert all(len(polls_with_goal) >= 3 for polls_with_goal in seen.values()), "E4"
    assert max(late) < 15 * 60


def test_profiles_of_teams_leave_the_day_to_live_matches(
    feed: ApiFootball, server: FreePlanServer
) -> None:
    answer = feed.teams(list(range(1, 61)))
    assert 20 <= len(answer.profiles) <= 30
    assert len(answer.failures) == 60 - len(answer.profiles)
    assert "requests left today are for live matches" in answer.failures[60]


# -- `footy doctor` -------------------------------------------------------------------------


def test_doctor_says_what_the_free_plan_can_do(server: FreePlanServer) -> None:
    server.left = 92
    found = examine_api_football(settings_of(api_football_url=server.url, api_football_key="k"))
    assert found.ok
    for part in ("plan Free", "8 of 100 requests used today", "yesterday to tomorrow"):
        assert part in found.detail
    assert "about every 4 min over 6 hours" in found.detail
    assert "FOOTY_TRACKED_LEAGUES" in found.detail
    assert server.queries == [], "`/status` is free"


def test_doctor_says_when_the_day_is_used_up(server: FreePlanServer) -> None:
    server.left = 0
    found = examine_api_football(settings_of(api_football_url=server.url, api_football_key="k"))
    assert not found.ok
    assert "00:00 UTC" in found.fix


def test_doctor_says_little_of_a_plan_that_can_do_everything(server: FreePlanServer) -> None:
    server.free, server.limit, server.left = False, 7_500, 7_400
    found = examine_api_football(settings_of(api_football_url=server.url, api_football_key="k"))
    assert (found.ok, found.detail) == (True, "plan Pro, 100 of 7500 requests used today")


def test_a_plan_is_not_remembered_across_keys() -> None:
    one, other = PlanMemory(), PlanMemory()
    one.refuse_ids(NOON)
    assert not one.allows_ids(NOON)
    assert other.allows_ids(NOON)
