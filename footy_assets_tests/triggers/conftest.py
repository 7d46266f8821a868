"""The three stages on a real MongoDB, with a manual clock and subscribers on loopback."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.store.collections import NOTIFICATIONS, Document
from footy_assets.triggers.evaluate import EvaluationResult, Evaluator
from footy_assets.triggers.messages import Messages
from footy_assets.triggers.notify import DeliveryCounts, Notifier, Subscriber
from footy_assets.triggers.rules.snapshot import Snapshot
from footy_assets.triggers.rules.subscription import address_kind
from footy_assets.triggers.rules.trigger import Trigger
from footy_assets.triggers.store.outbox import Outbox
from footy_assets.triggers.store.snapshots import SnapshotStore
from footy_assets.triggers.store.triggers import TriggerStore
from footy_assets_tests.triggers.fake_subscriber import FakeSubscriber
from footy_assets_tests.triggers.rules.builders import KICKOFF
from resources.notify.channels import ChannelSubscriber
from resources.notify.client import HttpSubscriber

GALLERY_URL = "http://gallery.test"


@dataclass(frozen=True)
class HttpOrChannel:
    http: Subscriber
    channels: ChannelSubscriber

    def deliver(self, url: str, body: bytes, headers: dict[str, str]) -> int:
        to = self.http if address_kind(url) == "http" else self.channels
        return to.deliver(url, body, headers)


@dataclass
class Stages:
    database: Database[Document]
    clock: ManualClock
    timeout: float = 1.0
    channels: ChannelSubscriber | None = None
    evaluator: Evaluator = field(init=False)

    def __post_init__(self) -> None:
        self.snapshots = SnapshotStore(self.database)
        self.triggers = TriggerStore(self.database)
        self.outbox = Outbox(self.database)
        self.evaluator = Evaluator(self.database, self.clock)

    def make(self, *triggers: Trigger) -> list[str]:
        return [
            self.triggers.create(one, self.clock.now(), f"t{number}").id
            for number, one in enumerate(triggers)
        ]

    def subscribe(self, fake: FakeSubscriber, **only: Any) -> str:
        subscription = self.outbox.subscribe(fake.url, self.clock.now(), fake.secret, **only)
        return str(subscription["_id"])

    def push(self, *snapshots: Snapshot) -> list[str]:
        return self.snapshots.store(snapshots)

    def evaluate(self) -> EvaluationResult:
        return self.evaluator.run()

    def subscribe_channel(self, url: str, **only: Any) -> str:
        return str(self.outbox.subscribe(url, self.clock.now(), **only)["_id"])

    def notify(self, within: float = 20.0) -> DeliveryCounts:
        on_loopback: Subscriber = HttpSubscriber(self.timeout, private_addresses=True)
        if self.channels is not None:
            on_loopback = HttpOrChannel(on_loopback, self.channels)
        describe = Messages(self.database, GALLERY_URL).describe
        return Notifier(self.outbox, on_loopback, self.clock, describe).run(within)

    def fired(self, key: str = "game/5000") -> list[tuple[str, str]]:
        return [(d["trigger_id"], d["snapshot_id"]) for d in self.triggers.scope_activations(key)]

    def states(self) -> dict[str, int]:
        return self.outbox.count_by_state()

    def rows(self) -> Sequence[Document]:
        return list(self.database[NOTIFICATIONS].find().sort("number", 1))


@pytest.fixture
def stages(database: Database[Document]) -> Stages:
    return Stages(database, ManualClock(KICKOFF))
