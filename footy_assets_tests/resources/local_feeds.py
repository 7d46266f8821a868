"""Feeds for tests without a database."""

from copy import deepcopy
from typing import Any


class LocalFeeds:
    """For one process."""

    def __init__(self) -> None:
        self._feeds: dict[str, dict[str, Any]] = {}

    def load(self, name: str) -> dict[str, Any] | None:
        return deepcopy(self._feeds.get(name))

    def save(self, name: str, feed: dict[str, Any]) -> None:
        self._feeds[name] = deepcopy(feed)
