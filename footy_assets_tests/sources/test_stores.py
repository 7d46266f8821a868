"""R1, R3, A1 and the audit, in a real MongoDB."""

from dataclasses import replace

import pytest
from pymongo.database import Database

from footy_assets.matchday.minute import MatchMinute
from footy_assets.sources.confidence import with_clock
from footy_assets.sources.health import Freshness, Grade, Health
from footy_assets.sources.match import LastEvent
from footy_assets.sources.priority import Priority
from footy_assets.sources.reconcile import Conflict, reconcile
from footy_assets.sources.records import LastHeard, SourceRecord
from footy_assets.sources.recovery import Action, AuditEntry, Outcome
from footy_assets.sources.scoreline import Scoreline
from footy_assets.sources.snapshots import next_snapshot
from footy_assets.store.collections import Document
from footy_assets.store.retention import RetentionStore
from footy_assets.store.source_records import SourceRecords
from footy_assets.store.source_snapshots import Kept, SourceSnapshots
from footy_assets.store.source_state import SourceState
from footy_assets_tests.sources.words import NOON, after, claim, report


@pytest.fixture
def records(database: Database[Document]) -> SourceRecords:
    return SourceRecords(database)


@pytest.fixture
def snapshots(database: Database[Document]) -> SourceSnapshots:
    return SourceSnapshots(database)


@pytest.fixture
def state(database: Database[Document]) -> SourceState:
    return SourceState(database)


def a_record() -> SourceRecord:
    record = SourceRecord(5000, "second", NOON, Priority.LIVE, metadata={"round": "3"})
    return with_clock(record, report().match, NOON).failed(NOON).succeeded(False, after(5))


def test_R1_a_record_comes_back_as_it_was(records: SourceRecords) -> None:
    assert records.save([(None, a_record())]) == 1
    (found,) = records.of([5000]).values()
    assert replace(found, metadata={"round": "3"}) == a_record()
    assert records.live() == [found]


def test_R1_of_two_writers_one_counts(records: SourceRecords) -> None:
    assert records.save([(None, a_record())]) == 1
    assert records.save([(None, a_record().failed(NOON))]) == 0
    (read,) = records.of([5000]).values()
    assert records.save([(read, read.failed(after(9)))]) == 1
    assert records.save([(read, read.succeeded(True, after(9)))]) == 0
    (now,) = records.of([5000]).values()
    assert (now.failures, now.successes) == (2, 1)


def test_a_report_comes_back_as_it_was_and_a_late_one_changes_nothing(
    records: SourceRecords,
) -> None:
    told = report("second", 1, 0, goals=(claim(27),), venue="Anfield", at=after(10))
    last = LastEvent(MatchMinute(27), "home", "Normal Goal", "Salah")
    told = replace(told, match=replace(told.match, last_event=last, metadata={"second_id": "9"}))
    records.store_reports([told])
    records.store_reports([replace(told, at=after(5), goals=())])
    assert records.reports([5000], after(0)) == {5000: [told]}
    assert records.reports([5000], after(11)) == {}


def test_R3_the_last_five_are_kept(snapshots: SourceSnapshots) -> None:
    kept = Kept()
    for goals in range(8):
        made = reconcile([report(home=goals, at=after(goals))], {"main": 1})
        next_one = next_snapshot(kept.snapshot, 5000, made.fields, made.provenance, after(goals))
        new = Kept(next_one, {"home": Scoreline(goals), "away": Scoreline(0, 1, ("p",))})
        assert snapshots.save([(5000, kept, new)]) == 1
        kept = new
    history = snapshots.history(5000)
    assert [one.sequence for one in history] == [8, 7, 6, 5, 4]
    assert history[0] == kept.snapshot
    assert snapshots.latest([5000]) == {5000: kept}


def test_R3_a_sequence_number_is_given_once(snapshots: SourceSnapshots) -> None:
    made = reconcile([report()], {"main": 1})
    one = next_snapshot(None, 5000, made.fields, made.provenance, NOON)
    other = next_snapshot(None, 5000, {**made.fields, "venue": "X"}, {}, NOON)
    assert one is not None
    assert other is not None
    other = replace(other, provenance={**one.provenance, "venue": one.provenance["title"]})
    assert snapshots.save([(5000, Kept(), Kept(one))]) == 1
    assert snapshots.save([(5000, Kept(), Kept(other))]) == 0
    assert [s.checksum for s in snapshots.history(5000)] == [one.checksum]


def test_a_conflict_is_one_entry_however_long_it_lasts(snapshots: SourceSnapshots) -> None:
    conflict = Conflict("score.home", 1, "main", 0, "second")
    for poll in range(4):
        snapshots.note_conflicts([(5000, conflict)], after(poll), f"p{poll}")
    (entry,) = snapshots.conflicts()
    assert (entry["polls"], entry["first_at"], entry["last_at"]) == (4, after(0), after(3))


