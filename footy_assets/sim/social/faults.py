"""Faults of the simulated site; thread-safe."""

from dataclasses import dataclass, field
from threading import Lock
from typing import Literal

# How the timeline's JSON call goes; "silent" makes none. With anything but "ok" the page comes
# with its posts in it.
Timeline = Literal["ok", "fails", "garbled", "unknown_shape", "silent"]
# What a visitor without a login meets.
Wall = Literal["redirect", "form", "refused_call", "blank"]


@dataclass
class SiteFaults:
    """`rate_limit` timeline calls are answered, then 429 until it is raised; `end_sessions_after`
    so many calls every session ends; `slow` holds each answer back, in seconds of the wall."""

    timeline: Timeline = "ok"
    wall: Wall = "redirect"
    slow: float = 0.0
    rate_limit: int | None = None
    end_sessions_after: int | None = None
    bluesky_status: int | None = None
    bluesky_pages: bool = True
    _lock: Lock = field(default_factory=Lock, repr=False)

    def spend_call(self) -> bool:
        """Whether one more timeline call is within the rate limit."""
        with self._lock:
            if self.rate_limit is None:
                return True
            self.rate_limit -= 1
            return self.rate_limit >= 0

    def session_ends_now(self) -> bool:
        with self._lock:
            if self.end_sessions_after is None:
                return False
            self.end_sessions_after -= 1
            if self.end_sessions_after >= 0:
                return False
            self.end_sessions_after = None
            return True
