"""The result of an asset check, independent of Dagster."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Finding:
    passed: bool
    summary: str
    details: dict[str, Any] = field(default_factory=dict)
