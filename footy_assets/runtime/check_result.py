"""One line of `footy doctor`."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CheckResult:
    name: str
    ok: bool
    detail: str
    fix: str = ""
    # A failed optional check does not fail `footy doctor`.
    optional: bool = False
