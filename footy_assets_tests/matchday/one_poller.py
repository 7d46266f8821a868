"""A separate process that polls and may be killed between two writes.

`python -m footy_assets_tests.matchday.one_poller URI DATABASE SIM_URL CLOCK CYCLES [KILL_AT]`
exits without cleanup before its write number KILL_AT.
"""

import os
import sys
from datetime import datetime

from pymongo import MongoClient, monitoring

from footy_assets.clock import ManualClock
from footy_assets.matchday.monitor import run_cycle
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets_tests.policies import polling_policy
from resources.api_football.client import ApiFootball

WRITES = ("insert", "update", "delete", "commitTransaction")
KILLED = 77


class Killed(BaseException):
    """Stands for the death of the process; no `except Exception` catches it."""


class KillAtWrite(monitoring.CommandListener):
    """Kills before or after write number `at`; counts all writes."""

    def __init__(
        self, at: int | None = None, *, after: bool = False, exit_process: bool = False
    ) -> None:
        self.at, self.after, self.exit_process = at, after, exit_process
        self.count = 0

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        if event.command_name in WRITES:
            self.count += 1
            if not self.after and self.count == self.at:
                self.die()

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None:
        if event.command_name in WRITES and self.after and self.count == self.at:
            self.die()

    def failed(self, event: monitoring.CommandFailedEvent) -> None: ...

    def die(self) -> None:
        self.at = None
        if self.exit_process:
            os._exit(KILLED)
        raise Killed


def main(
    uri: str, database: str, sim_url: str, now: str, cycles: str, kill_at: str | None = None
) -> None:
    listener = KillAtWrite(int(kill_at) if kill_at else None, exit_process=True)
    clock = ManualClock(datetime.fromisoformat(now))
    with (
        MongoClient(uri, tz_aware=True, event_listeners=[listener]) as client,
        ApiFootball(sim_url, None) as feed,
    ):
        for _ in range(int(cycles)):
            run_cycle(MatchdayStore(client[database]), feed, clock, polling_policy())


if __name__ == "__main__":
    main(*sys.argv[1:])
