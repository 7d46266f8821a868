"""F5–F8, F10 and E6–E7 over consecutive monitor cycles."""

from datetime import UTC, date, datetime, timedelta
from threading import Thread

import pytest
from pymongo import MongoClient, monitoring
from pymongo.database import Database

from footy_assets.matchday.monitor import run_cycle
from footy_assets.matchday.rules.goal import EventState
from footy_assets.matchday.rules.lifecycle import Deadlines
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.sim import World, fixture_json, goal, var_cancel
from footy_assets.store.collections import Document
from footy_assets_tests.matchday.harness import FIXTURE, MatchdayHarness
from footy_assets_tests.policies import polling_policy
from resources.mongo.connection import connect

MIDNIGHT = datetime(2025, 5, 10, tzinfo=UTC)
SALAH = goal(30, player=234, name="M. Salah")
DIAZ = goal(30, player=7, name="L. Diaz")
PLAYING = {"status": "1H", "elapsed": 31, "kickoff": MIDNIGHT}
WRITES = {"insert", "update", "delete", "findAndModify", "commitTransaction"}


@pytest.fixture(scope="session")
def world() -> World:
    return World(date(2025, 5, 10), ())


def a_match(harness: MatchdayHarness, *goals: object, **fields: object) -> None:
    harness.put(**{**PLAYING, "goals": goals, **fields})
    harness.track()


def test_F7_a_plan_that_refuses_ids_is_polled_all_the_same_and_the_report_says_so(
    harness: MatchdayHarness,
) -> None:
    a_match(harness, SALAH)
    refused = {"plan": "Free plans do not have access to the Ids parameter."}
    harness.sim.faults.errors(refused, times=1, path="/fixtures")
    report = harness.poll()
    assert [request.params for request in harness.sim.requests][-1] == {"live": "all"}
    assert (report.goals["new"], report.failures) == (1, [])
    [warning] = report.warnings
    assert "Ids parameter" in warning
    assert harness.poll().warnings == []


# -- F5, F6 ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_F5_a_staging_fixture_is_polled_96_times_a_day_instead_of_2880(
    harness: MatchdayHarness,
) -> None:
    harness.clock.at = MIDNIGHT - timedelta(seconds=30)
    harness.put(kickoff=MIDNIGHT + timedelta(days=3))
    harness.track()
    harness.sim.requests.clear()
    cycles = [harness.poll() for _ in range(2880)]
    assert harness.fixture_calls() == 96
    assert sum(report.staging for report in cycles) == 96
    minutes = {request.at.minute for request in harness.sim.requests}
    assert minutes == {0, 15, 30, 45}


def test_F5_an_answer_without_the_fixture_counts_as_a_poll(harness: MatchdayHarness) -> None:
    """A fixture that the provider has dropped must not be requested every 30 s."""
    harness.put(kickoff=MIDNIGHT + timedelta(days=3))
    harness.track()
    harness.sim.drop(FIXTURE)
    harness.sim.requests.clear()
    for _ in range(60):
        harness.poll()
    assert harness.fixture_calls() <= 3


def test_F5_a_failed_poll_is_repeated(harness: MatchdayHarness) -> None:
    harness.put(kickoff=MIDNIGHT + timedelta(days=3))
    harness.track()
    harness.sim.faults.fail(500, times=3)
    assert harness.poll().failures
    assert harness.fixture().last_polled is None
    assert harness.poll().failures == []
    assert harness.poll().staging == 0


def test_F6_a_fixture_is_active_from_half_an_hour_before_kickoff(harness: MatchdayHarness) -> None:
    harness.clock.at = MIDNIGHT
    harness.put(kickoff=MIDNIGHT + timedelta(minutes=40))
    harness.track()
    assert harness.poll(9 * 60).active == 0
    report = harness.poll(60)
    assert (report.active, report.activated) == (1, 1)
    assert harness.fixture().state is FixtureState.ACTIVE
    assert report.changed_matchdays == {MIDNIGHT.date()}


