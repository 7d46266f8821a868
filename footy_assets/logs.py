"""Structured logs on stderr: one line per thing that happened, quiet by default."""

import logging
import sys

import structlog


def configure_logs(level: str) -> None:
    number = getattr(logging, level.upper())
    logging.basicConfig(stream=sys.stderr, level=number, format="%(message)s", force=True)
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
    )
