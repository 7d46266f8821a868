"""A worker of a cell whose decoder breaks on files of certain names, as damaged files break it."""

import ctypes
import socket
import time
from pathlib import Path
from typing import Any

from footy_assets.media import cell_worker
from footy_assets.media.decode import Scan, scan_if_accepted
from footy_assets.media.probe import Probe


def scan_or_break(
    path: Path, file: Any, rules: Any, stills_at: Any, limits: Any, on_progress: Any
) -> Scan | Probe:
    match path.stem:
        case "crash":
            ctypes.string_at(0)
        case "hang":
            on_progress(0.5)
            time.sleep(600)
        case "spin":
            while True:
                pass
        case "lie":
            cell_worker.scan_answer = lambda *_: {"samples": 10**9, "stills": [], "probe": {}}
        case "garbage":
            cell_worker.scan_answer = lambda *_: {"progress": "much"}
    return scan_if_accepted(path, file, rules, stills_at, limits, on_progress)


if __name__ == "__main__":
    cell_worker.load_everything()
    cell_worker.scan_if_accepted = scan_or_break
    with socket.socket(fileno=0) as connection:
        cell_worker.serve(connection)