def test_F6_a_match_that_began_early_is_active_from_the_next_poll(harness: MatchdayHarness) -> None:
    harness.put(kickoff=MIDNIGHT + timedelta(hours=20))
    harness.track()
    harness.put_and_poll(
        {"kickoff": MIDNIGHT + timedelta(hours=20), "status": "1H", "goals": [SALAH]}
    )
    assert harness.fixture().state is FixtureState.ACTIVE
    assert [goal.event_id for goal in harness.goals()] == ["5000_40_234_Goal_1"]


# -- F7 --------------------------------------------------------------------------------------


def many(harness: MatchdayHarness, count: int) -> list[int]:
    ids = list(range(7001, 7001 + count))
    for id_ in ids:
        harness.put(id_, status="1H", kickoff=MIDNIGHT, goals=[SALAH])
    harness.track(*ids)
    harness.sim.requests.clear()
    return ids


def test_F7_active_fixtures_are_requested_in_batches_of_20(harness: MatchdayHarness) -> None:
    ids = many(harness, 45)
    report = harness.poll()
    sizes = sorted(len(request.params["ids"].split("-")) for request in harness.sim.requests)
    assert sizes == [5, 20, 20]
    assert (report.active, report.written, report.calls) == (45, 45, 3)
    assert all(harness.live(id_) for id_ in ids)


@pytest.mark.parametrize("fault", ["fail", "errors", "html", "truncate"])
def test_F7_one_batch_fails_alone(harness: MatchdayHarness, fault: str) -> None:
    ids = many(harness, 45)
    faults = harness.sim.faults
    if fault == "fail":
        faults.fail(500, times=None, fixture_id=ids[0])
    elif fault == "errors":
        faults.errors({"bug": "This is on our side"}, times=None, fixture_id=ids[0])
    elif fault == "html":
        faults.html(times=None, fixture_id=ids[0])
    else:
        faults.truncate(times=None, fixture_id=ids[0])
    report = harness.poll()
    assert report.written == 25
    [failure] = report.failures
    assert failure.fixture_ids == tuple(ids[:20])
    assert [harness.live(id_) == [] for id_ in ids] == [True] * 20 + [False] * 25


def test_F7_a_failed_poll_does_not_count_as_a_miss(harness: MatchdayHarness) -> None:
    a_match(harness, SALAH)
    for _ in range(3):
        harness.poll()
    before = harness.goals()
    harness.sim.faults.errors({"requests": "limit reached"}, times=None)
    for _ in range(10):
        report = harness.poll()
        assert report.failures
        assert not report.changed
    assert harness.goals() == before


def test_F7_an_empty_answer_does_not_count_as_a_miss(harness: MatchdayHarness) -> None:
    """More than 20 ids, or a fixture dropped for a moment: an empty answer without an error."""
    a_match(harness, SALAH)
    harness.poll()
    harness.sim.faults.omit(FIXTURE, times=5)
    for _ in range(5):
        assert harness.poll().failures[0].subject == "fixture 5000"
    assert harness.goals()[0].missing_in_polls == ()


def test_F7_a_malformed_fixture_is_recorded_and_its_neighbours_are_processed(
    harness: MatchdayHarness,
) -> None:
    ids = many(harness, 20)
    harness.sim.faults.malform(ids[3], times=None)
    report = harness.poll()
    assert report.written == 19
    assert [piece.subject for piece in report.unreadable] == [f"fixture {ids[3]}"]
    [noted] = harness.store.database["rejects"].find()
    assert (noted["subject"], noted["count"]) == (f"fixture {ids[3]}", 1)
    assert "date" in noted["reason"]


def test_F10_an_unreadable_fixture_is_recorded_once_per_quarter_hour(
    harness: MatchdayHarness,
) -> None:
    a_match(harness)
    harness.sim.faults.malform(FIXTURE, times=None)
    for _ in range(31):
        harness.poll()
    [noted] = harness.store.database["rejects"].find()
    assert noted["count"] == 2


