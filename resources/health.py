"""The result of a server's health check."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Health:
    ok: bool
    detail: str
