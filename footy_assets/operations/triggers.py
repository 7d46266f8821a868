"""The stages of triggers: evaluate what is stored, tell what fired; and a replay that tells nobody.

Each stage starts from what the one before it wrote, and may be run by anyone, any number of times.
"""

import hashlib
import hmac
import json
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import datetime
from time import monotonic
from typing import Protocol

from pymongo.database import Database

from footy_assets.clock import Clock
from footy_assets.errors import NotFound
from footy_assets.retries import RETRIES
from footy_assets.store.collections import Document
from footy_assets.store.trigger_evaluation import (
    EvaluationStore,
    Position,
    Superseded,
    notification,
)
from footy_assets.store.trigger_outbox import Outbox
from footy_assets.store.trigger_snapshots import SnapshotStore, scope_key
from footy_assets.store.triggers import TriggerStore
from footy_assets.triggers.conditions import Explanation
from footy_assets.triggers.engine import Engine, Listener, Step
from footy_assets.triggers.replay import Replay
from footy_assets.triggers.snapshot import Snapshot

AT_A_TIME = 100
TOLD_AT_A_TIME = 1_000
SUBSCRIBERS_AT_ONCE = 32
LOOK_AGAIN_SECONDS = 0.5
# More matches than are ever played at once.
WARM_SCOPES = 500
NOTIFICATION_POLICY = RETRIES["notification"]


class DeliveryFailed(Exception):
    """A subscriber did not take a notification; the message says why."""


class Subscriber(Protocol):
    def deliver(self, url: str, body: bytes, headers: dict[str, str]) -> int:
        """The status of an answer that takes it, or `DeliveryFailed`."""
        ...


# -- evaluate -----------------------------------------------------------------------------


@dataclass(slots=True)
class Evaluated:
    snapshots: int = 0
    activations: int = 0
    retractions: int = 0
    superseded: int = 0
    failures: list[str] = field(default_factory=list)
    scopes: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Warm:
    """An engine and how far it has come in its scope."""

    engine: Engine
    position: Position


class Evaluator:
    """Engines are kept between calls, and made anew when the store has moved without them."""

    def __init__(
        self, database: Database[Document], clock: Clock, warm: dict[str, Warm] | None = None
    ) -> None:
        self._triggers = TriggerStore(database)
        self._snapshots = SnapshotStore(database)
        self._store = EvaluationStore(database)
        self._clock = clock
        self._warm = {} if warm is None else warm

    def run(self, scopes: Sequence[str] | None = None) -> Evaluated:
        done = Evaluated()
        for key in self._snapshots.waiting_scopes() if scopes is None else scopes:
            try:
                self._scope(key, done)
            except Superseded:
                done.superseded += 1
                self._warm.pop(key, None)
            except Exception as error:
                # A match locked by a dead process, or broken, waits for the next time, alone.
                done.failures.append(f"{key}: {type(error).__name__}: {error}")
                self._warm.pop(key, None)
            except BaseException:
                self._warm.pop(key, None)
                raise
        return done

    def _scope(self, key: str, done: Evaluated) -> None:
        warm = self._engine(key)
        position = warm.position
        while waiting := self._snapshots.numbered(key, position.evaluated, AT_A_TIME):
            steps, told = list[tuple[int, Step]](), 0
            for number, snapshot in waiting:
                step = warm.engine.step(snapshot, number)
                steps.append((number, step))
                told += len(step.activations) + len(step.retractions)
                if told >= TOLD_AT_A_TIME:
                    break
            self._store.write(key, position, steps, warm.engine, self._clock.now())
            done.snapshots += len(steps)
            done.activations += sum(len(step.activations) for _, step in steps)
            done.retractions += sum(len(step.retractions) for _, step in steps)
            done.scopes.add(key)
        self._snapshots.evaluated(key, position.evaluated)

    def _engine(self, key: str) -> Warm:
        position, warm = Position.of(self._triggers.scope(key)), self._warm.get(key)
        if warm is None or warm.position != position:
            engine = Engine(
                self._triggers.listeners(key),
                self._triggers.entities(key),
                self._triggers.standing(key),
            )
            for number, snapshot in self._snapshots.numbered(key):
                if number <= position.evaluated:
                    engine.remember(snapshot)
            if len(self._warm) >= WARM_SCOPES:
                self._warm.clear()
            warm = self._warm[key] = Warm(engine, position)
        return warm


# -- notify -------------------------------------------------------------------------------


@dataclass(slots=True)
class Notified:
    delivered: int = 0
    failed: int = 0
    dead: int = 0

    def add(self, other: "Notified") -> None:
        self.delivered += other.delivered
        self.failed += other.failed
        self.dead += other.dead


