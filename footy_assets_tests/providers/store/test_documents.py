"""How records, reports, merged snapshots and recoveries are stored."""

from datetime import UTC, datetime

from pymongo.database import Database

from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.providers.rules.lifecycle import Life, MatchLife
from footy_assets.providers.rules.match import (
    GoalClaim,
    LastEvent,
    NormalisedMatch,
    Report,
    Score,
    Sides,
)
from footy_assets.providers.rules.priority import Priority
from footy_assets.providers.rules.reconcile import FieldProvenance
from footy_assets.providers.rules.records import ProviderRecord
from footy_assets.providers.rules.recovery import Action, RecoveryEntry, RecoveryOutcome
from footy_assets.providers.rules.scoreline import Scoreline
from footy_assets.providers.rules.snapshots import MergedSnapshot
from footy_assets.providers.store.provider_state import ProviderState
from footy_assets.providers.store.records import (
    record_document,
    record_from,
    report_document,
    report_from,
)
from footy_assets.providers.store.snapshots import MatchState, MergedSnapshots
from footy_assets.store.collections import MERGED_SNAPSHOTS, PROVIDER_RECOVERIES, Document
from footy_assets_tests.store.stored import assert_same_bytes, assert_stored

AT = datetime(2025, 5, 10, 14, 30, tzinfo=UTC)


def test_a_record_is_stored_like_this() -> None:
    record = ProviderRecord(
        match_id=5000,
        domain="espn",
        created=AT,
        priority=Priority.IMMINENT,
        life=MatchLife(Life.PAUSED, 5, AT, None),
        last_success=AT,
        successes=3,
        failures=9,
        clock=("2H", 67, 0),
        clock_moved_at=AT,
        metadata={"not_known": True, "revision": 4},
    )
    expected = {
        "_id": "espn:5000",
        "match_id": 5000,
        "domain": "espn",
        "created": AT,
        "priority": 1,
        "state": "paused",
        "consecutive_failures": 5,
        "paused": True,
        "pause_until": AT,
        "completed_at": None,
        "last_success": AT,
        "last_failure": None,
        "successes": 3,
        "failures": 9,
        "clock": ["2H", 67, 0],
        "clock_moved_at": AT,
        "metadata": {"not_known": True},
    }
    assert_same_bytes(record_document(record), expected)
    assert record_from({**expected, "revision": 4, "new": 1}) == record


def test_a_record_of_a_match_that_is_far_off_is_stored_like_this() -> None:
    record = ProviderRecord(5000, "espn", AT, metadata={"revision": 1})
    document = record_document(record)
    assert (document["priority"], document["clock"], document["metadata"]) == (None, None, {})
    assert record_from({**document, "revision": 1}) == record


def test_a_report_is_stored_like_this() -> None:
    minute = MatchMinute(45, 2)
    match = NormalisedMatch(
        id=5000,
        domain="espn",
        teams=Sides("Liverpool", "Everton"),
        period="HT",
        start=AT,
        score=Score(1, 0),
        minute=minute,
        competition="Premier League",
        last_event=LastEvent(minute, "home", "Normal Goal", "M. Salah"),
        metadata={"id": "espn-1"},
    )
    claims = (GoalClaim("home", minute, "Normal Goal", "M. Salah", "123"),)
    report = Report(match, AT, 0.9, claims, (("away", "30'"),))
    expected = {"elapsed": 45, "extra": 2}
    expected: Document = {
        "_id": "espn:5000",
        "match_id": 5000,
        "domain": "espn",
        "at": AT,
        "confidence": 0.9,
        "takes_back": [["away", "30'"]],
        "goals": [
            {
                "side": "home",
                "minute": expected,
                "detail": "Normal Goal",
                "scorer": "M. Salah",
                "scorer_id": "123",
                "assist": {"id": None, "name": None},
            },
        ],
        "match": {
            "teams": {"home": "Liverpool", "away": "Everton"},
            "period": "HT",
            "start": AT,
            "score": {"home": 1, "away": 0},
            "cards": {"home": None, "away": None},
            "minute": expected,
            "competition": "Premier League",
            "venue": None,
            "last_event": {
                "minute": expected,
                "side": "home",
                "kind": "Normal Goal",
                "player": "M. Salah",
            },
            "metadata": {"id": "espn-1"},
        },
    }
    assert_same_bytes(report_document(report), expected)
    assert report_from(expected) == report


