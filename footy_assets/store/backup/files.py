"""Files of a backup: written once, to the disk, with their checksums."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class FileSum:
    """A file's path in the backup, its size and its checksum."""

    path: str
    size: int
    sha256: str


@dataclass(slots=True)
class SummedFile:
    """A file that is being written."""

    root: Path
    path: Path
    _file: BinaryIO
    _digest: Any = field(default_factory=hashlib.sha256)
    _size: int = 0

    def write(self, content: bytes) -> None:
        self._file.write(content)
        self._digest.update(content)
        self._size += len(content)

    def sum(self) -> FileSum:
        path = self.path.relative_to(self.root).as_posix()
        return FileSum(path, self._size, self._digest.hexdigest())


@contextmanager
def summed_file(root: Path, path: Path) -> Iterator[SummedFile]:
    """At the end of the block the file is on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        yield SummedFile(root, path, file)
        file.flush()
        os.fsync(file.fileno())


def sum_of(root: Path, path: str) -> FileSum | None:
    """None if there is no such file."""
    file = root / path
    if not file.is_file():
        return None
    digest, size = hashlib.sha256(), 0
    with file.open("rb") as content:
        while chunk := content.read(CHUNK_BYTES):
            digest.update(chunk)
            size += len(chunk)
    return FileSum(path, size, digest.hexdigest())


def sync_folder(folder: Path) -> None:
    """Renamed files have their names on the disk too."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
