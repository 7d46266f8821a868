"""Dagster's code server, whose run workers start at once and yield to its sensors.

Dagster spawns a fresh interpreter for each run, which loads Dagster and this project again: four to
seven seconds of a core, more than most runs take. Here they fork from a process that has loaded
both and has done nothing else.
"""

import os

from footy_assets.runtime.niceness import RUN_WORKER_NICENESS

# What every run needs. None of it starts a thread, which a fork would not survive.
PRELOADED = [
    "footy_assets.definitions",
    "footy_assets.dagster_internals",
    "playwright.sync_api",
    "scipy.fft",
]
# And what runs of clips need.
PRELOADED_FOR_CLIPS = [*PRELOADED, "footy_assets.runtime.preload"]

# A run worker loads this file again, under this name, before all else.
if __name__ == "__mp_main__":
    os.nice(RUN_WORKER_NICENESS)


if __name__ == "__main__":
    import runpy

    # BLAS would start threads as it is loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from footy_assets.dagster_internals import (
        RUN_WORKER_MODULE,
        fork_run_workers,
        keep_noticing_dead_workers,
    )

    fork_run_workers([*PRELOADED_FOR_CLIPS, RUN_WORKER_MODULE])
    keep_noticing_dead_workers()
    runpy.run_module("dagster", run_name="__main__", alter_sys=False)
