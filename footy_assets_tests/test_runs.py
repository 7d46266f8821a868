"""Which runs keep a sensor from requesting the next one."""

import pytest
from dagster import DagsterInstance, DagsterRunStatus

from footy_assets.runs import has_active_run
from footy_assets_tests.runs import stored_run


@pytest.mark.parametrize(
    ("status", "active"),
    [
        (DagsterRunStatus.STARTING, True),
        (DagsterRunStatus.STARTED, True),
        (DagsterRunStatus.CANCELING, True),
        (DagsterRunStatus.SUCCESS, False),
        # The daemon was killed before it queued the run, and nobody will.
        (DagsterRunStatus.NOT_STARTED, False),
    ],
)
def test_a_run_that_was_never_queued_is_not_active(status: DagsterRunStatus, active: bool) -> None:
    with DagsterInstance.ephemeral() as instance:
        run = stored_run(instance, status=status)
        assert has_active_run(instance, run.job_name) == active
