"""Reads video files in a process of its own, which can do nothing else.

The file is opened here and handed over; `confinement` has the limits. What goes wrong in there is
a `VideoUnreadable` of that file, even if the decoder crashes.
"""

import json
import os
import select
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

from footy_assets.clean_process import start_clean_process
from footy_assets.clip_limits import ClipRules
from footy_assets.errors import FootyError, Stalled
from footy_assets.media import cell_messages, cell_template, cell_worker
from footy_assets.media.cell_messages import AnswerInvalid
from footy_assets.media.confinement import ProcessLimits
from footy_assets.media.decode import Progress, Scan
from footy_assets.media.errors import CellUnavailable, UnreadableReason, VideoUnreadable
from footy_assets.media.playable import PlayableFile
from footy_assets.media.probe import LIMITS, DecodeLimits, Probe, open_file
from footy_assets.media.rendition import RenditionFile
from footy_assets.warm_processes import hand_over

# Beyond the time that decoding may take by itself: copying pictures, a machine under load.
EXTRA_SECONDS = 30.0
END_SECONDS = 5.0
READ_BYTES = 65_536
CELL_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1"}
# Forks a process that decodes for each cell, where one was started beforehand.
TEMPLATE = cell_template.__name__
# Signals of a decoder that broke. Others come from outside: nothing is known against the file.
CRASHES = {signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL,
           signal.SIGTRAP, signal.SIGSYS}  # fmt: skip


