"""Conversion of seasons and their documents to and from MongoDB."""

from dataclasses import dataclass, field
from datetime import datetime

from footy_assets.history.rules.documents import (
    DocumentRequest,
    DocumentState,
    SourcedDocument,
    TierTally,
)
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.saga import Saga
from footy_assets.history.rules.tiers import TIERS, Tier
from footy_assets.store.collections import Document
from footy_assets.store.documents import DocumentConverter

CONVERTER = DocumentConverter()


@dataclass(frozen=True, slots=True)
class SeasonRecord:
    """The stored record of a season, without its documents. `revision` guards its writes."""

    saga: Saga
    started_at: datetime
    started_by: str
    tallies: dict[Tier, TierTally] = field(default_factory=dict)
    # No requests before this time: the day's share of the quota is used up, or a run failed.
    resume_at: datetime | None = None
    resume_because: str | None = None
    backfill: Document | None = None
    # The number of document writes that state and tallies include, and that the tables include.
    counted_writes: int | None = None
    exported_writes: int | None = None
    revision: int = 0

    @property
    def key(self) -> LeagueSeason:
        return self.saga.key


CONVERTER.rename(SeasonRecord, counted_writes="reckoned", exported_writes="exported")


def document_id(key: LeagueSeason, request: DocumentRequest) -> str:
    return f"{key}/{request.tier}/{request.url_hash}"


def request_to_document(key: LeagueSeason, request: DocumentRequest, now: datetime) -> Document:
    return {
        "key": str(key),
        "tier": str(request.tier),
        "tier_order": TIERS.index(request.tier),
        "order": request.order,
        "role": str(request.role),
        "path": request.path,
        "query": [list(pair) for pair in request.query],
        "url_hash": request.url_hash,
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


def to_sourced_document(document: Document) -> SourcedDocument:
    """The fields of the request are fields of its document."""
    return CONVERTER.read({**document, "request": document}, SourcedDocument)


def saga_to_document(saga: Saga) -> Document:
    """Without its signals: those follow from the documents (Y7)."""
    return {"state": str(saga.state), "entered": CONVERTER.unstructure(saga.entered)}


def tally_to_document(tally: TierTally) -> Document:
    return CONVERTER.document(tally)


def to_season_record(document: Document) -> SeasonRecord:
    saga = {**document, "key": document}
    return CONVERTER.read({**document, "saga": saga}, SeasonRecord)
