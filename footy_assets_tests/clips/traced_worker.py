"""A separate process that runs the clip pipeline of a goal with traces."""

import os
from collections.abc import Mapping

from footy_assets.tracing import ENDPOINT, start_tracing, stop_tracing
from footy_assets_tests.clips.one_clip_worker import work_on_clips


def work_with_traces(options: Mapping[str, str], endpoint: str) -> None:
    os.environ[ENDPOINT] = endpoint
    start_tracing("another process")
    work_on_clips(options)
    stop_tracing()
