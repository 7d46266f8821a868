"""T17: sends messages to channels that Apprise knows: Telegram, Discord, e-mail, ntfy and others.

The URL of a channel has its secret. Apprise runs in a process of its own, which answers with a
reason that has none of it; here only the scheme is ever shown.
"""

import json
import re
import select
import socket
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from footy_assets.errors import BadInput, DeliveryFailed
from resources.notify.client import MASK
from resources.worker_process import END_SECONDS, WorkerProcess

WORKER = "resources.notify.channel_worker"
OK = 200
# For the first message, which loads Apprise; the message's own time is limited by its process.
START_SECONDS = 20.0
ANSWER_BYTES = 10_000
SCHEME = re.compile(r"([a-z][a-z0-9.+-]{0,39}):", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Channel:
    """What a URL names. `url` is that of Apprise, with the secret: `discord://…` for a webhook."""

    service: str
    url: str = field(repr=False)


class ChannelSubscriber:
    """Delivers the `message` of a notification. Several threads may use it."""

    def __init__(self, timeout: float | None, *, private_addresses: bool = False) -> None:
        self._timeout = timeout or 60.0
        self._private_addresses = private_addresses
        self._process = WorkerProcess(WORKER)

    def close(self) -> None:
        self._process.close()

    def deliver(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Raises `DeliveryFailed`, whose text has nothing of the URL but its scheme."""
        message = json.loads(body)["message"]
        answer = self._ask(
            url,
            {
                "title": message["title"],
                "body": message["text"],
                "key": headers.get("idempotency-key", ""),
            },
        )
        if answer.get("sent"):
            return OK
        reason = answer.get("failed", "the URL of the channel is not valid any more")
        raise DeliveryFailed(f"{scheme_of(url)}: {reason}")

    def check(self, url: str) -> Channel:
        """Raises `BadInput` for a URL that names no channel. Connects to nothing."""
        answer = self._ask(url, {})
        if "service" not in answer:
            raise BadInput(
                f"{scheme_of(url)}:// with this address is no channel that we can send to",
                "Write it as Apprise does, for example ntfy://ntfy.example/topic or "
                "tgram://TOKEN/CHAT",
            )
        return Channel(answer["service"], answer["url"])

    def _ask(self, url: str, job: Mapping[str, Any]) -> dict[str, Any]:
        limits = {"seconds": self._timeout, "private_addresses": self._private_addresses}
        began, ended = time.monotonic(), f"{scheme_of(url)}: the process that sends ended"
        with ExitStack() as stack:
            try:
                client = stack.enter_context(self._process.started({"url": url, **job, **limits}))
                line = _line(client, began + self._timeout + START_SECONDS)
            except OSError as error:
                raise DeliveryFailed(ended) from error
        if not line and time.monotonic() - began < self._timeout:
            raise DeliveryFailed(ended)
        if not line:
            raise DeliveryFailed(f"{scheme_of(url)}: no answer within {self._timeout:g} s")
        answer: dict[str, Any] = json.loads(line)
        return answer


def _line(client: socket.socket, ends: float) -> bytes:
    """The answer; nothing if the process ended, as it does at its time limit."""
    received = b""
    while not received.endswith(b"\n") and len(received) < ANSWER_BYTES:
        left = ends + END_SECONDS - time.monotonic()
        if left <= 0 or not select.select([client], [], [], left)[0]:
            return b""
        content = client.recv(ANSWER_BYTES)
        if not content:
            return b""
        received += content
    return received


def scheme_of(url: str) -> str:
    found = SCHEME.match(url)
    return found[1].lower() if found else "unknown"


def masked(url: str) -> str:
    """T17: the scheme of a channel, and nothing of its secret."""
    return f"{scheme_of(url)}://{MASK}"
