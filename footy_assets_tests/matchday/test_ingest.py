"""F2–F4: fixtures come in by day, by looking ahead and by id, and nothing known is reset."""

from datetime import UTC, date, datetime, timedelta

import pytest

from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.team_lists import TeamListStore
from footy_assets.matchday.tracking import TrackingPolicy, season_of
from footy_assets.sim import SimServer, World, clubs_of, goal
from footy_assets_tests.matchday.harness import MatchdayHarness

EMPTY = World(date(2025, 5, 10), ())
TODAY = date(2025, 5, 10)
NOBODYS = 990_001
# A competition that is not tracked, in which clubs of tracked leagues play.
CUP = 2
SALAH = goal(12, player=234, name="M. Salah")


@pytest.fixture(scope="session")
def world() -> World:
    """A world without matches; a test adds its own."""
    return EMPTY


def noon(days: int) -> datetime:
    return datetime(2025, 5, 10, 12, 0, tzinfo=UTC) + timedelta(days=days)


def days_requested(sim: SimServer) -> list[int]:
    return [
        (date.fromisoformat(request.params["date"]) - TODAY).days
        for request in sim.requests
        if "date" in request.params
    ]


def test_F2_daily_ingest_brings_today_tomorrow_and_the_day_after(harness: MatchdayHarness) -> None:
    for day in range(5):
        harness.put(5000 + day, kickoff=noon(day))
    report = harness.ingest().daily(TODAY)
    assert sorted(report.kept_ids) == [5000, 5001, 5002]
    assert days_requested(harness.sim) == [0, 1, 2]
    assert report.added == 3


def test_F2_after_an_empty_tomorrow_it_looks_ahead_to_the_next_day_with_a_match(
    harness: MatchdayHarness,
) -> None:
    harness.put(5009, kickoff=noon(9))
    harness.put(5011, kickoff=noon(11))
    report = harness.ingest().daily(TODAY)
    assert report.kept_ids == [5009]
    assert days_requested(harness.sim) == list(range(10))


def test_F2_the_day_after_tomorrow_ends_the_search_at_once(harness: MatchdayHarness) -> None:
    harness.put(5002, kickoff=noon(2))
    harness.ingest().daily(TODAY)
    assert days_requested(harness.sim) == [0, 1, 2]


def test_F2_the_look_ahead_ends_after_30_days(harness: MatchdayHarness) -> None:
    harness.put(5031, kickoff=noon(31))
    assert harness.ingest().daily(TODAY).kept_ids == []
    assert days_requested(harness.sim) == list(range(31))
    harness.put(5030, kickoff=noon(30))
    assert harness.ingest().daily(TODAY).kept_ids == [5030]


def test_F2_untracked_matches_do_not_fill_a_day(harness: MatchdayHarness) -> None:
    harness.put(5001, kickoff=noon(1), home=NOBODYS, away=NOBODYS + 1)
    harness.put(5004, kickoff=noon(4))
    report = harness.ingest(TrackingPolicy(teams=(40,))).daily(TODAY)
    assert report.kept_ids == [5004]


def test_F2_a_day_whose_request_failed_is_not_taken_for_empty(harness: MatchdayHarness) -> None:
    """With the provider down, a look-ahead would send thirty requests in vain."""
    harness.sim.faults.fail(500, times=None, path="/fixtures")
    report = harness.ingest().daily(TODAY)
    assert set(days_requested(harness.sim)) == {0, 1, 2}
    assert len(report.failures) == 3
    assert report.days == {}


def test_F2_one_day_by_its_date(harness: MatchdayHarness) -> None:
    harness.put(4000, kickoff=noon(-40), status="FT")
    report = harness.ingest().day(TODAY - timedelta(days=40))
    assert report.kept_ids == [4000]
    assert harness.fixture(4000).state is FixtureState.ACTIVE


