"""What can be asked about a season that is sourced, and done to it by hand (Y5, Y6, Y11)."""

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from footy_assets.clock import Clock
from footy_assets.errors import BadInput, NotFound, Unavailable
from footy_assets.history.documents import DocumentState, SourcedDocument
from footy_assets.history.key import LeagueSeason
from footy_assets.history.rules import HistoryRules
from footy_assets.history.saga import Saga, force
from footy_assets.history.tiers import TIERS, WAITING, SagaState, Tier
from footy_assets.logs import Stage, StageLog
from footy_assets.matchday.days import FIRST_MATCHDAY, playable
from footy_assets.operations.by_hand import ByHand
from footy_assets.operations.history_start import change_saga, lease_name
from footy_assets.store.history import HistoryStore
from footy_assets.store.history_documents import SeasonRecord
from footy_assets.store.leases import Leases

AT_REST = (SagaState.NOT_STARTED, SagaState.COMPLETED)


def known_season(store: HistoryStore, key: LeagueSeason) -> SeasonRecord:
    record = store.season(key)
    if record is None:
        raise NotFound(
            f"{key} was never started",
            f"`footy history start --league {key.league} --season {key.season}` does",
        )
    return record


def status(store: HistoryStore, clock: Clock, key: LeagueSeason, rules: HistoryRules) -> Any:
    """Y6: how far each tier is, whether all of it is there, and what is missing and why."""
    record = known_season(store, key)
    documents = store.documents(key)
    missing = [one for one in documents if one.state is not DocumentState.PROCESSED]
    return {
        **summary(record, clock.now(), rules),
        "failed_documents": [_failed(one) for one in missing if one.failures],
        "signals": sum(one.notify and one.processed for one in documents),
        "documents": len(documents),
        "history": [
            {**asdict(one), "state": str(one.state), "at": one.at.isoformat()}
            for one in record.saga.entered
        ],
    }


def summary(record: SeasonRecord, now: datetime, rules: HistoryRules) -> dict[str, Any]:
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
        "stalled": stalled(saga, now, rules),
        "waiting_minutes": round(waiting(saga, now).total_seconds() / 60, 1),
        "resume_at": _later(record.resume_at, now),
        "resume_because": record.resume_because if _later(record.resume_at, now) else None,
        "tiers": {str(tier): tier_progress(record, tier) for tier in TIERS},
        "backfill": record.backfill,
    }


def _later(when: datetime | None, now: datetime) -> str | None:
    return when.isoformat() if when is not None and when > now else None


def tier_progress(record: SeasonRecord, tier: Tier) -> dict[str, Any]:
    """Y6: processed, failed and total; the latter is not final until the tier is planned."""
    tally = record.tallies.get(tier)
    began = next((e.at for e in record.saga.entered if e.state is WAITING[tier]), None)
    return {
        "started_at": began.isoformat() if began else None,
        "processed": tally.processed if tally else 0,
        "failed": tally.failed if tally else 0,
        "total": tally.total if tally else 0,
        "planned": bool(tally and tally.planned),
        "complete": bool(tally and tally.complete),
        "empty": bool(tally and tally.empty),
    }


def waiting(saga: Saga, now: datetime) -> timedelta:
    """How long the season has been in a state that it should leave."""
    if saga.state in AT_REST or saga.since is None:
        return timedelta(0)
    return max(timedelta(0), now - saga.since)


def stalled(saga: Saga, now: datetime, rules: HistoryRules) -> bool:
    """Y5: an alert, and nothing more: no clock moves a saga on."""
    return waiting(saga, now) > rules.alert_after


def stalled_seasons(store: HistoryStore, now: datetime, rules: HistoryRules) -> list[SeasonRecord]:
    return [one for one in store.unfinished() if stalled(one.saga, now, rules)]


def alert(record: SeasonRecord, now: datetime) -> None:
    """Y5: a line for whoever watches the log."""
    minutes = waiting(record.saga, now).total_seconds() / 60
    StageLog(Stage.HISTORY).of(season=str(record.key)).warning(
        "season_stalled", state=str(record.saga.state), minutes=round(minutes)
    )


# -- by hand ----------------------------------------------------------------------------------


def advance(store: HistoryStore, by: ByHand, key: LeagueSeason) -> Saga:
    """Y5: start the next tier without its signal; recorded, in the audit and in the season."""
    known_season(store, key)
    with by.recorded("advance season", str(key)) as entry:
        saga = change_saga(store, key, lambda saga: force(saga, by.clock.now(), by.told()))
        entry.outcome = f"forced to {saga.state}"
        return saga


def retry(store: HistoryStore, by: ByHand, key: LeagueSeason) -> int:
    """Y6: whatever failed or was parked is due now."""
    known_season(store, key)
    with by.recorded("retry season", str(key)) as entry:
        documents = store.try_again(key, by.clock.now())
        entry.outcome = f"{documents} documents due again"
        return documents


def backfill(store: HistoryStore, by: ByHand, key: LeagueSeason) -> list[str]:
    """Y11: ask for every matchday of the season, once; the `season_backfill` sensor launches it."""
    known_season(store, key)
    matches = store.rows(key, "/fixtures")
    if not matches:
        raise Unavailable(
            f"the matchdays of {key} are not known yet", "Wait for its first tier, then ask again"
        )
    days = playable((row["matchday"] for row in matches), by.clock.now().date())
    if not days:
        raise BadInput(
            f"{key} has no matchday that can be played back",
            f"They are kept from {FIRST_MATCHDAY} until today",
        )
    with by.recorded("backfill season", str(key)) as entry:
        asked = {
            "id": uuid4().hex,
            "asked_at": by.clock.now(),
            "by": by.told(),
            "days": days,
            "launched": None,
        }
        store.ask_backfill(key, asked)
        entry.outcome = f"{len(days)} matchdays asked for"
    return days


def forget(store: HistoryStore, by: ByHand, key: LeagueSeason) -> int:
    """A season started by mistake would be told as standing still for ever. Its tables stay."""
    known_season(store, key)
    with (
        by.recorded("forget season", str(key)) as entry,
        Leases(store.database).hold(lease_name(key)),
    ):
        documents = store.forget(key)
        entry.outcome = f"{documents} documents forgotten"
        return documents


def _failed(document: SourcedDocument) -> dict[str, Any]:
    return {
        "tier": str(document.wanted.tier),
        "url": document.wanted.url,
        "state": str(document.state),
        "failures": document.failures,
        "due_at": document.due_at.isoformat() if document.due_at else None,
        "reason": document.reason,
    }
