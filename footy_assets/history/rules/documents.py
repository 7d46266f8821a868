"""Documents: each holds the response to one request to the provider."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any
from urllib.parse import urlencode

from footy_assets.history.rules.tiers import Tier

Row = dict[str, Any]


class Evidence(StrEnum):
    """Y9: why a player is in a team's season."""

    # Minutes, line-ups or events show that the player played for the team.
    APPEARANCE = "appearance"
    # The team's list names the player, nothing else.
    LISTED = "listed"


class Role(StrEnum):
    # Lists which documents there are; does not count as one.
    LISTING = "listing"
    DOCUMENT = "document"
    # Requested because of what other documents contain.
    EVIDENCE = "evidence"


class DocumentOutcome(StrEnum):
    """What an answer changed in a document, as stored."""

    NEW = "new"
    UPDATED = "updated"
    UNCHANGED = "unchanged"


class DocumentState(StrEnum):
    WAITING = "waiting"
    PROCESSED = "processed"
    # Will be retried.
    FAILED = "failed"
    # Y6: retries are used up; an operator may retry it.
    PARKED = "parked"
    # The refreshed listing no longer names it: its rows do not count.
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class DocumentRequest:
    """A request to the provider. `order` is its position in its tier."""

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

    def parameter(self, name: str) -> int:
        return dict(self.query)[name]


@dataclass(frozen=True, slots=True)
class SourcedDocument:
    """A request and its outcome; the rows stay in the store."""

    request: DocumentRequest
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
class TierTally:
    """Y6: the progress of a tier. `total` is final once the tier is `planned`; `signals` of flagged
    documents start the next one (Y3). `completed_at` is set while the tier is complete."""

    processed: int = 0
    failed: int = 0
    total: int = 0
    planned: bool = False
    signals: int = 0
    completed_at: datetime | None = None

    @property
    def empty(self) -> bool:
        return self.planned and self.total == 0

    @property
    def complete(self) -> bool:
        return self.planned and self.processed == self.total


NO_TALLY = TierTally()


def tally(documents: Iterable[SourcedDocument], planned: bool) -> TierTally:
    """Counts neither listings nor left-out documents; a missing listing shows as a tier that is not
    planned."""
    counted = [d for d in documents if d.request.role is not Role.LISTING and not d.left_out]
    found = TierTally(
        processed=sum(d.processed for d in counted),
        failed=sum(d.state in (DocumentState.FAILED, DocumentState.PARKED) for d in counted),
        total=len(counted),
        planned=planned,
    )
    if not found.complete:
        return found
    times = [d.completed_utc for d in counted if d.completed_utc is not None]
    return replace(found, completed_at=max(times, default=None))


def signals_completion(document: SourcedDocument) -> bool:
    """Y3: a flagged document that was processed; a failure never signals."""
    return (
        document.notify
        and document.processed
        and document.completed_utc is not None
        and document.request.role is Role.DOCUMENT
    )


def write_count(documents: Iterable[SourcedDocument]) -> int:
    """How often a season's documents were written; tells whether a record is up to date."""
    return sum(1 + document.revision for document in documents)


def by_tier(documents: Iterable[SourcedDocument]) -> Mapping[Tier, Sequence[SourcedDocument]]:
    found: dict[Tier, list[SourcedDocument]] = {tier: [] for tier in Tier}
    for document in documents:
        found[document.request.tier].append(document)
    return found


def content_hash(response: Any) -> str:
    """Y10: equal responses have equal hashes, whatever the order of their keys."""
    canonical = json.dumps(response, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
