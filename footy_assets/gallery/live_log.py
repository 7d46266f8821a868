"""The latest changes in order. Every reader keeps its own position in them."""

import json
from dataclasses import dataclass
from typing import Literal

Kind = Literal["fixture", "goal", "clip", "triggers"]


@dataclass(frozen=True, slots=True)
class Change:
    """A match, goal or clip changed, or triggers were evaluated. `token` is MongoDB's resume token.

    It names what to reload, not the content, so sending it twice does no harm.
    """

    token: str
    kind: Kind
    fixture_id: int | None
    matchday: str | None
    wire: bytes

    @classmethod
    def of(
        cls,
        token: str,
        kind: Kind,
        fixture_id: int | None,
        matchday: str | None,
        spread_ms: int = 0,
    ) -> "Change":
        """`spread_ms` is the time over which viewers spread their reloads."""
        fields = {"kind": kind, "fixture": fixture_id, "day": matchday, "spread_ms": spread_ms}
        data = json.dumps(fields, separators=(",", ":"))
        wire = f"id: {token}\nevent: change\ndata: {data}\n\n".encode()
        return cls(token, kind, fixture_id, matchday, wire)

    def concerns(self, fixture_id: int | None) -> bool:
        """A change without a match concerns every reader, and so do triggers: people follow other
        matches than the one they look at."""
        return (
            self.kind == "triggers" or fixture_id is None or self.fixture_id in (None, fixture_id)
        )


class LiveLog:
    """A reader is the position of the next change it has not seen, so a slow one delays nobody."""

    def __init__(self, keep: int = 4096) -> None:
        self._keep = keep
        self._changes: list[Change] = []
        self._first = 0
        # The token just before the first change in the log.
        self._floor: str | None = None
        self._latest: str | None = None

    @property
    def next(self) -> int:
        return self._first + len(self._changes)

    @property
    def floor(self) -> str | None:
        return self._floor

    @property
    def latest(self) -> str | None:
        """The token with which a reader reconnects."""
        return self._latest

    def begin(self, token: str) -> None:
        """Starts the log anew at this token; earlier readers may have missed changes."""
        self._first = self.next + 1
        self._changes.clear()
        self._floor = self._latest = token

    def append(self, change: Change) -> None:
        self._changes.append(change)
        self._latest = change.token
        if len(self._changes) >= 2 * self._keep:
            self._floor = self._changes[self._keep - 1].token
            del self._changes[: self._keep]
            self._first += self._keep

    def reached(self, token: str) -> None:
        """No change up to this token concerns a page."""
        if self._latest is None or token > self._latest:
            self._latest = token

    def after(self, place: int) -> list[Change] | None:
        """The changes from this position on; None for a reader that fell too far behind."""
        return self._changes[place - self._first :] if place >= self._first else None

    def place_after(self, token: str) -> int | None:
        """The position of a reader that has seen everything up to this token.

        None if the token is too old, or from the future. MongoDB's tokens sort by time.
        """
        if self._floor is None or self._latest is None or not self._floor <= token <= self._latest:
            return None
        back = 0
        for change in reversed(self._changes):
            if change.token <= token:
                break
            back += 1
        return self.next - back
