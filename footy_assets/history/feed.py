"""What the sourcing of seasons asks of a provider, whoever it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from footy_assets.errors import ProviderError
from footy_assets.history.documents import Wanted
from footy_assets.matchday.pace import Quota


@dataclass(frozen=True, slots=True)
class Page:
    """One answer as it came, and how many pages there are of it."""

    response: Any
    pages: int = 1


class HistoryFeed(Protocol):
    calls: int
    quota: Quota | None

    def pages(self, wanted: Sequence[Wanted], within: float) -> list[Page | ProviderError]:
        """Each request once; a failure is a value in its place."""
        ...
