"""R1, R3, A1 and the audit, in a real MongoDB."""

from dataclasses import replace

import pytest
from pymongo.database import Database

from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.providers.rules.confidence import with_clock
from footy_assets.providers.rules.health import Freshness, Grade, ProviderHealth
from footy_assets.providers.rules.match import LastEvent
from footy_assets.providers.rules.priority import Priority
from footy_assets.providers.rules.reconcile import Conflict, reconcile
from footy_assets.providers.rules.records import LastAnswers, ProviderRecord
from footy_assets.providers.rules.recovery import Action, RecoveryEntry, RecoveryOutcome
from footy_assets.providers.rules.scoreline import Scoreline
from footy_assets.providers.rules.snapshots import next_snapshot
from footy_assets.providers.store.provider_state import ProviderState
from footy_assets.providers.store.records import ProviderRecords
from footy_assets.providers.store.refusals import ProviderRefusals
from footy_assets.providers.store.retention import delete_fixture
from footy_assets.providers.store.snapshots import MatchState, MergedSnapshots
from footy_assets.store.collections import Document
from footy_assets_tests.providers.reports import NOON, after, claim, report


@pytest.fixture
def records(database: Database[Document]) -> ProviderRecords:
    return ProviderRecords(database)


@pytest.fixture
def snapshots(database: Database[Document]) -> MergedSnapshots:
    return MergedSnapshots(database)


@pytest.fixture
def state(database: Database[Document]) -> ProviderState:
    return ProviderState(database)


def a_record() -> ProviderRecord:
    record = ProviderRecord(5000, "second", NOON, Priority.LIVE, metadata={"round": "3"})
    return with_clock(record, report().match, NOON).failed(NOON).succeeded(False, after(5))


def test_R1_a_stored_record_is_read_back_equal(records: ProviderRecords) -> None:
    assert records.save([(None, a_record())]) == 1
    (found,) = records.of([5000]).values()
    assert replace(found, metadata={"round": "3"}) == a_record()
    assert records.live() == [found]


def test_R1_of_two_concurrent_writers_one_succeeds(records: ProviderRecords) -> None:
    assert records.save([(None, a_record())]) == 1
    assert records.save([(None, a_record().failed(NOON))]) == 0
    (read,) = records.of([5000]).values()
    assert records.save([(read, read.failed(after(9)))]) == 1
    assert records.save([(read, read.succeeded(True, after(9)))]) == 0
    (now,) = records.of([5000]).values()
    assert (now.failures, now.successes) == (2, 1)


def test_a_report_is_read_back_equal_and_a_late_one_changes_nothing(
    records: ProviderRecords,
) -> None:
    stored = report("second", 1, 0, goals=(claim(27),), venue="Anfield", at=after(10))
    last = LastEvent(MatchMinute(27), "home", "Normal Goal", "Salah")
    stored = replace(
        stored,
        match=replace(stored.match, last_event=last, metadata={"second_id": "9"}),
    )
    records.store_reports([stored])
    records.store_reports([replace(stored, at=after(5), goals=())])
    assert records.reports([5000], after(0)) == {5000: [stored]}
    assert records.reports([5000], after(11)) == {}


def test_R3_the_last_five_are_kept(snapshots: MergedSnapshots) -> None:
    kept = MatchState()
    for goals in range(8):
        made = reconcile([report(home=goals, at=after(goals))], {"main": 1})
        next_one = next_snapshot(kept.snapshot, 5000, made.fields, made.provenance, after(goals))
        new = MatchState(next_one, {"home": Scoreline(goals), "away": Scoreline(0, 1, ("p",))})
        assert snapshots.save([(5000, kept, new)]) == 1
        kept = new
    history = snapshots.history(5000)
    assert [one.sequence for one in history] == [8, 7, 6, 5, 4]
    assert history[0] == kept.snapshot
    assert snapshots.latest([5000]) == {5000: kept}


def test_R3_a_sequence_number_is_given_once(snapshots: MergedSnapshots) -> None:
    made = reconcile([report()], {"main": 1})
    one = next_snapshot(None, 5000, made.fields, made.provenance, NOON)
    other = next_snapshot(None, 5000, {**made.fields, "venue": "X"}, {}, NOON)
    assert one is not None
    assert other is not None
    other = replace(other, provenance={**one.provenance, "venue": one.provenance["title"]})
    assert snapshots.save([(5000, MatchState(), MatchState(one))]) == 1
    assert snapshots.save([(5000, MatchState(), MatchState(other))]) == 0
    assert [s.checksum for s in snapshots.history(5000)] == [one.checksum]


def test_a_conflict_is_one_entry_however_long_it_lasts(snapshots: MergedSnapshots) -> None:
    conflict = Conflict("score.home", 1, "main", 0, "second")
    for poll in range(4):
        snapshots.record_conflicts([(5000, conflict)], after(poll), f"p{poll}")
    (entry,) = snapshots.conflicts()
    assert (entry["polls"], entry["first_at"], entry["last_at"]) == (4, after(0), after(3))


