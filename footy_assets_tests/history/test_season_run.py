"""One run's share of a past season."""

from pathlib import Path

import pytest

from footy_assets.errors import ProviderRefused
from footy_assets.history.progress import require_season
from footy_assets.history.rules.tiers import TIERS
from footy_assets.history.season_run import RETRY_RUN_AFTER, run_season
from footy_assets.history.sourcing import Ended, HistoryWork
from footy_assets.history.store.documents import SeasonRecord
from footy_assets_tests.history.conftest import KEY, Sourcing

pytestmark = pytest.mark.slow


def ignore(record: SeasonRecord) -> None: ...


def test_y12_a_run_starts_the_season_and_writes_its_tables(
    sourcing: Sourcing, tmp_path: Path
) -> None:
    run = run_season(sourcing.work, KEY, TIERS, tmp_path, "a test", ignore)
    assert run.report.ended in (Ended.COMPLETED, Ended.WAITING)
    assert run.record.started_by == "a test"
    assert all(path.is_file() for path in run.tables.values())
    assert require_season(sourcing.store, KEY).exported_writes == run.record.counted_writes


@pytest.mark.parametrize(
    ("error", "reason"),
    [(ProviderRefused("a wrong key"), "a wrong key"), (RuntimeError("a bug"), "a bug")],
)
def test_a_run_that_fails_is_due_again_two_minutes_later(
    sourcing: Sourcing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    error: Exception, reason: str,
) -> None:  # fmt: skip
    def fail(*args: object, **named: object) -> None:
        raise error

    monkeypatch.setattr(HistoryWork, "run", fail)
    with pytest.raises(type(error)):
        run_season(sourcing.work, KEY, TIERS, tmp_path, "a test", ignore)
    record = require_season(sourcing.store, KEY)
    assert record.resume_at == sourcing.clock.now() + RETRY_RUN_AFTER
    assert reason in (record.resume_because or "")