def test_F2_by_ids_bypasses_the_filter(harness: MatchdayHarness) -> None:
    harness.put(5000, kickoff=noon(0), home=NOBODYS, away=NOBODYS + 1)
    ingest = harness.ingest(TrackingPolicy(teams=(40,)))
    assert ingest.day(TODAY).kept_ids == []
    report = ingest.ids([5000, 5000, 6000])
    assert report.kept_ids == [5000]
    assert harness.fixture(5000).added_by == "by_id"
    assert [failure.subject for failure in report.failures] == ["fixture 6000"]


def test_F3_a_fixture_is_kept_if_either_side_is_tracked(harness: MatchdayHarness) -> None:
    harness.put(5000, kickoff=noon(0), home=40, away=NOBODYS)
    harness.put(5001, kickoff=noon(0), home=NOBODYS, away=40)
    harness.put(5002, kickoff=noon(0), home=NOBODYS, away=NOBODYS + 1)
    assert sorted(harness.ingest(TrackingPolicy(teams=(40,))).day(TODAY).kept_ids) == [5000, 5001]


def test_F3_clubs_of_a_league_are_resolved_through_teams(harness: MatchdayHarness) -> None:
    club, other = clubs_of(39)[0], clubs_of(140)[0]
    harness.put(5000, kickoff=noon(0), home=club.id, away=NOBODYS, league=CUP)
    harness.put(5001, kickoff=noon(0), home=other.id, away=NOBODYS, league=CUP)
    assert harness.ingest(TrackingPolicy(leagues=(39,))).day(TODAY).kept_ids == [5000]
    requested = [r.params for r in harness.sim.requests if r.path == "/teams"]
    assert requested == [{"league": "39", "season": "2024"}]


def test_F3_a_match_of_a_tracked_league_is_kept_whoever_plays(harness: MatchdayHarness) -> None:
    harness.put(5000, kickoff=noon(0), home=NOBODYS, away=NOBODYS + 1, league=39)
    harness.put(5001, kickoff=noon(0), home=NOBODYS, away=NOBODYS + 1, league=CUP)
    assert harness.ingest(TrackingPolicy(leagues=(39,))).day(TODAY).kept_ids == [5000]


SEASON_REFUSED = {"plan": "Free plans do not have access to this season, try from 2022 to 2024."}
DATE_REFUSED = {"plan": "Free plans do not have access to this date, try from 9 to 11."}


def test_F3_a_plan_without_lists_of_clubs_keeps_matches_by_league_and_says_so_once(
    harness: MatchdayHarness,
) -> None:
    harness.sim.faults.errors(SEASON_REFUSED, times=None, path="/teams")
    for id_, league in ((5000, 39), (5001, 140), (5002, CUP)):
        harness.put(id_, kickoff=noon(0), home=clubs_of(39)[0].id, league=league)
    report = harness.ingest(TrackingPolicy(leagues=(39, 140))).day(TODAY)
    assert (sorted(report.kept_ids), report.failures) == ([5000, 5001], [])
    [warning] = report.warnings
    assert "this season" in warning
    assert "FOOTY_TRACKED_TEAMS" in warning
    assert team_calls(harness) == 1, "the day's requests are few"
    assert harness.store.journal.ingested_at(TODAY) is not None


def test_F3_a_plan_without_lists_of_clubs_uses_those_it_had(harness: MatchdayHarness) -> None:
    club = clubs_of(140)[0].id
    TeamListStore(harness.store.database).put("teams:140:2023", [club], noon(-90))
    harness.sim.faults.errors(SEASON_REFUSED, times=None, path="/teams")
    harness.put(5000, kickoff=noon(0), home=club, league=CUP)
    report = harness.ingest(TrackingPolicy(leagues=(39, 140))).day(TODAY)
    assert (report.kept_ids, report.failures) == ([5000], [])


