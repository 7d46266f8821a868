"""R3, R4: the latest snapshot of a match, and the changes between snapshots."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from footy_assets.providers.rules.match import OVER, MatchPhase
from footy_assets.providers.rules.reconcile import FieldProvenance

HISTORY = 5
FRESH_LIVE = timedelta(seconds=15)
FRESH_COMPLETED = timedelta(hours=24)


class DeltaKind(StrEnum):
    INITIAL = "initial"
    UPDATE = "update"


@dataclass(frozen=True, slots=True)
class Delta:
    """`distance` is the difference of the two sequence numbers."""

    kind: DeltaKind
    distance: int
    changed: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    added: Mapping[str, Any] = field(default_factory=dict)
    removed: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MergedSnapshot:
    match_id: int
    sequence: int
    checksum: str
    fields: Mapping[str, Any]
    provenance: Mapping[str, FieldProvenance]
    at: datetime

    def is_fresh(self, now: datetime) -> bool:
        """R3: whether the latest snapshot still counts as fresh; it is stored either way."""
        status = self.fields.get("status", MatchPhase.LIVE)
        lasts = FRESH_COMPLETED if MatchPhase(status) in OVER else FRESH_LIVE
        return now - self.at <= lasts


def checksum(fields: Mapping[str, Any]) -> str:
    """SHA-256 of the fields, independent of their order."""
    text = json.dumps(fields, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def next_snapshot(
    last: MergedSnapshot | None,
    match_id: int,
    fields: Mapping[str, Any],
    provenance: Mapping[str, FieldProvenance],
    now: datetime,
) -> MergedSnapshot | None:
    """R3: None where nothing changed."""
    digest = checksum(fields)
    if last is not None and last.checksum == digest:
        return None
    sequence = 1 if last is None else last.sequence + 1
    return MergedSnapshot(match_id, sequence, digest, dict(fields), dict(provenance), now)


def delta(before: MergedSnapshot | None, after: MergedSnapshot) -> Delta:
    """R4: against the last durable snapshot."""
    if before is None:
        return Delta(DeltaKind.INITIAL, after.sequence, added=dict(after.fields))
    old, new = before.fields, after.fields
    return Delta(
        DeltaKind.UPDATE,
        after.sequence - before.sequence,
        changed={n: (old[n], new[n]) for n in old.keys() & new.keys() if old[n] != new[n]},
        added={n: new[n] for n in new.keys() - old.keys()},
        removed={n: old[n] for n in old.keys() - new.keys()},
    )
