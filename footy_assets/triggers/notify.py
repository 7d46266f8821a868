"""T12, T15, third stage: notifies subscribers. Any number of processes may run it at once."""

import hashlib
import hmac
import json
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Protocol

from footy_assets.clock import Clock
from footy_assets.errors import DeliveryFailed
from footy_assets.store.collections import Document
from footy_assets.triggers.store.outbox import Outbox

MAX_PARALLEL_SUBSCRIBERS = 32
RECHECK_SECONDS = 0.5


class Subscriber(Protocol):
    def deliver(self, url: str, body: bytes, headers: dict[str, str]) -> int:
        """The HTTP status of a successful delivery. Raises `DeliveryFailed`."""
        ...


@dataclass(slots=True)
class DeliveryCounts:
    delivered: int = 0
    failed: int = 0
    dead: int = 0

    def add(self, other: "DeliveryCounts") -> None:
        self.delivered += other.delivered
        self.failed += other.failed
        self.dead += other.dead


class Notifier:
    def __init__(
        self,
        outbox: Outbox,
        subscriber: Subscriber,
        clock: Clock,
        describe: Callable[[Document], Document] = lambda body: body,
    ) -> None:
        """`describe` adds to a notification what people read: its `message`."""
        self._outbox, self._subscriber, self._clock = outbox, subscriber, clock
        self._describe = describe

    def run(self, within: float = 20.0) -> DeliveryCounts:
        """Notifies in parallel, for `within` seconds; the rest waits for the next run."""
        ends, total = monotonic() + within, DeliveryCounts()
        running: dict[str, Future[DeliveryCounts]] = {}
        finished: set[str] = set()
        with ThreadPoolExecutor(MAX_PARALLEL_SUBSCRIBERS) as pool:
            while True:
                # T12: while one subscriber hangs, the others still get what is new.
                if monotonic() < ends:
                    for id, (subscriber, lanes) in self._outbox.ready(self._clock.now()).items():
                        if id not in running and id not in finished:
                            running[id] = pool.submit(self._notify, subscriber, lanes, ends)
                if not running:
                    return total
                wait(running.values(), RECHECK_SECONDS, FIRST_COMPLETED)
                for id in [id for id, future in running.items() if future.done()]:
                    counts = running.pop(id).result()
                    total.add(counts)
                    if not counts.delivered:
                        finished.add(id)

    def _notify(self, subscriber: Document, lanes: Sequence[str], ends: float) -> DeliveryCounts:
        counts = DeliveryCounts()
        for lane in lanes:
            while monotonic() < ends:
                now = self._clock.now()
                notification = self._outbox.claim(lane, now)
                if notification is None:
                    break
                described = self._describe(with_payload(notification["body"], subscriber))
                body = json.dumps(described, sort_keys=True, default=str).encode()
                headers = signed_headers(subscriber["secret"], body, notification["_id"], now)
                try:
                    status = self._subscriber.deliver(subscriber["url"], body, headers)
                except DeliveryFailed as error:
                    dead = self._outbox.mark_failed(
                        notification, subscriber, self._clock.now(), str(error)
                    )
                    counts.failed += 1
                    counts.dead += dead
                    return counts
                self._outbox.mark_delivered(notification, self._clock.now(), status)
                counts.delivered += 1
        return counts


def with_payload(body: Document, subscriber: Document) -> Document:
    """T17: a subscription's own payload replaces that of the trigger."""
    payload = subscriber.get("payload")
    return body if payload is None else {**body, "payload": payload}


def signed_headers(secret: str, body: bytes, key: str, now: datetime) -> dict[str, str]:
    """T12: signs the time and the body with the subscriber's secret (HMAC-SHA256)."""
    stamp = str(int(now.timestamp()))
    mac = hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
    return {
        "content-type": "application/json",
        "idempotency-key": key,
        "footy-signature": f"t={stamp},v1={mac}",
    }
