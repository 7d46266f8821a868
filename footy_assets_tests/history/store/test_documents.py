"""How seasons, their documents and the ledger of requests are stored."""

from datetime import UTC, datetime, timedelta

from pymongo.database import Database

from footy_assets.history.rules.documents import (
    DocumentRequest,
    DocumentState,
    Role,
    SourcedDocument,
    TierTally,
)
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.ledger import Ledger
from footy_assets.history.rules.saga import Cause, Saga, StateEntry
from footy_assets.history.rules.tiers import SagaState, Tier
from footy_assets.history.store.documents import (
    SeasonRecord,
    request_to_document,
    saga_to_document,
    tally_to_document,
    to_season_record,
    to_sourced_document,
)
from footy_assets.history.store.quota import SharedQuota
from footy_assets.matchday.rules.pace import Quota
from footy_assets.store.collections import HISTORY_QUOTA, Document
from footy_assets_tests.store.stored import assert_same_bytes

AT = datetime(2025, 5, 10, 14, 30, tzinfo=UTC)
KEY = LeagueSeason(39, 2023)
TIER = next(iter(Tier))


def test_a_requested_document_is_stored_like_this() -> None:
    request = DocumentRequest(TIER, 3, "/teams", (("league", 39), ("season", 2023)), Role.LISTING)
    expected = {
        "key": "39:2023",
        "tier": str(TIER),
        "tier_order": 0,
        "order": 3,
        "role": "listing",
        "path": "/teams",
        "query": [["league", 39], ["season", 2023]],
        "url_hash": request.url_hash,
        "notify": False,
        "state": "waiting",
        "failures": 0,
        "due_at": AT,
        "reason": None,
        "completed_utc": None,
        "content_hash": None,
        "pages": 1,
        "rows": [],
        "revision": 0,
    }
    assert_same_bytes(request_to_document(KEY, request, AT), expected)
    assert to_sourced_document(expected) == SourcedDocument(request, due_at=AT)
    failed = {**expected, "state": "failed", "failures": 2, "reason": "HTTP 500", "pages": 4}
    assert to_sourced_document(failed) == SourcedDocument(
        request, False, DocumentState.FAILED, 2, AT, "HTTP 500", None, None, 4
    )


def test_a_season_is_stored_like_this() -> None:
    entered = (
        StateEntry(SagaState.WAITING_FOR_SEASON, AT, Cause.STARTED),
        StateEntry(SagaState.COMPLETED, AT, Cause.FORCED, "ann"),
    )
    saga = Saga(KEY, SagaState.COMPLETED, entered)
    expected = {
        "state": str(SagaState.COMPLETED),
        "entered": [
            {
                "state": str(SagaState.WAITING_FOR_SEASON),
                "at": AT,
                "because": "started",
                "by": None,
            },
            {"state": str(SagaState.COMPLETED), "at": AT, "because": "forced", "by": "ann"},
        ],
    }
    assert_same_bytes(saga_to_document(saga), expected)
    tally = TierTally(3, 1, 4, True)
    stored = {
        **{"processed": 3, "failed": 1, "total": 4, "planned": True},
        **{"signals": 0, "completed_at": None},
    }
    assert_same_bytes(tally_to_document(tally), stored)
    document: Document = {
        "_id": "39:2023",
        **expected,
        "league": 39,
        "season": 2023,
        "started_at": AT,
        "started_by": "ann",
        "tallies": {str(TIER): stored},
        "revision": 5,
    }
    record = SeasonRecord(saga, AT, "ann", {TIER: tally}, revision=5)
    assert to_season_record(document) == record
    later = {"resume_at": AT, "resume_because": "quota", "backfill": {"by": "ann"}, "exported": 2}
    assert to_season_record({**document, **later, "reckoned": 2}) == SeasonRecord(
        saga, AT, "ann", {TIER: tally}, AT, "quota", {"by": "ann"}, 2, 2, 5
    )


def test_the_ledger_of_requests_is_stored_like_this(database: Database[Document]) -> None:
    quota = SharedQuota(database)
    _, first = quota.reserve(1, AT, timedelta(minutes=1))
    assert first is not None
    quota.settle(first, Quota(100, 60, 10, 9), 0, AT)
    ledger, second = quota.reserve(2, AT, timedelta(minutes=1))
    assert second is not None
    expected: Document = {
        "_id": "api_football",
        "revision": 3,
        "quota": {
            "day_limit": 100,
            "day_remaining": 60,
            "minute_limit": 10,
            "minute_remaining": 9,
        },
        "asked_at": AT,
        "uncounted": 0,
        "settled": 1,
        "silent": 0,
        "reservations": [
            {
                "id": second.id,
                "requests": 2,
                "taken_at": AT,
                "expires_at": AT + timedelta(minutes=1),
                "settled_before": 1,
                "silent_before": 0,
            }
        ],
    }
    (found,) = database[HISTORY_QUOTA].find()
    assert_same_bytes(found, expected)
    assert quota.read() == ledger
    database[HISTORY_QUOTA].delete_many({})
    assert quota.read() == Ledger()
