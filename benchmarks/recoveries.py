"""How runs got over a fault: which failed, how soon that was known, when their work was next."""

from collections.abc import Sequence
from dataclasses import dataclass

from dagster import DagsterRunStatus, RunRecord

from benchmarks.figures import Row
from footy_assets.run_labels import EVENT_TAG, WORK_TAG

COLUMNS = {
    "fault": "fault",
    "failed": "runs that failed",
    "known": "s until they are reported",
    "again": "s until their work is requested again",
    "success": "s from its end until a run that began later succeeds",
}


@dataclass(frozen=True)
class FaultTime:
    name: str
    began: float
    ended: float


@dataclass(frozen=True)
class RunTimes:
    """`work` is what a later run would do again. Times are in seconds since 1970."""

    work: str
    status: DagsterRunStatus
    requested: float
    began: float | None
    ended: float | None

    @classmethod
    def of(cls, record: RunRecord) -> "RunTimes":
        run = record.dagster_run
        goal = run.tags.get(EVENT_TAG) if run.tags.get(WORK_TAG) == "clips" else None
        requested = record.create_timestamp.timestamp()
        return cls(goal or run.job_name, run.status, requested, record.start_time, record.end_time)


def recovery_rows(faults: Sequence[FaultTime], runs: Sequence[RunTimes]) -> list[Row]:
    """A run belongs to the last fault that began before it failed."""
    until = [*(fault.began for fault in faults[1:]), float("inf")]
    return [_row(fault, end, runs) for fault, end in zip(faults, until, strict=True)]


def _row(fault: FaultTime, until: float, runs: Sequence[RunTimes]) -> Row:
    failed = [
        run
        for run in runs
        if run.status == DagsterRunStatus.FAILURE and fault.began <= (run.ended or 0) < until
    ]
    again = [_requested_again(run, runs) for run in failed]
    missing = sum(one is None for one in again)
    found = [one - fault.began for one in again if one is not None]
    successes = [
        run.ended
        for run in runs
        if run.status == DagsterRunStatus.SUCCESS
        and run.ended is not None
        and (run.began or 0) > fault.ended
    ]
    return {
        "fault": fault.name,
        "failed": len(failed),
        "known": _span([(run.ended or 0) - fault.began for run in failed]),
        "again": _span(found) + (f", {missing} never" if missing else ""),
        "success": round(min(successes) - fault.ended, 1) if successes else "never",
    }


def _requested_again(failed: RunTimes, runs: Sequence[RunTimes]) -> float | None:
    """A run of the same work that was requested before, and waited, takes its place too."""
    later = [
        run.requested
        for run in runs
        if run.work == failed.work and run.requested > failed.requested and run is not failed
    ]
    return max(min(later), failed.ended or 0) if later else None


def _span(seconds: Sequence[float]) -> str:
    if not seconds:
        return "–"
    low, high = round(min(seconds), 1), round(max(seconds), 1)
    return f"{low:g}" if low == high else f"{low:g}–{high:g}"
