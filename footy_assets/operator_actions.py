"""P5: actions of operators, from the command line, Dagster's Launchpad or the API.

Every action is recorded with who and why, also when it fails.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from footy_assets.clock import Clock
from footy_assets.store.audit import AuditLog

# Recorded in the audit log when an operator gives no reason.
NO_REASON = "no reason given"


@dataclass(slots=True)
class AuditEntry:
    """The entry of an action in progress; `outcome` is written when it ends."""

    outcome: str = "done"


@dataclass(frozen=True, slots=True)
class OperatorAction:
    """Who acts, and why."""

    audit: AuditLog
    clock: Clock
    who: str
    why: str

    @contextmanager
    def recorded(self, operation: str, target: str) -> Iterator[AuditEntry]:
        entry = AuditEntry()
        entry_id = self.audit.begin(self.clock.now(), self.who, self.why, operation, target)
        try:
            yield entry
        except BaseException as error:
            entry.outcome = f"failed: {str(error) or type(error).__name__}"
            raise
        finally:
            self.audit.end(entry_id, entry.outcome)

    def signature(self) -> str:
        return f"{self.who}: {self.why}"
