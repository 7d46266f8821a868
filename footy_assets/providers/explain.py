"""Explains a match field by field: the provider of each value, and its recent changes."""

from datetime import datetime
from typing import Any

from pymongo.database import Database

from footy_assets.errors import NotFound
from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.providers.rules.snapshots import MergedSnapshot, delta
from footy_assets.providers.store.provider_ids import ProviderIds
from footy_assets.providers.store.snapshots import MergedSnapshots
from footy_assets.store.collections import Document


def explain_match(database: Database[Document], match_id: int, now: datetime) -> dict[str, Any]:
    """Snapshots exist only while there are several providers; the ids are there with one, too."""
    history = MergedSnapshots(database).history(match_id)
    fixture = MatchdayStore(database).fixtures_by_id([match_id]).get(match_id)
    if not history and fixture is None:
        raise NotFound(f"match {match_id} is not known", "`footy fixtures` lists them")
    ids = ProviderIds(database)
    return {
        "match_id": match_id,
        "provider_ids": ids.of_matches([match_id])[match_id],
        "teams": _teams(ids, fixture) if fixture is not None else {},
        **_latest(history, now),
        "changes": _changes(history),
    }


def _teams(ids: ProviderIds, fixture: Fixture) -> dict[str, Any]:
    sides = {"home": fixture.home, "away": fixture.away}
    theirs = ids.of_teams([one.id for one in sides.values()])
    return {
        side: {"team_id": one.id, "name": one.name, "provider_ids": theirs[one.id]}
        for side, one in sides.items()
    }


def _latest(history: list[MergedSnapshot], now: datetime) -> dict[str, Any]:
    if not history:
        return {"sequence": None, "checksum": None, "at": None, "fresh": False, "fields": []}
    latest = history[0]
    return {
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
    }


def _changes(history: list[MergedSnapshot]) -> list[dict[str, Any]]:
    """R4, newest first. The initial one is included only while it is still stored."""
    before: list[MergedSnapshot | None] = [*history[1:], None][: len(history)]
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
