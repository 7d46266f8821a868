"""F2–F4: fixtures come in by day, by looking ahead and by id, and nothing known is reset."""

from datetime import UTC, date, datetime, timedelta

import pytest

from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.team_lists import TeamListStore
from footy_assets.matchday.tracking import TrackingPolicy, season_of
from footy_assets.sim import SimServer, World, clubs_of, goal
from footy_assets_tests.matchday.bench import Bench

EMPTY = World(date(2025, 5, 10), ())
TODAY = date(2025, 5, 10)
NOBODYS = 990_001
SALAH = goal(12, player=234, name="M. Salah")


@pytest.fixture(scope="session")
def world() -> World:
    """No match but those that a test puts."""
    return EMPTY


def noon(days: int) -> datetime:
    return datetime(2025, 5, 10, 12, 0, tzinfo=UTC) + timedelta(days=days)


def days_requested(sim: SimServer) -> list[int]:
    return [
        (date.fromisoformat(request.params["date"]) - TODAY).days
        for request in sim.requests
        if "date" in request.params
    ]


def test_F2_daily_ingest_brings_today_tomorrow_and_the_day_after(bench: Bench) -> None:
    for day in range(5):
        bench.put(5000 + day, kickoff=noon(day))
    report = bench.ingest().daily(TODAY)
    assert sorted(report.kept_ids) == [5000, 5001, 5002]
    assert days_requested(bench.sim) == [0, 1, 2]
    assert report.added == 3


def test_F2_tomorrow_empty_looks_ahead_to_the_next_day_with_a_match(bench: Bench) -> None:
    bench.put(5009, kickoff=noon(9))
    bench.put(5011, kickoff=noon(11))
    report = bench.ingest().daily(TODAY)
    assert report.kept_ids == [5009]
    assert days_requested(bench.sim) == list(range(10))


def test_F2_the_day_after_tomorrow_ends_the_search_at_once(bench: Bench) -> None:
    bench.put(5002, kickoff=noon(2))
    bench.ingest().daily(TODAY)
    assert days_requested(bench.sim) == [0, 1, 2]


def test_F2_the_look_ahead_ends_after_30_days(bench: Bench) -> None:
    bench.put(5031, kickoff=noon(31))
    assert bench.ingest().daily(TODAY).kept_ids == []
    assert days_requested(bench.sim) == list(range(31))
    bench.put(5030, kickoff=noon(30))
    assert bench.ingest().daily(TODAY).kept_ids == [5030]


def test_F2_untracked_matches_do_not_fill_a_day(bench: Bench) -> None:
    bench.put(5001, kickoff=noon(1), home=NOBODYS, away=NOBODYS + 1)
    bench.put(5004, kickoff=noon(4))
    report = bench.ingest(TrackingPolicy(teams=(40,))).daily(TODAY)
    assert report.kept_ids == [5004]


def test_F2_a_day_whose_request_failed_is_not_taken_for_empty(bench: Bench) -> None:
    """With the provider down, a look ahead would ask for thirty days in vain."""
    bench.sim.faults.fail(500, times=None, path="/fixtures")
    report = bench.ingest().daily(TODAY)
    assert set(days_requested(bench.sim)) == {0, 1, 2}
    assert len(report.failures) == 3
    assert report.days == {}


def test_F2_one_day_by_its_date(bench: Bench) -> None:
    bench.put(4000, kickoff=noon(-40), status="FT")
    report = bench.ingest().day(TODAY - timedelta(days=40))
    assert report.kept_ids == [4000]
    assert bench.fixture(4000).state is FixtureState.ACTIVE


def test_F2_by_ids_bypasses_the_filter(bench: Bench) -> None:
    bench.put(5000, kickoff=noon(0), home=NOBODYS, away=NOBODYS + 1)
    ingest = bench.ingest(TrackingPolicy(teams=(40,)))
    assert ingest.day(TODAY).kept_ids == []
    report = ingest.ids([5000, 5000, 6000])
    assert report.kept_ids == [5000]
    assert bench.fixture(5000).added_by == "by_id"
    assert [failure.subject for failure in report.failures] == ["fixture 6000"]