class DecodingCell:
    """Starts its process at the first use, or by `start`, and ends it with the `with` block.

    Several threads may use it; each has a process of its own meanwhile.
    """

    def __init__(
        self,
        limits: DecodeLimits = LIMITS,
        process_limits: ProcessLimits | None = None,
        worker: str = cell_worker.__name__,
    ) -> None:
        """`worker` is the module that decodes."""
        self._module = worker
        self._limits = limits
        cpu_seconds = round(limits.max_wall_seconds) + 10
        self._process_limits = process_limits or ProcessLimits(cpu_seconds=cpu_seconds)
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._lock = Lock()
        self._closed = False
        # The most memory that any file took, in bytes, with what its process shares with others.
        self.peak_memory = 0

    def __enter__(self) -> "DecodingCell":
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._closed = True
            workers = [*self._idle, *self._busy]
            self._idle.clear()
        for worker in workers:
            worker.end()

    def start(self) -> None:
        """Start the process now, so that the first file does not wait for it."""
        self._put_back(self._take())

    def probe(self, path: Path) -> Probe:
        with open_file(path) as file:
            answer = self._read(path, file, {"work": "probe"})
        try:
            return cell_messages.read_probe(answer)
        except AnswerInvalid as error:
            raise _crashed(path, str(error)) from error

    def scan(
        self, path: Path, stills_at: Sequence[float] = (), on_progress: Progress | None = None
    ) -> Scan:
        found = self._scan(path, None, stills_at, on_progress)
        assert isinstance(found, Scan)
        return found

    def scan_if_accepted(
        self,
        path: Path,
        rules: ClipRules,
        stills_at: Sequence[float] = (),
        on_progress: Progress | None = None,
    ) -> Scan | Probe:
        """Only the probe of a file that breaks the rules, which is then not decoded."""
        return self._scan(path, rules, stills_at, on_progress)

    def _scan(
        self,
        path: Path,
        rules: ClipRules | None,
        stills_at: Sequence[float],
        on_progress: Progress | None,
    ) -> Scan | Probe:
        request = {
            "work": "scan",
            "stills_at": list(stills_at),
            "rules": asdict(rules) if rules else None,
        }
        with open_file(path) as file, _memory_file() as pictures:
            answer = self._read(path, file, request, pictures, on_progress)
            try:
                if rules is not None and "samples" not in answer:
                    return cell_messages.read_probe(answer)
                return cell_messages.read_scan(
                    answer, pictures.fileno(), self._limits, len(stills_at)
                )
            except AnswerInvalid as error:
                raise _crashed(path, str(error)) from error

    def make_playable(
        self, path: Path, output: Path, on_progress: Progress | None = None
    ) -> PlayableFile:
        """D4: the MP4 of a file that plays everywhere. The output is opened here too, and read
        again in another copy: what it is does not depend on what the one that wrote it says."""
        request = {"work": "make_playable"}
        with open_file(path) as file, output.open("w+b", buffering=0) as written:
            answer = self._read(path, file, request, written, on_progress)
            try:
                length = os.fstat(written.fileno()).st_size
                method, size = cell_messages.read_playable(answer, length)
            except AnswerInvalid as error:
                raise _crashed(path, str(error)) from error
            written.truncate(size)
        if not method.writes:
            output.unlink()
            return PlayableFile(path, method, self.probe(path))
        return PlayableFile(output, method, self.probe(output))

    def make_rendition(
        self, path: Path, output: Path, on_progress: Progress | None = None
    ) -> RenditionFile:
        """D6: the pictures of a file as they are, in an MP4 that is read again in another copy."""
        try:
            with open_file(path) as file, output.open("w+b", buffering=0) as written:
                answer = self._read(path, file, {"work": "make_rendition"}, written, on_progress)
                length = os.fstat(written.fileno()).st_size
                written.truncate(cell_messages.read_written(answer, length))
            with open_file(output) as file:
                answer = self._read(output, file, {"work": "describe_rendition"})
            probe, codec, codecs = cell_messages.read_rendition(answer)
        except AnswerInvalid as error:
            raise _crashed(path, str(error)) from error
        return RenditionFile(output, codec, codecs, probe)

    def protections(self) -> tuple[str, ...]:
        """What the system holds a cell to, for people to read."""
        with Path(os.devnull).open("rb") as nothing, self._worker() as worker:
            reply = worker.ask(
                {"work": "protections", "process_limits": asdict(self._process_limits)},
                (nothing.fileno(), nothing.fileno()),
                EXTRA_SECONDS,
            )
        if reply.status != 0 or reply.answer is None:
            raise CellUnavailable(f"a process to decode in ended with {reply.status}")
        return tuple(str(one) for one in reply.answer.get("protections", ()))

    def _read(
        self,
        path: Path,
        file: BinaryIO,
        request: Mapping[str, Any],
        output: BinaryIO | None = None,
        on_progress: Progress | None = None,
    ) -> dict[str, Any]:
        whole = {
            **request,
            "name": path.name,
            "limits": asdict(self._limits),
            "process_limits": asdict(self._process_limits),
        }
        files = file.fileno(), (output or file).fileno()
        seconds = self._limits.max_wall_seconds + EXTRA_SECONDS
        try:
            with self._worker() as worker:
                reply = worker.ask(whole, files, seconds, on_progress)
        except TimeoutError as error:
            detail = f"not decoded within {seconds:.0f} s"
            raise VideoUnreadable(path, UnreadableReason.TOO_SLOW, detail) from error
        except AnswerInvalid as error:
            raise _crashed(path, str(error)) from error
        self.peak_memory = max(self.peak_memory, reply.peak)
        if reply.status != 0 or reply.answer is None:
            raise _error_of(path, reply.status)
        if "unreadable" in reply.answer:
            raise cell_messages.read_unreadable(reply.answer, path)
        if "unwritable" in reply.answer:
            raise cell_messages.read_unwritable(reply.answer)
        return reply.answer

    @contextmanager
    def _worker(self) -> Iterator["_Worker"]:
        worker = self._take()
        try:
            yield worker
        except BaseException:
            with self._lock:
                self._busy.discard(worker)
            worker.end()
            raise
        self._put_back(worker)

    def _take(self) -> "_Worker":
        with self._lock:
            if self._closed:
                raise CellUnavailable("the decoding cell is closed")
            while self._idle:
                worker = self._idle.pop()
                if worker.alive:
                    break
                worker.end()
            else:
                worker = _Worker(self._module)
            self._busy.add(worker)
            return worker

    def _put_back(self, worker: "_Worker") -> None:
        with self._lock:
            self._busy.discard(worker)
            if not self._closed:
                self._idle.append(worker)
                return
        worker.end()