def test_F7_an_unreadable_event_affects_neither_its_match_nor_other_goals(
    harness: MatchdayHarness,
) -> None:
    a_match(harness, SALAH, goal(40, player=9, name="D. Nunez"))
    for _ in range(3):
        harness.poll()
    fields = fixture_json(FIXTURE, **PLAYING, goals=[SALAH])  # type: ignore[arg-type]
    fields["events"].append({"type": "Goal", "detail": "Normal Goal", "time": {"elapsed": None}})
    harness.sim.put(fields)
    for _ in range(4):
        report = harness.poll()
        assert [piece.subject for piece in report.unreadable] == ["fixture 5000 event 1"]
    assert [(g.live, g.missing_in_polls) for g in harness.goals()] == [(True, ()), (True, ())]


def test_F7_the_quota_of_the_answer_is_reported(harness: MatchdayHarness) -> None:
    a_match(harness)
    quota = harness.poll().quota
    assert quota is not None
    assert quota.day_limit == 150_000
    assert quota.day_remaining == 150_000 - len(harness.sim.requests)


def test_F1_an_unknown_status_is_reported_and_polling_continues(harness: MatchdayHarness) -> None:
    a_match(harness, SALAH)
    harness.poll()
    report = harness.put_and_poll({**PLAYING, "status": "XX", "goals": [SALAH]}, polls=2)
    assert report.unknown_statuses == {FIXTURE: "XX"}
    assert harness.fixture().state is FixtureState.ACTIVE
    assert harness.goals()[0].stable


# -- F8 --------------------------------------------------------------------------------------


def test_F8_a_winner_completes_as_soon_as_the_goals_are_stable(harness: MatchdayHarness) -> None:
    a_match(harness, SALAH, status="FT")
    states = []
    for _ in range(3):
        harness.poll()
        states.append(str(harness.fixture().state))
    assert states == ["active", "active", "completed"]
    assert harness.fixture().completed_at == harness.clock.now()


def test_F8_a_draw_needs_three_polls_after_its_goals_are_done(harness: MatchdayHarness) -> None:
    equaliser = goal(60, team=50, player=66, name="R. Dias")
    a_match(harness, SALAH, equaliser, status="FT")
    states = []
    for _ in range(5):
        harness.poll()
        states.append(str(harness.fixture().state))
    assert states == ["active", "active", "active", "active", "completed"]
    assert len(harness.fixture().completed_polls) == 3


def test_F8_running_attempts_keep_the_match_open(harness: MatchdayHarness) -> None:
    harness.policy = polling_policy(search_attempts=10)
    a_match(harness, SALAH, status="FT")
    for _ in range(8):
        harness.poll()
    assert harness.fixture().state is FixtureState.ACTIVE
    assert harness.fixture().completed_polls == ()
    harness.store.events.update_many({}, {"$set": {"attempts_counted": 10}})
    harness.poll()
    assert harness.fixture().state is FixtureState.COMPLETED


def test_F8_unnamed_goals_do_not_keep_the_match_open(harness: MatchdayHarness) -> None:
    a_match(harness, goal(20), goal(40, name="Unknown"), status="FT")
    harness.poll()
    assert harness.fixture().state is FixtureState.COMPLETED
    assert [g.state for g in harness.goals()] == [EventState.DETECTED, EventState.DETECTED]


def test_F8_a_match_that_never_finishes_is_closed_after_48_hours(harness: MatchdayHarness) -> None:
    a_match(harness, status="PST", elapsed=None)
    harness.clock.at = MIDNIGHT + timedelta(hours=48) - timedelta(seconds=60)
    harness.poll()
    assert harness.fixture().state is FixtureState.ACTIVE
    harness.poll()
    assert harness.fixture().state is FixtureState.COMPLETED
    assert harness.fixture().closed_because == "status PST more than 48 h after kickoff"
    assert harness.poll().active == 0