def test_F2_a_day_that_the_plan_refuses_ends_the_look_ahead_with_a_warning(
    harness: MatchdayHarness,
) -> None:
    """Otherwise the nightly ingest would fail each night, and be repeated each hour."""
    beyond = {"date": "2025-05-12"}
    harness.sim.faults.errors(DATE_REFUSED, times=None, path="/fixtures", query=beyond)
    harness.put(5000, kickoff=noon(0))
    report = harness.ingest().daily(TODAY)
    assert (report.kept_ids, report.failures) == ([5000], [])
    [warning] = report.warnings
    assert "2025-05-12" in warning
    assert "this date" in warning
    assert "Upgrade" in warning
    assert days_requested(harness.sim) == [0, 1, 2]


def test_F2_a_requested_day_that_the_plan_refuses_is_a_failure(harness: MatchdayHarness) -> None:
    harness.sim.faults.errors(DATE_REFUSED, times=None, path="/fixtures")
    [failure] = harness.ingest().day(TODAY - timedelta(days=40)).failures
    assert "Upgrade" in failure.reason


def test_F3_star_tracks_everything_and_requests_no_teams(harness: MatchdayHarness) -> None:
    harness.put(5000, kickoff=noon(0), home=NOBODYS, away=NOBODYS + 1)
    assert harness.ingest(TrackingPolicy((39,), "*")).day(TODAY).kept_ids == [5000]
    assert {request.path for request in harness.sim.requests} == {"/fixtures"}


def team_calls(harness: MatchdayHarness) -> int:
    return sum(request.path == "/teams" for request in harness.sim.requests)


def test_F3_the_list_of_clubs_is_cached_for_24_hours(harness: MatchdayHarness) -> None:
    ingest = harness.ingest(TrackingPolicy(leagues=(39, 140)))
    ingest.day(TODAY)
    assert team_calls(harness) == 2
    harness.advance_hours(23.9)
    ingest.day(TODAY)
    assert team_calls(harness) == 2
    harness.advance_hours(0.2)
    ingest.day(TODAY)
    assert team_calls(harness) == 4


@pytest.mark.parametrize("fault", ["down", "errors", "empty"])
def test_F3_when_the_provider_is_down_the_last_known_list_is_used(
    harness: MatchdayHarness, fault: str
) -> None:
    harness.put(5000, kickoff=noon(0), home=clubs_of(39)[0].id, away=NOBODYS, league=CUP)
    ingest = harness.ingest(TrackingPolicy(leagues=(39,)))
    assert ingest.day(TODAY).kept_ids == [5000]
    harness.advance_hours(100)
    if fault == "down":
        harness.sim.faults.fail(503, times=None, path="/teams")
    elif fault == "errors":
        harness.sim.faults.errors({"bug": "sorry"}, times=None, path="/teams")
    else:
        harness.sim.faults.errors({}, times=None, path="/teams")
    report = ingest.day(TODAY)
    assert report.kept_ids == [5000]
    assert any("using the list of" in warning for warning in report.warnings)
    assert report.failures == []


def test_F3_an_ingest_without_a_team_list_is_not_recorded(harness: MatchdayHarness) -> None:
    harness.put(5000, kickoff=noon(0), home=clubs_of(39)[0].id, away=NOBODYS, league=CUP)
    harness.sim.faults.fail(503, times=3, path="/teams")
    ingest = harness.ingest(TrackingPolicy(leagues=(39,)))
    assert ingest.day(TODAY).failures
    assert harness.store.journal.ingested_at(TODAY) is None
    assert ingest.day(TODAY).kept_ids == [5000]
    assert harness.store.journal.ingested_at(TODAY) is not None


def test_F3_in_a_new_season_last_seasons_list_is_used_until_there_is_one(
    harness: MatchdayHarness,
) -> None:
    lists = TeamListStore(harness.store.database)
    lists.put("teams:39:2024", [clubs_of(39)[0].id], harness.clock.now() - timedelta(days=60))
    august = date(2025, 8, 20)
    kickoff = datetime(2025, 8, 20, 12, tzinfo=UTC)
    harness.put(5000, kickoff=kickoff, home=clubs_of(39)[0].id, league=CUP)
    harness.sim.faults.fail(500, times=None, path="/teams")
    harness.sim.faults.fail(500, times=None, path="/leagues")
    report = harness.ingest(TrackingPolicy(leagues=(39,))).day(august)
    assert report.kept_ids == [5000]


