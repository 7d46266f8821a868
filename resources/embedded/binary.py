"""Finds an embedded server's binary: in an installed wheel, else on PATH."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from footy_assets.errors import BinaryMissing


def find_binary(name: str, candidates: Iterable[Path], fix: str) -> Path:
    for candidate in candidates:
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate
    on_path = shutil.which(name)
    if on_path:
        return Path(on_path)
    raise BinaryMissing(f"{name} is not installed on this machine", fix)
