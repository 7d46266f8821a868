"""Structured logs on stderr: one line per thing that happened, quiet by default."""

import logging
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import structlog

_log = structlog.get_logger()


def configure_logs(level: str) -> None:
    """For processes of our own; stdout stays free for what a command prints."""
    number = getattr(logging, level.upper())
    logging.basicConfig(stream=sys.stderr, level=number, format="%(message)s", force=True)
    configure_structured_logs(level)


def configure_structured_logs(level: str) -> None:
    """For processes whose plain logging is another's business, as Dagster's."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        # Looked up for each line: whoever runs us may replace it.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
    )


class Stage(StrEnum):
    """P2: where on its way from the feed to S3 something happened."""

    MONITOR = "MONITOR"
    ALIASES = "ALIASES"
    SEARCH = "SEARCH"
    DOWNLOAD = "DOWNLOAD"
    VALIDATE = "VALIDATE"
    HASH = "HASH"
    DEDUP = "DEDUP"
    UPLOAD = "UPLOAD"
    HISTORY = "HISTORY"


Tell = Callable[[str], None]


def tell_nobody(line: str) -> None: ...


@dataclass(frozen=True, slots=True)
class StageLog:
    """P2: lines that all name their stage and ids. `tell` gets them as text: a run's own log."""

    stage: Stage
    tell: Tell = tell_nobody
    ids: Mapping[str, Any] = field(default_factory=dict)

    def of(self, **ids: Any) -> "StageLog":
        return replace(self, ids={**self.ids, **ids})

    def at(self, stage: Stage) -> "StageLog":
        return replace(self, stage=stage)

    @contextmanager
    def bound(self) -> Iterator[None]:
        """Whatever is logged meanwhile, by whomever, names the stage and the ids too."""
        with structlog.contextvars.bound_contextvars(stage=str(self.stage), **self.ids):
            yield

    def info(self, happened: str, **facts: Any) -> None:
        self._line("info", happened, facts)

    def warning(self, happened: str, **facts: Any) -> None:
        self._line("warning", happened, facts)

    def error(self, happened: str, **facts: Any) -> None:
        self._line("error", happened, facts)

    def _line(self, level: str, happened: str, facts: Mapping[str, Any]) -> None:
        told = {**self.ids, **facts}
        getattr(_log, level)(happened, stage=str(self.stage), **told)
        said = " ".join(f"{name}={value}" for name, value in told.items())
        self.tell(f"{self.stage} {happened}: {said}" if said else f"{self.stage} {happened}")
