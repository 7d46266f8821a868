"""Structured logs on stderr: one line per thing that happened, quiet by default."""

import logging
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import structlog

_log = structlog.get_logger()


def configure_logs(level: str) -> None:
    """All logging of our own processes goes to stderr; stdout is for a command's output."""
    number = getattr(logging, level.upper())
    logging.basicConfig(stream=sys.stderr, level=number, format="%(message)s", force=True)
    configure_structured_logs(level)


def configure_structured_logs(level: str) -> None:
    """Only structlog, for processes whose standard logging is configured by Dagster."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        # `sys.stderr` is looked up for each line: pytest and Dagster replace it.
        logger_factory=lambda *_: _StderrLogger(sys.stderr),
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
    )


class _StderrLogger(structlog.PrintLogger):
    """Never raises: a line that a full disk cannot take must not end the work it is about."""

    def msg(self, message: str) -> None:
        with suppress(OSError):
            super().msg(message)

    log = debug = info = warn = warning = msg
    fatal = failure = err = error = critical = exception = msg


class Stage(StrEnum):
    """P2: the stage of the pipeline that logs."""

    MONITOR = "MONITOR"
    ALIASES = "ALIASES"
    SEARCH = "SEARCH"
    DOWNLOAD = "DOWNLOAD"
    VALIDATE = "VALIDATE"
    HASH = "HASH"
    DEDUP = "DEDUP"
    UPLOAD = "UPLOAD"
    HISTORY = "HISTORY"


# Receives each line as text, for example a Dagster run's own log.
LogSink = Callable[[str], None]


def no_log(line: str) -> None: ...


@dataclass(frozen=True, slots=True)
class StageLog:
    """P2: a log whose lines all carry their stage and ids, also on their way to `sink`.

    Never raises: the log of a Dagster run may lie on a full disk, and the work must go on.
    """

    stage: Stage
    sink: LogSink = no_log
    ids: Mapping[str, Any] = field(default_factory=dict)

    def bind(self, **ids: Any) -> "StageLog":
        return replace(self, ids={**self.ids, **ids})

    def with_stage(self, stage: Stage) -> "StageLog":
        return replace(self, stage=stage)

    @contextmanager
    def bound_to_context(self) -> Iterator[None]:
        """Inside the block, lines of other loggers carry the stage and ids too."""
        with structlog.contextvars.bound_contextvars(stage=str(self.stage), **self.ids):
            yield

    def info(self, event: str, **fields: Any) -> None:
        self._log("info", event, fields)

    def warning(self, event: str, **fields: Any) -> None:
        self._log("warning", event, fields)

    def error(self, event: str, **fields: Any) -> None:
        self._log("error", event, fields)

    def _log(self, level: str, event: str, fields: Mapping[str, Any]) -> None:
        values = {**self.ids, **fields}
        getattr(_log, level)(event, stage=str(self.stage), **values)
        text = " ".join(f"{name}={value}" for name, value in values.items())
        line = f"{self.stage} {event}: {text}" if text else f"{self.stage} {event}"
        try:
            self.sink(line)
        except Exception as error:
            _log.warning("not_in_the_log_of_the_run", line=line, reason=str(error))