def test_F3_a_fixture_is_kept_if_either_side_is_tracked(bench: Bench) -> None:
    bench.put(5000, kickoff=noon(0), home=40, away=NOBODYS)
    bench.put(5001, kickoff=noon(0), home=NOBODYS, away=40)
    bench.put(5002, kickoff=noon(0), home=NOBODYS, away=NOBODYS + 1)
    assert sorted(bench.ingest(TrackingPolicy(teams=(40,))).day(TODAY).kept_ids) == [5000, 5001]


def test_F3_clubs_of_a_league_are_resolved_through_teams(bench: Bench) -> None:
    club, other = clubs_of(39)[0], clubs_of(140)[0]
    bench.put(5000, kickoff=noon(0), home=club.id, away=NOBODYS)
    bench.put(5001, kickoff=noon(0), home=other.id, away=NOBODYS)
    assert bench.ingest(TrackingPolicy(leagues=(39,))).day(TODAY).kept_ids == [5000]
    requested = [r.params for r in bench.sim.requests if r.path == "/teams"]
    assert requested == [{"league": "39", "season": "2024"}]


def test_F3_star_tracks_everything_and_requests_no_teams(bench: Bench) -> None:
    bench.put(5000, kickoff=noon(0), home=NOBODYS, away=NOBODYS + 1)
    assert bench.ingest(TrackingPolicy((39,), "*")).day(TODAY).kept_ids == [5000]
    assert {request.path for request in bench.sim.requests} == {"/fixtures"}


def team_calls(bench: Bench) -> int:
    return sum(request.path == "/teams" for request in bench.sim.requests)


def test_F3_the_list_of_clubs_is_cached_for_24_hours(bench: Bench) -> None:
    ingest = bench.ingest(TrackingPolicy(leagues=(39, 140)))
    ingest.day(TODAY)
    assert team_calls(bench) == 2
    bench.advance_hours(23.9)
    ingest.day(TODAY)
    assert team_calls(bench) == 2
    bench.advance_hours(0.2)
    ingest.day(TODAY)
    assert team_calls(bench) == 4


@pytest.mark.parametrize("fault", ["down", "errors", "empty"])
def test_F3_when_the_provider_is_down_the_last_known_list_is_used(bench: Bench, fault: str) -> None:
    bench.put(5000, kickoff=noon(0), home=clubs_of(39)[0].id, away=NOBODYS)
    ingest = bench.ingest(TrackingPolicy(leagues=(39,)))
    assert ingest.day(TODAY).kept_ids == [5000]
    bench.advance_hours(100)
    if fault == "down":
        bench.sim.faults.fail(503, times=None, path="/teams")
    elif fault == "errors":
        bench.sim.faults.errors({"bug": "sorry"}, times=None, path="/teams")
    else:
        bench.sim.faults.errors({}, times=None, path="/teams")
    report = ingest.day(TODAY)
    assert report.kept_ids == [5000]
    assert any("using the list of" in warning for warning in report.warnings)
    assert report.failures == []


def test_F3_an_ingest_without_a_team_list_is_not_recorded(bench: Bench) -> None:
    bench.put(5000, kickoff=noon(0), home=clubs_of(39)[0].id, away=NOBODYS)
    bench.sim.faults.fail(503, times=3, path="/teams")
    ingest = bench.ingest(TrackingPolicy(leagues=(39,)))
    assert ingest.day(TODAY).failures
    assert bench.store.journal.ingested_at(TODAY) is None
    assert ingest.day(TODAY).kept_ids == [5000]
    assert bench.store.journal.ingested_at(TODAY) is not None


def test_F3_in_a_new_season_last_seasons_list_is_used_until_there_is_one(bench: Bench) -> None:
    lists = TeamListStore(bench.store.database)
    lists.put("teams:39:2024", [clubs_of(39)[0].id], bench.clock.now() - timedelta(days=60))
    august = date(2025, 8, 20)
    bench.put(5000, kickoff=datetime(2025, 8, 20, 12, tzinfo=UTC), home=clubs_of(39)[0].id)
    bench.sim.faults.fail(500, times=None, path="/teams")
    bench.sim.faults.fail(500, times=None, path="/leagues")
    report = bench.ingest(TrackingPolicy(leagues=(39,))).day(august)
    assert report.kept_ids == [5000]


