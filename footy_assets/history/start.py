"""Starts past seasons, each once (Y7)."""

from collections.abc import Callable
from dataclasses import replace

from footy_assets.clock import Clock
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.saga import Saga, begin, reopen
from footy_assets.history.store.documents import SeasonRecord
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.logs import Stage, StageLog

SAVE_TRIES = 5


def lease_name(key: LeagueSeason) -> str:
    return f"history:{key}"


def start(
    store: HistoryStore, clock: Clock, key: LeagueSeason, by: str, refresh: bool = False
) -> SeasonRecord:
    """Y7: starts a season, or returns the running one. `refresh` fetches everything again (Y10)."""
    now = clock.now()
    if store.add_season(begin(Saga(key), now), now, by):
        StageLog(Stage.HISTORY).bind(season=str(key)).info("season_started", by=by)
    if refresh:
        store.refresh(key, now)
        change_saga(store, key, lambda saga: reopen(saga, now))
    record = store.season(key)
    assert record is not None
    return record


def change_saga(store: HistoryStore, key: LeagueSeason, change: Callable[[Saga], Saga]) -> Saga:
    """Writes even an unchanged saga: a concurrent recomputation then starts over."""
    for _ in range(SAVE_TRIES):
        record = store.season(key)
        assert record is not None
        saga = change(record.saga)
        if store.save(record, replace(record, saga=saga)):
            return saga
    raise RuntimeError(f"{key} keeps being written by other processes")
