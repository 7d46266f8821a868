"""What is fetched: one request to the provider is one document."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from urllib.parse import urlencode

from footy_assets.history.tiers import Tier

Row = dict[str, Any]


class Role(StrEnum):
    # Tells which documents there are; not one of them.
    LISTING = "listing"
    DOCUMENT = "document"
    # Asked for because of what documents said.
    EVIDENCE = "evidence"


class DocumentState(StrEnum):
    WAITING = "waiting"
    PROCESSED = "processed"
    # To be tried again.
    FAILED = "failed"
    # Y6: tried often enough; a person may ask for it again.
    PARKED = "parked"
    # A list that was read again does not name it any more: its rows are nobody's.
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request of a tier. `order` is its place among the documents of its tier."""

    tier: Tier
    order: int
    path: str
    query: tuple[tuple[str, int], ...]
    role: Role = Role.DOCUMENT

    @property
    def url(self) -> str:
        return f"{self.path}?{urlencode(self.query)}"

    @property
    def url_hash(self) -> str:
        return hashlib.sha256(self.url.encode()).hexdigest()[:32]

    def asked(self, name: str) -> int:
        return dict(self.query)[name]


@dataclass(frozen=True, slots=True)
class SourcedDocument:
    """A request and what became of it; its rows stay in the store."""

    wanted: Wanted
    notify: bool = False
    state: DocumentState = DocumentState.WAITING
    failures: int = 0
    due_at: datetime | None = None
    reason: str | None = None
    completed_utc: datetime | None = None
    content_hash: str | None = None
    pages: int = 1
    revision: int = 0

    @property
    def processed(self) -> bool:
        return self.state is DocumentState.PROCESSED

    @property
    def left_out(self) -> bool:
        return self.state is DocumentState.LEFT_OUT

    @property
    def settled(self) -> bool:
        return self.state in (DocumentState.PROCESSED, DocumentState.PARKED)


@dataclass(frozen=True, slots=True)
class Tally:
    """Y6: how far a tier is. Until it is `planned`, nobody knows its total."""

    processed: int = 0
    failed: int = 0
    total: int = 0
    planned: bool = False

    @property
    def empty(self) -> bool:
        return self.planned and self.total == 0

    @property
    def complete(self) -> bool:
        return self.planned and self.processed == self.total


NO_TALLY = Tally()


def tally(documents: Iterable[SourcedDocument], planned: bool) -> Tally:
    """Listings do not count, nor what is left out; that a listing is missing shows as a tier that
    is not planned."""
    counted = [d for d in documents if d.wanted.role is not Role.LISTING and not d.left_out]
    return Tally(
        processed=sum(d.processed for d in counted),
        failed=sum(d.state in (DocumentState.FAILED, DocumentState.PARKED) for d in counted),
        total=len(counted),
        planned=planned,
    )


def writes(documents: Iterable[SourcedDocument]) -> int:
    """How often a season's documents were written: whoever took stock since knows them all."""
    return sum(1 + document.revision for document in documents)


def by_tier(documents: Iterable[SourcedDocument]) -> Mapping[Tier, Sequence[SourcedDocument]]:
    found: dict[Tier, list[SourcedDocument]] = {tier: [] for tier in Tier}
    for document in documents:
        found[document.wanted.tier].append(document)
    return found


def content_hash(response: Any) -> str:
    """Y10: the same answer has the same hash, however its keys are ordered."""
    canonical = json.dumps(response, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