def test_F8_a_match_the_provider_forgot_is_closed_by_a_configured_deadline(
    harness: MatchdayHarness,
) -> None:
    harness.policy = polling_policy(deadlines=Deadlines(unfinished_after=timedelta(hours=5)))
    a_match(harness, SALAH)
    harness.poll()
    harness.sim.drop(FIXTURE)
    harness.clock.at = MIDNIGHT + timedelta(hours=5)
    harness.poll()
    assert harness.fixture().closed_because == "status 1H more than 5 h after kickoff"


# -- F10 -------------------------------------------------------------------------------------


class Writes(monitoring.CommandListener):
    """The names of all commands that write."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        if event.command_name in WRITES:
            self.seen.append(event.command_name)

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None: ...

    def failed(self, event: monitoring.CommandFailedEvent) -> None: ...


def test_F10_polls_without_changes_write_nothing(
    harness: MatchdayHarness, database: Database[Document], mongo_uri: str
) -> None:
    """The running minute is no change; every fifth minute is stored for triggers only."""
    a_match(harness, SALAH, goal(20))
    for _ in range(4):
        harness.poll()
    before = {name: list(database[name].find()) for name in database.list_collection_names()}
    writes = Writes()
    with MongoClient[Document](mongo_uri, tz_aware=True, event_listeners=[writes]) as client:
        quiet, written = MatchdayStore(client[database.name]), []
        for minute in (32, 33, 34, 34, 35, 35, 36, 37, 38, 39):
            harness.put(**{**PLAYING, "elapsed": minute, "goals": [SALAH, goal(20)]})
            harness.clock.advance(30)
            report = run_cycle(quiet, harness.feed, harness.clock, harness.policy)
            assert not report.changed
            written.append(report.written)
            assert report.changed_matchdays == set()
        assert written == [0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
        assert len(writes.seen) == 1
        harness.put_and_poll(
            {**PLAYING, "goals": [SALAH, goal(20), goal(42, player=7, name="L. Diaz")]}
        )
        run_cycle(quiet, harness.feed, harness.clock, harness.policy)
        assert len(writes.seen) > 1
    after = {name: list(database[name].find()) for name in before}
    assert after["fixtures"] != before["fixtures"]
    assert [d for d in after["events"] if d["_id"] in {e["_id"] for e in before["events"]}] == (
        before["events"]
    )


def test_F10_only_polls_that_changed_something_are_recorded(harness: MatchdayHarness) -> None:
    a_match(harness, SALAH)
    reports = [harness.poll() for _ in range(10)]
    stored_polls = [poll["_id"] for poll in harness.store.database["polls"].find().sort("at")]
    assert stored_polls == [report.poll.id for report in reports[:3]]
    assert stored_polls == list(harness.goals()[0].seen_in_polls)


def test_F10_one_changed_match_is_the_only_one_written(harness: MatchdayHarness) -> None:
    ids = many(harness, 30)
    for _ in range(3):
        harness.poll()
    revisions = {id_: harness.fixture(id_).revision for id_ in ids}
    harness.put(ids[7], **{**PLAYING, "goals": [SALAH, goal(44, player=9, name="D. Nunez")]})
    assert harness.poll().written == 1
    changed = [id_ for id_ in ids if harness.fixture(id_).revision != revisions[id_]]
    assert changed == [ids[7]]


# -- E6, E7 ----------------------------------------------------------------------------------


def test_E6_a_removed_goal_leaves_a_tombstone_with_its_reason(harness: MatchdayHarness) -> None:
    a_match(harness, SALAH)
    harness.poll()
    verdict = var_cancel(31, player=234, name="M. Salah", detail="Goal Disallowed - offside")
    report = harness.put_and_poll({**PLAYING, "events": [verdict]})
    [gone] = harness.goals()
    assert gone.removal is not None
    assert (gone.removal.reason, gone.removal.poll_id) == ("var", report.poll.id)
    assert gone.removal.detail == "Goal Disallowed - offside"
    assert [goal.key for goal in report.removed] == [gone.key]
    document = harness.store.events.find_one({"_id": gone.key})
    assert document is not None
    assert (document["live"], document["objects_left"]) == (False, True)


def test_E3_the_number_of_a_removed_goal_is_free_in_the_same_poll(harness: MatchdayHarness) -> None:
    a_match(harness, SALAH)
    harness.poll()
    again = goal(40, player=234, name="M. Salah")
    verdict = var_cancel(30, player=234, name="M. Salah")
    harness.put_and_poll({**PLAYING, "goals": [again], "events": [verdict]})
    assert [(g.event_id, g.live) for g in harness.goals()] == [
        ("5000_40_234_Goal_1", False),
        ("5000_40_234_Goal_1", True),
    ]


def test_E5_scorers_swapped_in_one_poll_reach_the_store(harness: MatchdayHarness) -> None:
    later = goal(60, player=7, name="L. Diaz")
    a_match(harness, SALAH, later)
    for _ in range(3):
        harness.poll()
    keys = [g.key for g in harness.goals()]
    swapped = [DIAZ, goal(60, player=234, name="M. Salah")]
    assert harness.put_and_poll({**PLAYING, "goals": swapped}).failures == []
    assert [(g.key, g.player.id) for g in harness.goals()] == [(keys[0], 7), (keys[1], 234)]


def test_E7_a_poll_loses_nothing_that_others_write(harness: MatchdayHarness) -> None:
    """A search attempt writes between the poll's read and its write."""
    harness.policy = polling_policy(search_attempts=10)
    a_match(harness, SALAH)
    for _ in range(3):
        harness.poll()

    class ConcurrentWriteFeed:
        def __init__(self) -> None:
            self.inner = harness.feed

        def __getattr__(self, name: str) -> object:
            return getattr(self.inner, name)

        def by_ids(self, ids: list[int], within: float | None = None) -> object:
            answer = self.inner.by_ids(ids, within)
            harness.store.events.update_one(
                {}, {"$inc": {"attempts_counted": 1}, "$push": {"clips": {"key": "a.mp4"}}}
            )
            harness.store.fixtures.update_one({}, {"$set": {"note": "theirs"}})
            return answer

    renamed = {**PLAYING, "goals": [goal(31, player=7, name="L. Diaz", comments="header")]}
    harness.put(**renamed)
    report = run_cycle(harness.store, ConcurrentWriteFeed(), harness.clock, harness.policy)  # type: ignore[arg-type]
    assert report.written == 1
    document = harness.store.events.find_one({})
    assert document is not None
    assert (document["event_id"], document["comments"]) == ("5000_40_7_Goal_1", "header")
    assert (document["attempts_counted"], document["attempts_planned"]) == (1, 10)
    assert document["clips"] == [{"key": "a.mp4"}]
    assert harness.store.fixtures.find_one({}, {"note": 1}) == {"_id": FIXTURE, "note": "theirs"}


def test_E7_a_hundred_concurrent_attempts_are_all_counted(
    harness: MatchdayHarness, database: Database[Document], mongo_uri: str
) -> None:
    a_match(harness, SALAH)
    harness.poll()

    def attempts() -> None:
        with connect(mongo_uri, database.name) as other:
            for _ in range(50):
                other["events"].update_one({}, {"$inc": {"attempts_counted": 1}})

    writers = [Thread(target=attempts) for _ in range(2)]
    for writer in writers:
        writer.start()
    for number in range(25):
        harness.put_and_poll(
            {**PLAYING, "goals": [goal(30 + number % 2, player=234, name="M. Salah")]}
        )
    for writer in writers:
        writer.join()
    assert harness.goals()[0].attempts_counted == 100
