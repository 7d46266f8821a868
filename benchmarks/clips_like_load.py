"""The project's code location, with runs that keep the run queue and all cores busy.

They imitate runs of `clips_job`: the same code server starts them in the same code location, and
each decodes and hashes frames for about ten CPU seconds.
"""

import hashlib
import os
import time
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import dagster as dg
import numpy as np

from footy_assets import definitions as project
from footy_assets.run_labels import LABEL_TAG

JOB_NAME = "clips_like"
CPU_SECONDS = 10.0
# FFmpeg decodes a clip on every core.
THREADS = os.cpu_count() or 1
FRAME = (1080, 1920)
# More than dagster.yaml allows at once, so that the queue is never empty.
QUEUED_AHEAD = 8
SENSOR_INTERVAL_SECONDS = 5


@dg.op(description="Makes, shrinks and hashes frames until the CPU seconds are used up.")
def decode_and_hash(context: dg.OpExecutionContext) -> None:
    until = time.process_time() + CPU_SECONDS
    with ThreadPoolExecutor(THREADS) as threads:
        frames = sum(threads.map(_frames_until, [until] * THREADS))
    context.add_output_metadata({"frames": frames})


def _frames_until(until: float) -> int:
    random, frames = np.random.default_rng(), 0
    while time.process_time() < until:
        frame = random.integers(0, 256, FRAME, dtype=np.uint8)
        small = frame.reshape(135, 8, 240, 8).mean(axis=(1, 3))
        np.packbits(small[:, 1:] > small[:, :-1])
        hashlib.md5(frame.tobytes(), usedforsecurity=False)
        frames += 1
    return frames


@dg.job(name=JOB_NAME, executor_def=dg.in_process_executor)
def clips_like() -> None:
    decode_and_hash()


@dg.sensor(
    job=clips_like,
    minimum_interval_seconds=SENSOR_INTERVAL_SECONDS,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def keep_the_queue_full(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    waiting = dg.RunsFilter(job_name=JOB_NAME, statuses=[dg.DagsterRunStatus.QUEUED])
    missing = QUEUED_AHEAD - context.instance.get_runs_count(waiting)
    return dg.SensorResult(
        run_requests=[
            dg.RunRequest(tags={LABEL_TAG: "clips-like", "footy/event": f"load-{uuid4().hex}"})
            for _ in range(missing)
        ]
    )


@dg.definitions
def defs() -> dg.Definitions:
    load = dg.Definitions(jobs=[clips_like], sensors=[keep_the_queue_full])
    return dg.Definitions.merge(project.defs(), load)