def test_clocks_that_are_apart_are_one_entry_while_they_run(snapshots: MergedSnapshots) -> None:
    for minute in range(4):
        conflict = Conflict("minute", [67 + minute, None], "main", [80 + minute, None], "second")
        snapshots.record_conflicts([(5000, conflict)], after(60 * minute), f"p{minute}")
    (entry,) = snapshots.conflicts()
    assert (entry["polls"], entry["kept"], entry["other"]) == (4, [67, None], [80, None])


def test_A1_all_processes_see_a_switch(state: ProviderState, database: Database[Document]) -> None:
    state.switch("second", False, NOON)
    assert ProviderState(database).switches() == {"second": False}
    state.switch("second", True, NOON)
    assert ProviderState(database).switches() == {"second": True}


def test_recovery_the_last_100_entries_are_kept(state: ProviderState) -> None:
    for number in range(105):
        state.record(RecoveryEntry(f"{number:03}", after(number), Action.SOFT_RESTART, "watchdog"))
    found = state.recoveries()
    assert len(found) == 100
    assert (found[0].id, found[-1].id) == ("104", "005")


def test_recovery_a_request_is_claimed_once(state: ProviderState) -> None:
    state.request_recovery(Action.MANUAL, "by hand", "w1", NOON)
    wish = state.claim_request()
    assert wish is not None
    assert (wish.id, wish.outcome) == ("w1", RecoveryOutcome.UNDER_WAY)
    assert state.claim_request() is None


def test_health_of_two_concurrent_evaluations_one_counts(state: ProviderState) -> None:
    _, seen = state.grade()
    failing = ProviderHealth(Grade.FAILING, steps=(Grade.DEGRADED, Grade.FAILING))
    assert state.save_grade("all", seen, failing, Freshness(), NOON)
    assert not state.save_grade("all", seen, ProviderHealth(), Freshness(), NOON)
    assert state.grade()[0].grade is Grade.FAILING
    _, seen = state.grade()
    assert state.save_grade("all", seen, ProviderHealth(), Freshness(), NOON)
    assert not state.save_grade("all", seen, failing, Freshness(), NOON)


def test_reports_of_a_match_are_deleted_with_the_match(
    records: ProviderRecords, snapshots: MergedSnapshots, database: Database[Document]
) -> None:
    for id_ in (5000, 5001):
        stored = report("second", 1, 0)
        stored = replace(stored, match=replace(stored.match, id=id_))
        records.save([(None, ProviderRecord(id_, "second", NOON))])
        records.store_reports([stored])
        records.save_mapping("second", f"t{id_}", id_, NOON)
        made = reconcile([stored], {"second": 1})
        first = next_snapshot(None, id_, made.fields, made.provenance, NOON)
        snapshots.save([(id_, MatchState(), MatchState(first))])
        snapshots.record_conflicts(
            [(id_, Conflict("score.home", 1, "main", 0, "second"))], NOON, "p"
        )
    delete_fixture(database, 5000)
    assert {record.match_id for record in records.all()} == {5001}
    assert list(records.reports([5000, 5001], NOON)) == [5001]
    assert records.mappings("second") == {"t5001": 5001}
    assert list(snapshots.latest([5000, 5001])) == [5001]
    assert [entry["match_id"] for entry in snapshots.conflicts()] == [5001]


def test_recovery_is_settled_by_the_next_process_if_its_own_dies(state: ProviderState) -> None:
    state.request_recovery(Action.MANUAL, "requested over HTTP", "request", NOON)
    begun = RecoveryEntry("begun", NOON, Action.SOFT_RESTART, "grade failing")
    state.record(begun)
    state.record(RecoveryEntry("done", NOON, Action.MANUAL, "by hand", RecoveryOutcome.SUCCESS))
    assert state.open_recoveries() == [begun]


def test_l5_the_last_discovery_of_each_provider_is_recorded(state: ProviderState) -> None:
    assert state.last_discovery("second") is None
    for at in (after(10), after(30), after(20)):
        state.record_discovery("second", at)
    assert state.last_discovery("second") == after(30)
    assert state.last_discovery("third") is None


def test_R1_with_one_provider_each_match_has_its_last_success(state: ProviderState) -> None:
    first = LastAnswers().after([1, 2, 3], {1, 2}, NOON)
    state.record_poll_metrics({"polls": 1}, {}, {"main": first})
    second = state.last_answers("main").after([2, 3], {3}, after(30))
    state.record_poll_metrics({"polls": 1}, {"quota_day_left": 7.0}, {"main": second})
    stored = state.last_answers("main")
    assert stored.matches == {2: NOON, 3: after(30)}
    missed, answered = (stored.record(id_, "main", NOON) for id_ in (2, 3))
    assert (missed.age(after(45)), missed.life.failures) == (45.0, 1)
    assert (answered.age(after(45)), answered.life.failures) == (15.0, 0)
    assert state.figures()["counters"] == {"polls": 2}
    assert state.figures()["gauges"] == {"quota_day_left": 7.0}


def test_L4_of_two_refusals_the_longer_pause_counts(database: Database[Document]) -> None:
    refusals = ProviderRefusals(database)
    refusals.add("second", after(1800), "403")
    refusals.add("second", after(60), "429")
    found = refusals.of("second", after(1799))
    assert found is not None
    assert refusals.of("second", after(1800)) is None