def test_a_report_that_lists_no_goals_is_stored_like_this() -> None:
    report = Report(NormalisedMatch(5000, "espn", Sides("A", "B"), "NS", AT), AT)
    document = report_document(report)
    assert document["goals"] is None
    assert document["takes_back"] == []
    assert document["match"]["minute"] is None
    assert document["match"]["last_event"] is None
    assert report_from({**document, "takes_back": None}) == report


def test_a_merged_snapshot_is_stored_like_this(database: Database[Document]) -> None:
    provenance = {
        "score.home": FieldProvenance("espn", 0.9, AT),
        "status": FieldProvenance("api", 1.0, AT),
    }
    snapshot = MergedSnapshot(
        5000, 1, "c0ffee", {"score.home": 1, "status": "live"}, provenance, AT
    )
    kept = MatchState(snapshot, {"home": Scoreline(1, 0, ("p1",), ("30'",))})
    store = MergedSnapshots(database)
    assert store.save([(5000, MatchState(), kept)]) == 1
    expected: Document = {
        "sequence": 1,
        "checksum": "c0ffee",
        "at": AT,
        "fields": [
            {
                "name": "score.home",
                "value": 1,
                "source": "espn",
                "confidence": 0.9,
                "timestamp": AT,
            },
            {
                "name": "status",
                "value": "live",
                "source": "api",
                "confidence": 1.0,
                "timestamp": AT,
            },
        ],
    }
    line = {"goals": 1, "doubt": 0, "polls": ["p1"], "decisions": ["30'"]}
    (found,) = database[MERGED_SNAPSHOTS].find()
    assert_same_bytes(found["history"][0], expected)
    assert_same_bytes(found["lines"], {"home": line})
    assert found == {"_id": 5000, **expected, "lines": {"home": line}, "history": [expected]}
    assert store.latest([5000]) == {5000: kept}
    # Written before decisions were kept.
    database[MERGED_SNAPSHOTS].update_one({}, {"$unset": {"lines.home.decisions": 1}})
    assert store.latest([5000])[5000].lines["home"] == Scoreline(1, 0, ("p1",))


def test_a_recovery_is_stored_like_this(database: Database[Document]) -> None:
    entry = RecoveryEntry(
        id="r1",
        at=AT,
        action=Action.BROWSER_RECYCLE,
        condition="up for 2:00:00",
        outcome=RecoveryOutcome.UNDER_WAY,
        seconds=1.5,
        before={"pages": 9},
        after={"pages": 0},
        subject="score_page",
    )
    store = ProviderState(database)
    store.record(entry)
    expected = {
        "_id": "r1",
        "at": AT,
        "action": str(Action.BROWSER_RECYCLE),
        "condition": "up for 2:00:00",
        "outcome": str(RecoveryOutcome.UNDER_WAY),
        "seconds": 1.5,
        "before": {"pages": 9},
        "after": {"pages": 0},
        "subject": "score_page",
    }
    # MongoDB sorts the fields of an upsert's $set by name.
    assert_stored(
        database[PROVIDER_RECOVERIES], {"_id": "r1", **dict(sorted(expected.items())[1:])}
    )
    assert store.recoveries() == [entry]


def test_a_recovery_request_is_read_without_its_later_fields(
    database: Database[Document],
) -> None:
    request = {
        "at": AT,
        "action": str(Action.BROWSER_RECYCLE),
        "condition": "manual",
        "asked": True,
    }
    database[PROVIDER_RECOVERIES].insert_one(
        {"_id": "w", **request, "outcome": str(RecoveryOutcome.UNDER_WAY)}
    )
    entry = ProviderState(database).claim_request()
    assert entry == RecoveryEntry("w", AT, Action.BROWSER_RECYCLE, "manual")
