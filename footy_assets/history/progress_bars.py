"""Progress bars of `footy history start`."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from footy_assets.cli.output import stderr
from footy_assets.history.rules.tiers import TIERS, Tier
from footy_assets.history.store.documents import SeasonRecord


class ProgressBars:
    """A progress bar for each tier, on a terminal only."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._tasks: dict[Tier, TaskID] = {}

    def show(self, record: SeasonRecord) -> None:
        if self._progress is None:
            return
        for tier in TIERS:
            tally = record.tallies.get(tier)
            if tier not in self._tasks:
                self._tasks[tier] = self._progress.add_task(str(tier), total=None, failed="")
            if tally is not None:
                self._progress.update(
                    self._tasks[tier],
                    completed=tally.processed,
                    total=tally.total or None,
                    failed=f"{tally.failed} failed" if tally.failed else "",
                )


@contextmanager
def progress_bars(quiet: bool) -> Iterator[ProgressBars]:
    screen = stderr()
    if quiet or not screen.is_terminal:
        yield ProgressBars(None)
        return
    columns = (
        TextColumn("{task.description:<14}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[failed]}", style="red", markup=False),
    )
    with Progress(*columns, console=screen) as progress:
        yield ProgressBars(progress)
