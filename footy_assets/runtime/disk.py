"""A full disk is waited out: nothing is started on it, and all goes on when there is room."""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

MEBIBYTE = 1024 * 1024
# MongoDB writes its journal in files of up to 32 MB.
FULL_BELOW_MIB = 48
ROOM_FROM_MIB = 96
LOOK_SECONDS = 1.0


@dataclass
class DiskGuard:
    """Says when the disk of a folder is full, and when it has room again."""

    folder: Path
    on_progress: Callable[[str], None] = lambda _: None
    is_full: bool = False

    def free_mib(self) -> int:
        nearest = next(path for path in (self.folder, *self.folder.parents) if path.exists())
        usage = shutil.disk_usage(nearest)
        # The kernel's own file systems, such as /proc, have no size: they are not full.
        return usage.free // MEBIBYTE if usage.total else ROOM_FROM_MIB

    def look(self) -> bool:
        """True while the disk is full."""
        free = self.free_mib()
        if not self.is_full and free < FULL_BELOW_MIB:
            self.is_full = True
            self.on_progress(
                f"The disk is full: {free} MiB free at {self.folder}. "
                f"Waiting until {ROOM_FROM_MIB} MiB are free."
            )
        elif self.is_full and free >= ROOM_FROM_MIB:
            self.is_full = False
            self.on_progress(f"The disk has room again ({free} MiB): going on")
        return self.is_full

    def wait(self, stopped: Callable[[], bool]) -> None:
        """Returns when there is room, or when stopped."""
        while self.look() and not stopped():
            time.sleep(LOOK_SECONDS)
