"""Dagster's code server, whose run workers start at once and yield to its sensors.

Dagster spawns a fresh interpreter for each run, which loads Dagster and this project anew: four to
seven seconds of a core, more than most runs take. Here they fork from a process that has loaded
both and has done nothing else.
"""

import multiprocessing
import os

RUN_WORKER_NICENESS = 10
# What every run needs. None of it starts a thread, which a fork would not survive.
LOADED_BEFOREHAND = ["footy_assets.definitions", "dagster._grpc.impl", "playwright.sync_api"]

# A run worker loads this file again, under this name, before all else.
if __name__ == "__mp_main__":
    os.nice(RUN_WORKER_NICENESS)


def fork_run_workers() -> None:
    from dagster._grpc.server import DagsterApiServer

    forking = multiprocessing.get_context("forkserver")
    forking.set_forkserver_preload(LOADED_BEFOREHAND)
    # The server picks "spawn" for itself as it is made; the class's word goes before that.
    DagsterApiServer._mp_ctx = property(lambda _: forking, lambda *_: None)  # type: ignore


if __name__ == "__main__":
    import runpy

    # BLAS would start threads as it is loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    fork_run_workers()
    runpy.run_module("dagster", run_name="__main__", alter_sys=False)