def test_F3_without_any_list_the_ingest_fails(harness: MatchdayHarness) -> None:
    """Otherwise the day would look like one without matches."""
    harness.sim.faults.fail(500, times=None, path="/teams")
    report = harness.ingest(TrackingPolicy(leagues=(39,))).day(TODAY)
    assert [failure.subject for failure in report.failures] == ["teams of league 39"]


@pytest.mark.parametrize(
    ("day", "season"), [(date(2025, 6, 30), 2024), (date(2025, 7, 1), 2025), (TODAY, 2024)]
)
def test_F3_without_known_seasons_they_run_from_july(day: date, season: int) -> None:
    assert season_of(day, []) == season


def test_F4_reingest_resets_neither_state_nor_events(harness: MatchdayHarness) -> None:
    harness.put(kickoff=noon(0), status="1H", goals=[SALAH])
    harness.clock.at = noon(0)
    harness.ingest().day(TODAY)
    for _ in range(3):
        harness.poll()
    before = harness.store.fixtures.find_one({"_id": 5000})
    goals = harness.goals()
    assert goals[0].stable
    # An inconsistent provider: by date the match is not started and on another day.
    harness.put(kickoff=noon(0), status="NS")
    report = harness.ingest().day(TODAY)
    assert (report.added, report.updated) == (0, 0)
    assert harness.store.fixtures.find_one({"_id": 5000}) == before
    assert harness.goals() == goals


def test_F4_reingest_of_a_completed_match_changes_nothing(harness: MatchdayHarness) -> None:
    harness.put(kickoff=noon(0), status="FT", goals=[SALAH])
    harness.clock.at = noon(0) + timedelta(hours=2)
    harness.track()
    for _ in range(4):
        harness.poll()
    before = harness.fixture()
    assert before.state is FixtureState.COMPLETED
    harness.ingest().ids([5000])
    harness.ingest().day(TODAY)
    assert harness.fixture() == before


def test_F4_a_staging_fixture_gets_its_new_kickoff(harness: MatchdayHarness) -> None:
    harness.put(kickoff=noon(2))
    harness.ingest().daily(TODAY)
    harness.put(kickoff=noon(2) + timedelta(hours=3))
    report = harness.ingest().daily(TODAY)
    assert (report.added, report.updated) == (0, 1)
    assert harness.fixture().kickoff == noon(2) + timedelta(hours=3)
    assert harness.fixture().state is FixtureState.STAGING


def test_F4_ingest_twice_writes_nothing_the_second_time(harness: MatchdayHarness) -> None:
    harness.put(kickoff=noon(2))
    harness.ingest().daily(TODAY)
    before = harness.store.fixtures.find_one({"_id": 5000})
    report = harness.ingest().daily(TODAY)
    assert (report.added, report.updated) == (0, 0)
    assert harness.store.fixtures.find_one({"_id": 5000}) == before


def test_F4_a_match_closed_as_unfinished_and_rescheduled_returns_to_staging(
    harness: MatchdayHarness,
) -> None:
    harness.put(kickoff=noon(0), status="PST")
    harness.clock.at = noon(0)
    harness.track()
    harness.poll()
    harness.advance_hours(49)
    harness.poll()
    assert harness.fixture().closed_because is not None
    harness.put(kickoff=noon(20))
    harness.ingest().ids([5000])
    assert harness.fixture().state is FixtureState.STAGING
    assert (harness.fixture().completed_at, harness.fixture().closed_because) == (None, None)


def test_F2_an_unreadable_fixture_does_not_affect_others(harness: MatchdayHarness) -> None:
    harness.put(5000, kickoff=noon(0))
    harness.put(5001, kickoff=noon(0))
    harness.sim.faults.malform(5000)
    report = harness.ingest().day(TODAY)
    assert report.kept_ids == [5001]
    [noted] = harness.store.database["rejects"].find()
    assert noted["subject"] == "fixture 5000"
    assert noted["reason"]
