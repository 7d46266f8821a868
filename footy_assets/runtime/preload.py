"""Imported by a process that forks for each run, before the first: what every run of clips needs.

The networks are loaded into it, and the processes that decode and download are started, so that no
run pays for either. Whatever fails here is done by each run for itself, which then says why.
"""

from contextlib import suppress

from footy_assets.media.cell import CELL_ENVIRONMENT, TEMPLATE
from footy_assets.media.models import load_models
from footy_assets.runtime.niceness import RUN_WORKER_NICENESS
from footy_assets.warm_processes import start_warm_process
from resources.downloads.process import DOWNLOAD_ENVIRONMENT, WORKER
from resources.worker_process import KEPT_VARIABLES

with suppress(Exception):
    load_models()
with suppress(OSError):
    start_warm_process(TEMPLATE, CELL_ENVIRONMENT, niceness=RUN_WORKER_NICENESS)
    start_warm_process(WORKER, DOWNLOAD_ENVIRONMENT, KEPT_VARIABLES, RUN_WORKER_NICENESS)