def test_clocks_that_are_apart_are_one_entry_while_they_run(snapshots: SourceSnapshots) -> None:
    for minute in range(4):
        conflict = Conflict("minute", [67 + minute, None], "main", [80 + minute, None], "second")
        snapshots.note_conflicts([(5000, conflict)], after(60 * minute), f"p{minute}")
    (entry,) = snapshots.conflicts()
    assert (entry["polls"], entry["kept"], entry["other"]) == (4, [67, None], [80, None])


def test_A1_a_switch_is_seen_by_everyone(state: SourceState, database: Database[Document]) -> None:
    state.switch("second", False, NOON)
    assert SourceState(database).switches() == {"second": False}
    state.switch("second", True, NOON)
    assert SourceState(database).switches() == {"second": True}


def test_recovery_the_last_100_entries_are_kept(state: SourceState) -> None:
    for number in range(105):
        state.record(AuditEntry(f"{number:03}", after(number), Action.SOFT_RESTART, "watchdog"))
    found = state.recoveries()
    assert len(found) == 100
    assert (found[0].id, found[-1].id) == ("104", "005")


def test_recovery_a_wish_is_taken_up_once(state: SourceState) -> None:
    state.ask_for(Action.MANUAL, "by hand", "w1", NOON)
    wish = state.asked_for()
    assert wish is not None
    assert (wish.id, wish.outcome) == ("w1", Outcome.UNDER_WAY)
    assert state.asked_for() is None


def test_health_of_two_evaluations_at_once_one_counts(state: SourceState) -> None:
    _, seen = state.grade()
    failing = Health(Grade.FAILING, steps=(Grade.DEGRADED, Grade.FAILING))
    assert state.graded("all", seen, failing, Freshness(), NOON)
    assert not state.graded("all", seen, Health(), Freshness(), NOON)
    assert state.grade()[0].grade is Grade.FAILING
    _, seen = state.grade()
    assert state.graded("all", seen, Health(), Freshness(), NOON)
    assert not state.graded("all", seen, failing, Freshness(), NOON)


def test_what_providers_said_of_a_match_goes_when_the_match_does(
    records: SourceRecords, snapshots: SourceSnapshots, database: Database[Document]
) -> None:
    for id_ in (5000, 5001):
        told = report("second", 1, 0)
        told = replace(told, match=replace(told.match, id=id_))
        records.save([(None, SourceRecord(id_, "second", NOON))])
        records.store_reports([told])
        records.map("second", f"t{id_}", id_, NOON)
        made = reconcile([told], {"second": 1})
        first = next_snapshot(None, id_, made.fields, made.provenance, NOON)
        snapshots.save([(id_, Kept(), Kept(first))])
        snapshots.note_conflicts([(id_, Conflict("score.home", 1, "main", 0, "second"))], NOON, "p")
    RetentionStore(database).forget(5000)
    assert {record.match_id for record in records.all()} == {5001}
    assert list(records.reports([5000, 5001], NOON)) == [5001]
    assert records.mapped("second") == {"t5001": 5001}
    assert list(snapshots.latest([5000, 5001])) == [5001]
    assert [entry["match_id"] for entry in snapshots.conflicts()] == [5001]


def test_recovery_is_settled_by_the_next_process_if_its_own_dies(state: SourceState) -> None:
    state.ask_for(Action.MANUAL, "asked over HTTP", "wish", NOON)
    begun = AuditEntry("begun", NOON, Action.SOFT_RESTART, "grade failing")
    state.record(begun)
    state.record(AuditEntry("done", NOON, Action.MANUAL, "by hand", Outcome.SUCCESS))
    assert state.under_way() == [begun]


def test_R1_of_a_provider_alone_each_match_has_its_last_success(state: SourceState) -> None:
    first = LastHeard().after([1, 2, 3], {1, 2}, NOON)
    state.note_poll({"polls": 1}, {}, {"main": first})
    second = state.heard("main").after([2, 3], {3}, after(30))
    state.note_poll({"polls": 1}, {"quota_day_left": 7.0}, {"main": second})
    told = state.heard("main")
    assert told.matches == {2: NOON, 3: after(30)}
    missed, heard = (told.record(id_, "main", NOON) for id_ in (2, 3))
    assert (missed.age(after(45)), missed.life.failures) == (45.0, 1)
    assert (heard.age(after(45)), heard.life.failures) == (15.0, 0)
    assert state.figures()["counters"] == {"polls": 2}
    assert state.figures()["gauges"] == {"quota_day_left": 7.0}
