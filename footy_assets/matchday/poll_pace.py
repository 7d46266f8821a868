"""When the next live poll may start, given the quota and the clock (F7)."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime, timedelta

from footy_assets.clock import Clock
from footy_assets.matchday.monitor import CycleReport
from footy_assets.matchday.rules.pace import Quota, poll_interval

# With an accelerated clock, one tick makes as many polls as fit into this many seconds.
ACCELERATED_TICK_SECONDS = 14.5
# How early a poll may start: after a late tick, each tick catches up by this much.
EARLY_SECONDS = 1.0


def tick_seconds(poll_seconds: float, speed: float) -> int:
    """Dagster evaluates sensors every 5 s: 29 keeps 30 s polls 29.6 to 30.1 s apart."""
    return max(1, int(poll_seconds) - 1) if speed == 1 else 1


class PollPace:
    """The last poll and the provider's quota, stored in the sensor's cursor."""

    def __init__(self, last: datetime | None, quota: Quota | None, calls: int) -> None:
        self.last, self.quota, self.calls = last, quota, calls

    @classmethod
    def from_cursor(cls, cursor: str | None) -> "PollPace":
        stored = json.loads(cursor) if cursor else {}
        return cls(
            datetime.fromisoformat(stored["last"]) if stored.get("last") else None,
            Quota(**stored["quota"]) if stored.get("quota") else None,
            stored.get("calls", 0),
        )

    def to_cursor(self) -> str:
        return json.dumps(
            {
                "last": self.last.isoformat() if self.last else None,
                "quota": asdict(self.quota) if self.quota else None,
                "calls": self.calls,
            }
        )

    def record(self, report: CycleReport) -> None:
        self.last = report.poll.at
        self.quota = report.quota or self.quota
        self.calls = report.calls

    def record_extra(self, report: CycleReport) -> None:
        """F11: an extra poll delays no ordinary one; the quota is what it left."""
        self.quota = report.quota or self.quota

    def wait(self, now: datetime, base: float) -> float:
        """Seconds until the next poll may start."""
        if self.last is None or self.last > now:
            return 0.0
        interval = poll_interval(base, self.quota, self.calls, now)
        return max(0.0, interval - (now - self.last).total_seconds())


def polls_in_this_tick(clock: Clock, pace: PollPace, base: float) -> Iterator[None]:
    """One poll in real time, unless the quota says to wait; several with an accelerated clock."""
    if clock.speed == 1:
        # After a late tick the next one waits a little and still polls.
        if (wait := pace.wait(clock.now(), base)) <= base / 2:
            clock.sleep(max(0.0, wait - EARLY_SECONDS))
            yield
        return
    ends = clock.now() + timedelta(seconds=ACCELERATED_TICK_SECONDS * clock.speed)
    while clock.now() + timedelta(seconds=(wait := pace.wait(clock.now(), base))) < ends:
        clock.sleep(wait)
        yield
