"""The interface to a provider of past seasons."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from footy_assets.errors import ProviderError
from footy_assets.history.rules.documents import DocumentRequest
from footy_assets.matchday.rules.pace import Quota


@dataclass(frozen=True, slots=True)
class Page:
    """One response, unparsed, and the total number of pages."""

    response: Any
    pages: int = 1


class HistoryFeed(Protocol):
    calls: int
    quota: Quota | None
    # How many responses carried quota headers.
    quota_readings: int

    def pages(
        self, requests: Sequence[DocumentRequest], within: float
    ) -> list[Page | ProviderError]:
        """Sends each request once; a failure is returned in its place."""
        ...