def test_F3_without_any_list_the_ingest_fails(bench: Bench) -> None:
    """Else an empty day would look like a day without matches."""
    bench.sim.faults.fail(500, times=None, path="/teams")
    report = bench.ingest(TrackingPolicy(leagues=(39,))).day(TODAY)
    assert [failure.subject for failure in report.failures] == ["teams of league 39"]


@pytest.mark.parametrize(
    ("day", "season"), [(date(2025, 6, 30), 2024), (date(2025, 7, 1), 2025), (TODAY, 2024)]
)
def test_F3_without_known_seasons_they_run_from_july(day: date, season: int) -> None:
    assert season_of(day, []) == season


def test_F4_reingest_resets_neither_state_nor_events(bench: Bench) -> None:
    bench.put(kickoff=noon(0), status="1H", goals=[SALAH])
    bench.clock.at = noon(0)
    bench.ingest().day(TODAY)
    for _ in range(3):
        bench.poll()
    before = bench.store.fixtures.find_one({"_id": 5000})
    goals = bench.goals()
    assert goals[0].stable
    # The provider stutters: by date it is not started, and another day at that.
    bench.put(kickoff=noon(0), status="NS")
    report = bench.ingest().day(TODAY)
    assert (report.added, report.updated) == (0, 0)
    assert bench.store.fixtures.find_one({"_id": 5000}) == before
    assert bench.goals() == goals


def test_F4_reingest_of_a_completed_match_changes_nothing(bench: Bench) -> None:
    bench.put(kickoff=noon(0), status="FT", goals=[SALAH])
    bench.clock.at = noon(0) + timedelta(hours=2)
    bench.track()
    for _ in range(4):
        bench.poll()
    before = bench.fixture()
    assert before.state is FixtureState.COMPLETED
    bench.ingest().ids([5000])
    bench.ingest().day(TODAY)
    assert bench.fixture() == before


def test_F4_a_staging_fixture_gets_its_new_kickoff(bench: Bench) -> None:
    bench.put(kickoff=noon(2))
    bench.ingest().daily(TODAY)
    bench.put(kickoff=noon(2) + timedelta(hours=3))
    report = bench.ingest().daily(TODAY)
    assert (report.added, report.updated) == (0, 1)
    assert bench.fixture().kickoff == noon(2) + timedelta(hours=3)
    assert bench.fixture().state is FixtureState.STAGING


def test_F4_ingest_twice_writes_nothing_the_second_time(bench: Bench) -> None:
    bench.put(kickoff=noon(2))
    bench.ingest().daily(TODAY)
    before = bench.store.fixtures.find_one({"_id": 5000})
    report = bench.ingest().daily(TODAY)
    assert (report.added, report.updated) == (0, 0)
    assert bench.store.fixtures.find_one({"_id": 5000}) == before


def test_F4_a_match_closed_as_unfinished_and_rescheduled_returns_to_staging(bench: Bench) -> None:
    bench.put(kickoff=noon(0), status="PST")
    bench.clock.at = noon(0)
    bench.track()
    bench.poll()
    bench.advance_hours(49)
    bench.poll()
    assert bench.fixture().closed_because is not None
    bench.put(kickoff=noon(20))
    bench.ingest().ids([5000])
    assert bench.fixture().state is FixtureState.STAGING
    assert (bench.fixture().completed_at, bench.fixture().closed_because) == (None, None)


def test_F2_an_unreadable_fixture_does_not_affect_others(bench: Bench) -> None:
    bench.put(5000, kickoff=noon(0))
    bench.put(5001, kickoff=noon(0))
    bench.sim.faults.malform(5000)
    report = bench.ingest().day(TODAY)
    assert report.kept_ids == [5001]
    [noted] = bench.store.database["rejects"].find()
    assert noted["subject"] == "fixture 5000"
    assert noted["reason"]
