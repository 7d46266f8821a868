"""Explains a match field by field: the provider of each value, and its recent changes."""

from datetime import datetime
from typing import Any

from footy_assets.errors import NotFound
from footy_assets.providers.rules.snapshots import MergedSnapshot, delta
from footy_assets.providers.store.snapshots import MergedSnapshots


def explain_match(snapshots: MergedSnapshots, match_id: int, now: datetime) -> dict[str, Any]:
    history = snapshots.history(match_id)
    if not history:
        raise NotFound(
            f"there is no snapshot of match {match_id}",
            "Snapshots exist only while sources.yaml describes several providers",
        )
    latest = history[0]
    return {
        "match_id": match_id,
        "sequence": latest.sequence,
        "checksum": latest.checksum,
        "at": latest.at,
        "fresh": latest.is_fresh(now),
        "fields": [
            {
                "field": name,
                "value": value,
                "source": latest.provenance[name].provider,
                "confidence": latest.provenance[name].confidence,
                "at": latest.provenance[name].timestamp,
            }
            for name, value in sorted(latest.fields.items())
        ],
        "changes": _changes(history),
    }


def _changes(history: list[MergedSnapshot]) -> list[dict[str, Any]]:
    """R4, newest first. The initial one is included only while it is still stored."""
    before: list[MergedSnapshot | None] = [*history[1:], None]
    return [
        {
            "sequence": after.sequence,
            "at": after.at,
            "type": str(found.kind),
            "distance": found.distance,
            "changed": {name: list(values) for name, values in found.changed.items()},
            "added": dict(found.added),
            "removed": dict(found.removed),
        }
        for old, after in zip(before, history, strict=True)
        if old is not None or after.sequence == 1
        for found in (delta(old, after),)
    ]
