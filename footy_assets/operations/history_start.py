"""Past seasons are begun once, and follow the rules of the settings (Y7, Y8)."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from footy_assets.clock import Clock
from footy_assets.history.key import LeagueSeason
from footy_assets.history.rules import HistoryRules
from footy_assets.history.saga import Saga, begin, reopen
from footy_assets.logs import Stage, StageLog
from footy_assets.settings import Settings
from footy_assets.store.history import HistoryStore
from footy_assets.store.history_documents import SeasonRecord

SAVE_TRIES = 5


def history_rules(settings: Settings) -> HistoryRules:
    return HistoryRules(
        threshold=settings.history_threshold,
        flag_share=settings.history_flag_share,
        flag_minimum=settings.history_flag_minimum,
        alert_after=timedelta(minutes=settings.history_alert_minutes),
        at_once=settings.history_at_once,
    )


def lease_name(key: LeagueSeason) -> str:
    return f"history:{key}"


def start(
    store: HistoryStore, clock: Clock, key: LeagueSeason, by: str, refresh: bool = False
) -> SeasonRecord:
    """Y7: begin, or return what is running. With `refresh` all of it is looked at again (Y10)."""
    now = clock.now()
    if store.add_season(begin(Saga(key), now), now, by):
        StageLog(Stage.HISTORY).of(season=str(key)).info("season_started", by=by)
    if refresh:
        store.refresh(key, now)
        change_saga(store, key, lambda saga: reopen(saga, now))
    record = store.season(key)
    assert record is not None
    return record


def change_saga(store: HistoryStore, key: LeagueSeason, change: Callable[[Saga], Saga]) -> Saga:
    """Written even where it changes nothing: who took stock of what was before takes it again."""
    for _ in range(SAVE_TRIES):
        record = store.season(key)
        assert record is not None
        saga = change(record.saga)
        if store.save(record, replace(record, saga=saga)):
            return saga
    raise RuntimeError(f"{key} is being written by others all the time")
