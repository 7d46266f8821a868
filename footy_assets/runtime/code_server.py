"""Dagster's code server, whose run workers yield to its sensors."""

import os

RUN_WORKER_NICENESS = 10

# A run worker is spawned from here: it loads this file again, under this name, before all else.
if __name__ == "__mp_main__":
    os.nice(RUN_WORKER_NICENESS)

if __name__ == "__main__":
    import runpy

    runpy.run_module("dagster", run_name="__main__", alter_sys=False)
