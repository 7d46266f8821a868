"""One run's share of a past season: fetch what is due, then write the tables."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from footy_assets.errors import FootyError
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.tiers import Tier
from footy_assets.history.sourcing import HistoryWork, WorkReport
from footy_assets.history.start import start
from footy_assets.history.store.documents import SeasonRecord

# A run waits this long for a document to be retried, then ends; the sensor requests another run.
PATIENCE_SECONDS = 65.0
# Far below the maximum runtime of a run.
WORK_SECONDS = 1_200.0
RETRY_RUN_AFTER = timedelta(minutes=2)
LONGEST_REASON = 500


@dataclass(frozen=True, slots=True)
class SeasonRun:
    """`tables` holds the file of each table."""

    report: WorkReport
    record: SeasonRecord
    tables: dict[str, Path]


def run_season(
    work: HistoryWork,
    key: LeagueSeason,
    tiers: Collection[Tier],
    folder: Path,
    by: str,
    on_progress: Callable[[SeasonRecord], None],
) -> SeasonRun:
    """Starts the season if it is new. After an error, the next run is due in `RETRY_RUN_AFTER`."""
    # pyarrow starts a thread when imported; a process with threads cannot fork run workers.
    from footy_assets.history.export import export_current

    start(work.store, work.clock, key, by)
    ends_at = work.clock.now() + timedelta(seconds=WORK_SECONDS * work.clock.speed)
    try:
        report = work.run(
            key,
            tiers=tiers,
            patience=PATIENCE_SECONDS,
            stopped=lambda: work.clock.now() > ends_at,
            on_progress=on_progress,
        )
        record = work.recompute_state(key)
        return SeasonRun(report, record, export_current(work.store, record, folder))
    except Exception as error:
        # A retry within seconds would fail too, and other seasons wait behind this one.
        because = error.sentence() if isinstance(error, FootyError) else repr(error)
        next_run_at = work.clock.now() + RETRY_RUN_AFTER
        work.store.wait_until(key, next_run_at, because[:LONGEST_REASON])
        raise
