"""A separate process that polls and may be killed between two writes."""

import os
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


def poll_in_process(
    uri: str, database: str, sim_url: str, now: datetime, cycles: int, kill_at: int | None = None
) -> None:
    """Exits without cleanup before its write number `kill_at`."""
    listener = KillAtWrite(kill_at, exit_process=True)
    clock = ManualClock(now)
    with (
        MongoClient(uri, tz_aware=True, event_listeners=[listener]) as client,
        ApiFootball(sim_url, None) as feed,
    ):
        for _ in range(cycles):
            run_cycle(MatchdayStore(client[database]), feed, clock, polling_policy())
