"""Writes an MP4 with its index first into a file that is already open."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager

import av
from av.container import OutputContainer

from footy_assets.media.errors import OutputUnwritable

# Sixty seconds at 25 Mbit/s are 190 MB; the limit of a cell's files is above this.
MAX_OUTPUT_BYTES = 400 << 20
BUFFER_BYTES = 1 << 18


class OutputTooLarge(Exception):
    """An output grew beyond `MAX_OUTPUT_BYTES`."""


class Mp4Output:
    """An open file as FFmpeg writes it. What it held before is overwritten, not cut off: a confined
    process cannot shorten files. `size` is how much of it counts."""

    name = "output.mp4"

    def __init__(self, file: int) -> None:
        self._file = file
        self._at = 0
        self.size = 0
        # PyAV raises an error of its own for one that is raised here.
        self.failure: OutputTooLarge | OutputUnwritable | None = None

    def write(self, content: bytes) -> int:
        if self._at + len(content) > MAX_OUTPUT_BYTES:
            self.failure = OutputTooLarge()
            raise self.failure
        view = memoryview(content)
        while view:
            try:
                written = os.pwrite(self._file, view, self._at)
            except OSError as error:
                self.failure = OutputUnwritable(f"no MP4 can be written ({error.strerror})")
                raise self.failure from error
            self._at, view = self._at + written, view[written:]
        self.size = max(self.size, self._at)
        return len(content)

    def read(self, size: int) -> bytes:
        content = os.pread(self._file, min(size, max(0, self.size - self._at)), self._at)
        self._at += len(content)
        return content

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.size}[whence]
        self._at = start + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def clear(self) -> None:
        self._at = self.size = 0

    def reader(self) -> "Mp4Output":
        """The same file at a position of its own."""
        other = Mp4Output(self._file)
        other.size = self.size
        return other


@contextmanager
def open_mp4(output: Mp4Output) -> Iterator[OutputContainer]:
    """An MP4 without metadata, the same for the same packets. When it is closed, FFmpeg reads it
    again to move its media behind its index."""
    with av.open(
        output,
        "w",
        format="mp4",
        container_options={"movflags": "+faststart", "fflags": "+bitexact"},
        buffer_size=BUFFER_BYTES,
        io_open=lambda *_: output.reader(),
    ) as container:
        yield container