@dataclass(frozen=True, slots=True)
class _Reply:
    """The last message of a copy, its exit code, and the most memory that it had."""

    answer: dict[str, Any] | None
    status: int
    peak: int


class _Worker:
    """A process of `cell_worker`, which forks for each request."""

    def __init__(self, module: str) -> None:
        ours, theirs = socket.socketpair()
        # A fork of the template ends with the connection.
        self._process: subprocess.Popen[bytes] | None = None
        try:
            with theirs:
                if module != cell_worker.__name__ or not hand_over(TEMPLATE, theirs):
                    self._process = start_clean_process(module, theirs, CELL_ENVIRONMENT)
        except OSError as error:
            ours.close()
            raise CellUnavailable(f"no process to decode in ({error.strerror})") from error
        self._connection = ours

    @property
    def alive(self) -> bool:
        """Between two requests it says nothing: what can be read then is the end."""
        return not select.select([self._connection], [], [], 0)[0]

    def ask(
        self,
        request: Mapping[str, Any],
        files: tuple[int, int],
        seconds: float,
        on_progress: Progress | None = None,
    ) -> _Reply:
        """Raises `TimeoutError`, and `Stalled` if the process is gone."""
        deadline = time.monotonic() + seconds
        reading, writing = os.pipe()
        try:
            try:
                socket.send_fds(self._connection, [json.dumps(request).encode()], [*files, writing])
            finally:
                os.close(writing)
            answer = None
            for message in _messages(reading, deadline):
                if "progress" not in message:
                    answer = message
                elif on_progress is not None:
                    on_progress(min(1.0, max(0.0, float(message["progress"]))))
            ended = self._how_it_ended(deadline)
            return _Reply(answer, int(ended["status"]), int(ended["peak"]))
        except (BrokenPipeError, ConnectionResetError) as error:
            raise Stalled("the process that decodes ended") from error
        finally:
            os.close(reading)

    def _how_it_ended(self, deadline: float) -> dict[str, Any]:
        self._connection.settimeout(max(0.1, deadline - time.monotonic()))
        said = self._connection.recv(READ_BYTES)
        if not said:
            raise Stalled("the process that decodes ended")
        ended: dict[str, Any] = json.loads(said)
        return ended

    def end(self) -> None:
        """With everything it forked. A second call changes nothing."""
        self._connection.close()
        if self._process is None:
            return
        if self._process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(END_SECONDS)


def _messages(pipe: int, deadline: float) -> Iterator[dict[str, Any]]:
    """The messages of a copy until it ends. Raises `TimeoutError` after the deadline."""
    received, size = b"", 0
    while True:
        ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise TimeoutError
        content = os.read(pipe, READ_BYTES)
        if not content:
            return
        *lines, received = (received + content).split(b"\n")
        for line in lines:
            yield _message(line)
        size = len(received)
        if size > cell_messages.MAX_ANSWER_BYTES:
            raise AnswerInvalid("an endless answer")


def _message(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
        if isinstance(message, dict) and float(message.get("progress", 0)) >= 0:
            return message
    except (ValueError, TypeError, RecursionError) as error:
        raise AnswerInvalid("an answer that is not JSON") from error
    raise AnswerInvalid("an answer of another form")


def _error_of(path: Path, status: int) -> FootyError:
    """Why a copy ended without an answer."""
    if status == -signal.SIGXCPU:
        detail = "takes more time to decode than a video may"
        return VideoUnreadable(path, UnreadableReason.TOO_SLOW, detail)
    if status < 0 and -status not in CRASHES:
        return Stalled(f"{path.name}: the process that decodes was ended by signal {-status}")
    return _crashed(path, f"signal {-status}" if status < 0 else f"exit code {status}")


def _crashed(path: Path, detail: str) -> VideoUnreadable:
    detail = f"the decoder crashed on it ({detail})"
    return VideoUnreadable(path, UnreadableReason.DECODER_CRASHED, detail)


def _memory_file() -> BinaryIO:
    """A file without a name, in memory where the system can."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("pictures"), "w+b", buffering=0)
    return tempfile.TemporaryFile(buffering=0)
