"""A3: "not found" is remembered for a minute, so that nobody asks for it again and again."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

REMEMBERED = timedelta(seconds=60)


@dataclass(slots=True)
class NotFoundMemory:
    _until: dict[tuple[str, int], datetime] = field(default_factory=dict)

    def note(self, domain: str, match_id: int, now: datetime) -> None:
        self._until = {key: until for key, until in self._until.items() if until > now}
        self._until[domain, match_id] = now + REMEMBERED

    def remembers(self, domain: str, match_id: int, now: datetime) -> bool:
        until = self._until.get((domain, match_id))
        return until is not None and now < until
