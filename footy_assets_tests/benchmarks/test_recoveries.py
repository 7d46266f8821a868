"""The rows of faults: which failed runs belong to one, and when their work was requested again."""

from dagster import DagsterRunStatus

from benchmarks.recoveries import FaultTime, RunTimes, recovery_rows

FAILED, GOOD = DagsterRunStatus.FAILURE, DagsterRunStatus.SUCCESS


def test_a_failed_run_is_known_and_its_work_requested_again() -> None:
    runs = [
        RunTimes("goal", FAILED, requested=90, began=95, ended=104),
        RunTimes("goal", GOOD, requested=107, began=112, ended=130),
        RunTimes("other", GOOD, requested=90, began=95, ended=104),
        RunTimes("later", FAILED, requested=190, began=195, ended=204),
    ]
    first, second = recovery_rows([FaultTime("a", 100, 110), FaultTime("b", 200, 210)], runs)
    assert (first["failed"], first["known"], first["again"], first["success"]) == (1, "4", "7", 20)
    assert (second["failed"], second["again"], second["success"]) == (1, "–, 1 never", "never")


def test_a_run_that_waited_takes_the_place_of_the_failed_one() -> None:
    runs = [
        RunTimes("search", FAILED, requested=90, began=95, ended=126),
        RunTimes("search", GOOD, requested=120, began=127, ended=140),
    ]
    (row,) = recovery_rows([FaultTime("cut", 100, 110)], runs)
    assert (row["known"], row["again"], row["success"]) == ("26", "26", 30)
