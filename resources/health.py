"""The result of a server's health check."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ServerHealth:
    ok: bool
    detail: str
