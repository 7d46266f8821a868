"""A3: remembers for a minute that a provider does not have a match, to save requests."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

REMEMBERED_FOR = timedelta(seconds=60)


@dataclass(slots=True)
class NotFoundCache:
    _until: dict[tuple[str, int], datetime] = field(default_factory=dict)

    def add(self, domain: str, match_id: int, now: datetime) -> None:
        self._until = {key: until for key, until in self._until.items() if until > now}
        self._until[domain, match_id] = now + REMEMBERED_FOR

    def contains(self, domain: str, match_id: int, now: datetime) -> bool:
        until = self._until.get((domain, match_id))
        return until is not None and now < until