class Notifier:
    def __init__(self, outbox: Outbox, subscriber: Subscriber, clock: Clock) -> None:
        self._outbox, self._subscriber, self._clock = outbox, subscriber, clock

    def run(self, within: float = 20.0) -> Notified:
        """Tell everybody what waits for them, side by side; what is left over comes next time."""
        ends, done = monotonic() + within, Notified()
        at_work: dict[str, Future[Notified]] = {}
        had_nothing: set[str] = set()
        with ThreadPoolExecutor(SUBSCRIBERS_AT_ONCE) as pool:
            while True:
                # T12: while one hangs, what comes new for the others is told to them.
                if monotonic() < ends:
                    for id, (one, lanes) in self._outbox.ready(self._clock.now()).items():
                        if id not in at_work and id not in had_nothing:
                            at_work[id] = pool.submit(self._tell, one, lanes, ends)
                if not at_work:
                    return done
                wait(at_work.values(), LOOK_AGAIN_SECONDS, FIRST_COMPLETED)
                for id in [id for id, told in at_work.items() if told.done()]:
                    told = at_work.pop(id).result()
                    done.add(told)
                    if not told.delivered:
                        had_nothing.add(id)

    def _tell(self, subscriber: Document, lanes: Sequence[str], ends: float) -> Notified:
        done = Notified()
        for lane in lanes:
            while monotonic() < ends:
                now = self._clock.now()
                notification = self._outbox.claim(lane, now)
                if notification is None:
                    break
                body = json.dumps(notification["body"], sort_keys=True, default=str).encode()
                headers = signed(subscriber["secret"], body, notification["_id"], now)
                try:
                    status = self._subscriber.deliver(subscriber["url"], body, headers)
                except DeliveryFailed as error:
                    dead = self._outbox.failed(
                        notification, subscriber, self._clock.now(), str(error)
                    )
                    done.failed += 1
                    done.dead += dead
                    return done
                self._outbox.delivered(notification, self._clock.now(), status)
                done.delivered += 1
        return done


def signed(secret: str, body: bytes, key: str, now: datetime) -> dict[str, str]:
    """T12: the time and the body, signed with the subscriber's secret (HMAC-SHA256)."""
    stamp = str(int(now.timestamp()))
    mac = hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
    return {
        "content-type": "application/json",
        "idempotency-key": key,
        "footy-signature": f"t={stamp},v1={mac}",
    }


# -- replay -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Replayed:
    """A scope gone through again: what would be told, and what was told live.

    `evaluated` of its snapshots went through the live stages, and only these can be compared.
    """

    scope_key: str
    snapshots: int
    evaluated: int
    again: list[Document]
    live: list[Document]

    @property
    def same(self) -> bool:
        seen = [told for told in self.again if told["number"] <= self.evaluated]
        return seen == self.live


def replay_scope(database: Database[Document], key: str) -> Replayed:
    """`dry_run`: every snapshot of a scope through the triggers of its time; nothing is written."""
    triggers = TriggerStore(database)
    evaluated = triggers.scope(key)["evaluated"]
    numbered = triggers.snapshots.numbered(key)
    replay, again = Replay(triggers.changes(key)), dict[str, Document]()
    for number, snapshot in numbered:
        step = replay.step(number, snapshot)
        for one in step.activations:
            told = notification(one, replay.engine)
            again[one.id] = {**told, "number": number, "retracted_by": None}
        for gone in step.retractions:
            if number <= evaluated or again[gone.id]["number"] > evaluated:
                again[gone.id]["retracted_by"] = gone.by.id
    live = [
        {**document["notification"], "number": document["number"]}
        | {"retracted_by": document["retracted_by"]}
        for document in triggers.told(key)
    ]
    return Replayed(key, len(numbered), evaluated, list(again.values()), live)


def explain(
    database: Database[Document], trigger_id: str, asked: str | Snapshot | None = None
) -> Explanation:
    """T13: how a trigger answered a stored snapshot in its place; how it would answer another one
    if it came now. Left out, the last snapshot of its scope is meant."""
    triggers = TriggerStore(database)
    known = triggers.get(trigger_id)
    head = known.trigger.trigger
    key = scope_key(head.scope, head.scope_id)
    numbered = triggers.snapshots.numbered(key)
    if asked is None:
        if not numbered:
            raise NotFound(f"there is no snapshot of {key} yet")
        asked = numbered[-1][1].id
    id = asked if isinstance(asked, str) else asked.id
    replay = Replay(triggers.changes(key))
    now, snapshot = len(numbered) + 1, None if isinstance(asked, str) else asked
    for number, one in numbered:
        if one.id == id:
            now, snapshot = number, one
            break
        replay.step(number, one)
    if snapshot is None:
        raise NotFound(f"no snapshot of {key} is called {id:.80}")
    replay.catch_up(now)
    if trigger_id in replay.engine.listeners:
        return replay.engine.explain(trigger_id, snapshot)
    # The snapshot is older than the trigger: what it would have said, and that it said nothing.
    replay.engine.put(Listener(trigger_id, known.trigger))
    return {**replay.engine.explain(trigger_id, snapshot), "listens": False, "fired": False}
