"""How seasons and their documents lie in MongoDB."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from footy_assets.history.documents import DocumentState, Role, SourcedDocument, Tally, Wanted
from footy_assets.history.key import LeagueSeason
from footy_assets.history.saga import Entered, Saga
from footy_assets.history.tiers import TIERS, SagaState, Tier
from footy_assets.store.collections import Document


@dataclass(frozen=True, slots=True)
class SeasonRecord:
    """What is kept of a season beside its documents. `revision` guards its writes."""

    saga: Saga
    started_at: datetime
    started_by: str
    tallies: dict[Tier, Tally] = field(default_factory=dict)
    # No request before this: the day's share of the quota is used up, or something went wrong.
    resume_at: datetime | None = None
    resume_because: str | None = None
    backfill: Document | None = None
    # How many writes of its documents state and tallies account for, and its tables.
    reckoned: int | None = None
    exported: int | None = None
    revision: int = 0

    @property
    def key(self) -> LeagueSeason:
        return self.saga.key


def document_id(key: LeagueSeason, wanted: Wanted) -> str:
    return f"{key}/{wanted.tier}/{wanted.url_hash}"


def wanted_document(key: LeagueSeason, wanted: Wanted, now: datetime) -> Document:
    return {
        "key": str(key),
        "tier": str(wanted.tier),
        "tier_order": TIERS.index(wanted.tier),
        "order": wanted.order,
        "role": str(wanted.role),
        "path": wanted.path,
        "query": [list(pair) for pair in wanted.query],
        "url_hash": wanted.url_hash,
        "notify": False,
        "state": DocumentState.WAITING,
        "failures": 0,
        "due_at": now,
        "reason": None,
        "completed_utc": None,
        "content_hash": None,
        "pages": 1,
        "rows": [],
        "revision": 0,
    }


def sourced(document: Document) -> SourcedDocument:
    wanted = Wanted(
        Tier(document["tier"]),
        document["order"],
        document["path"],
        tuple((name, value) for name, value in document["query"]),
        Role(document["role"]),
    )
    return SourcedDocument(
        wanted=wanted,
        notify=document["notify"],
        state=DocumentState(document["state"]),
        failures=document["failures"],
        due_at=document["due_at"],
        reason=document["reason"],
        completed_utc=document["completed_utc"],
        content_hash=document["content_hash"],
        pages=document["pages"],
        revision=document["revision"],
    )


def saga_document(saga: Saga) -> Document:
    """Without its signals: those are read off the documents (Y7)."""
    return {
        "state": str(saga.state),
        "entered": [
            {"state": str(e.state), "at": e.at, "because": e.because, "by": e.by}
            for e in saga.entered
        ],
    }


def tally_document(tally: Tally) -> Document:
    return {
        "processed": tally.processed,
        "failed": tally.failed,
        "total": tally.total,
        "planned": tally.planned,
    }


def season_record(document: Document) -> SeasonRecord:
    key = LeagueSeason(document["league"], document["season"])
    entered = tuple(
        Entered(SagaState(e["state"]), e["at"], e["because"], e["by"]) for e in document["entered"]
    )
    tallies: dict[str, Any] = document["tallies"]
    return SeasonRecord(
        saga=replace(Saga(key), state=SagaState(document["state"]), entered=entered),
        started_at=document["started_at"],
        started_by=document["started_by"],
        tallies={Tier(name): Tally(**told) for name, told in tallies.items()},
        resume_at=document.get("resume_at"),
        resume_because=document.get("resume_because"),
        backfill=document.get("backfill"),
        reckoned=document.get("reckoned"),
        exported=document.get("exported"),
        revision=document["revision"],
    )
