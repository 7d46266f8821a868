"""A separate process that runs all three stages and may be killed between two writes.

It kills itself (SIGKILL) right before its write number `kill_at`; without one, it reports how many
writes it made. `rows` is the number of rows per transaction: with 1, a snapshot is written in as
many parts as it has rows. Workers are forked from a process that has loaded all modules once.
"""

import os
import signal
from collections.abc import Callable, Sequence
from contextlib import closing
from multiprocessing.connection import Connection

from pymongo import MongoClient, monitoring
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.store.collections import Document
from footy_assets.triggers.evaluate import Evaluator
from footy_assets.triggers.messages import Messages
from footy_assets.triggers.notify import Notifier, Subscriber
from footy_assets.triggers.rules.snapshot import Snapshot
from footy_assets.triggers.store import evaluation as trigger_evaluation
from footy_assets.triggers.store.outbox import Outbox
from footy_assets.triggers.store.snapshots import SnapshotStore
from footy_assets_tests.forked import forking
from footy_assets_tests.triggers.rules.builders import KICKOFF, snap
from resources.notify.channels import ChannelSubscriber
from resources.notify.client import HttpSubscriber

WRITES = ("insert", "update", "delete", "findAndModify", "commitTransaction")
SNAPSHOTS = [
    snap(1, goal__team="home"),
    snap(2, goal__team="away"),
    snap(3, goal__team="home", goal__player=234, replaces="s1"),
    snap(4, var__outcome="goal cancelled", cancels="s3"),
    snap(5, goal__team="home"),
]
# A lease of a dead worker expires after this.
HELD_SECONDS = 0.2


class KilledAtWrite(monitoring.CommandListener):
    def __init__(self, at: int | None) -> None:
        self.at, self.count = at, 0

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        if event.command_name in WRITES:
            self.count += 1
            if self.count == self.at:
                os.kill(os.getpid(), signal.SIGKILL)

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None: ...

    def failed(self, event: monitoring.CommandFailedEvent) -> None: ...


Stages = Callable[[Database[Document]], None]


def all_stages(database: Database[Document]) -> None:
    to = HttpSubscriber(5.0, private_addresses=True)
    _run_stages(database, to, (SNAPSHOTS[:2], SNAPSHOTS[2:]))


def stages_with_a_channel(database: Database[Document]) -> None:
    with closing(channel_subscriber()) as to:
        stages_with(database, to)


def channel_subscriber() -> ChannelSubscriber:
    return ChannelSubscriber(5.0, private_addresses=True)


def stages_with(database: Database[Document], to: Subscriber) -> None:
    _run_stages(database, to, (SNAPSHOTS[:1], SNAPSHOTS[4:]))


def _run_stages(
    database: Database[Document], to: Subscriber, rounds: Sequence[Sequence[Snapshot]]
) -> None:
    """Two rounds, so that a queue left by the first is processed with new snapshots."""
    clock = ManualClock(KICKOFF)
    evaluator = Evaluator(database, clock)
    outbox = Outbox(database, HELD_SECONDS)
    describe = Messages(database, "http://gallery.test").describe
    for some in rounds:
        SnapshotStore(database).store(some)
        evaluator.run()
        Notifier(outbox, to, clock, describe).run()


def work(
    uri: str, name: str, rows: int, kill_at: int | None, stages: Stages, writes: Connection
) -> None:
    trigger_evaluation.ROWS_AT_ONCE = rows
    listener = KilledAtWrite(kill_at)
    try:
        with MongoClient[Document](uri, tz_aware=True, event_listeners=[listener]) as client:
            stages(client[name])
    except Exception as error:
        writes.send(repr(error))
        raise
    writes.send(listener.count)


def worker(
    uri: str, name: str, rows: int, kill_at: int | None = None, stages: Stages = all_stages
) -> int | None:
    """The number of writes that the worker made; None if it was killed.

    Reported through its pipe: exit codes are not safe to read from several threads.
    """
    context = forking()
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(uri, name, rows, kill_at, stages, theirs))
    process.start()
    theirs.close()
    try:
        outcome = ours.recv() if ours.poll(60) else "nothing within 60 s"
    except EOFError:
        outcome = None
    process.kill()
    process.join()
    assert not isinstance(outcome, str), outcome
    return outcome
