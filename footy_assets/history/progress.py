"""The progress of past seasons: status, missing documents, stalled seasons (Y5, Y6)."""

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from footy_assets.clock import Clock
from footy_assets.errors import NotFound
from footy_assets.history.rules.documents import DocumentState, SourcedDocument
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.limits import HistoryRules
from footy_assets.history.rules.saga import Saga
from footy_assets.history.rules.tiers import TIERS, WAITING, SagaState, Tier
from footy_assets.history.store.documents import SeasonRecord
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.logs import Stage, StageLog

NOT_WAITING = (SagaState.NOT_STARTED, SagaState.COMPLETED)


def require_season(store: HistoryStore, key: LeagueSeason) -> SeasonRecord:
    record = store.season(key)
    if record is None:
        raise NotFound(
            f"{key} was never started",
            f"Start it: footy history start --league {key.league} --season {key.season}",
        )
    return record


def season_status(store: HistoryStore, clock: Clock, key: LeagueSeason, rules: HistoryRules) -> Any:
    """Y6: progress of each tier, and which documents are missing and why."""
    record = require_season(store, key)
    documents = store.documents(key)
    missing = [one for one in documents if one.state is not DocumentState.PROCESSED]
    return {
        **season_summary(record, clock.now(), rules),
        "failed_documents": [_failed_row(one) for one in missing if one.failures],
        "signals": sum(one.notify and one.processed for one in documents),
        "documents": len(documents),
        "history": [
            {**asdict(one), "state": str(one.state), "at": one.at.isoformat()}
            for one in record.saga.entered
        ],
    }


def season_summary(record: SeasonRecord, now: datetime, rules: HistoryRules) -> dict[str, Any]:
    saga = record.saga
    return {
        "key": str(record.key),
        "league": record.key.league,
        "season": record.key.season,
        "state": str(saga.state),
        "since": saga.since.isoformat() if saga.since else None,
        "correlation_id": record.key.correlation_id,
        "started_at": record.started_at.isoformat(),
        "started_by": record.started_by,
        "complete": saga.state is SagaState.COMPLETED,
        "stalled": is_stalled(saga, now, rules),
        "waiting_minutes": round(waiting_time(saga, now).total_seconds() / 60, 1),
        "resume_at": _if_later(record.resume_at, now),
        "resume_because": record.resume_because if _if_later(record.resume_at, now) else None,
        "tiers": {str(tier): tier_progress(record, tier) for tier in TIERS},
        "backfill": record.backfill,
    }


def _if_later(when: datetime | None, now: datetime) -> str | None:
    return when.isoformat() if when is not None and when > now else None


def tier_progress(record: SeasonRecord, tier: Tier) -> dict[str, Any]:
    """Y6: processed, failed and total documents; the total is final once the tier is planned."""
    tally = record.tallies.get(tier)
    started_at = tier_started_at(record.saga, tier)
    return {
        "started_at": started_at.isoformat() if started_at else None,
        "completed_at": tally.completed_at.isoformat() if tally and tally.completed_at else None,
        "processed": tally.processed if tally else 0,
        "failed": tally.failed if tally else 0,
        "total": tally.total if tally else 0,
        "planned": bool(tally and tally.planned),
        "complete": bool(tally and tally.complete),
        "empty": bool(tally and tally.empty),
        "signals": tally.signals if tally else 0,
    }


def tier_started_at(saga: Saga, tier: Tier) -> datetime | None:
    return next((e.at for e in saga.entered if e.state is WAITING[tier]), None)


def waiting_time(saga: Saga, now: datetime) -> timedelta:
    """How long the season has been waiting in its state."""
    if saga.state in NOT_WAITING or saga.since is None:
        return timedelta(0)
    return max(timedelta(0), now - saga.since)


def is_stalled(saga: Saga, now: datetime, rules: HistoryRules) -> bool:
    """Y5: raises an alert only: time alone never advances a saga."""
    return waiting_time(saga, now) > rules.alert_after


def stalled_seasons(store: HistoryStore, now: datetime, rules: HistoryRules) -> list[SeasonRecord]:
    return [one for one in store.unfinished() if is_stalled(one.saga, now, rules)]


def log_stalled(record: SeasonRecord, now: datetime) -> None:
    """Y5: logs that a season is stalled."""
    minutes = waiting_time(record.saga, now).total_seconds() / 60
    StageLog(Stage.HISTORY).bind(season=str(record.key)).warning(
        "season_stalled", state=str(record.saga.state), minutes=round(minutes)
    )


def _failed_row(document: SourcedDocument) -> dict[str, Any]:
    return {
        "tier": str(document.request.tier),
        "url": document.request.url,
        "state": str(document.state),
        "failures": document.failures,
        "due_at": document.due_at.isoformat() if document.due_at else None,
        "reason": document.reason,
    }
