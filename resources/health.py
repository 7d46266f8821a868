"""The result of a server's health check."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Health:
    ok: bool
    detail: str
    latency_ms: float | None = None
    version: str | None = None
    is_replica_set: bool | None = None
