"""How many runs wait in the broker's queues, and how many workers take from them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr

from footy_assets.queue_names import QUEUES

CONNECT_SECONDS = 2
NOT_FOUND = "404"


@dataclass(frozen=True, slots=True)
class QueueState:
    """Runs that a worker has taken are not among those that wait."""

    name: str
    waiting: int
    workers: int


ReadQueues = Callable[[], Sequence[QueueState] | None]


def queues_of(url: SecretStr | None) -> ReadQueues | None:
    """What reads the queues of a broker; None without a broker."""
    if url is None:
        return None
    address = url.get_secret_value()
    return lambda: read_queues(address)


def read_queues(url: str) -> list[QueueState] | None:
    """None if the broker does not answer, or refuses us. A queue that nobody has used yet is
    empty."""
    return _ask(url, QUEUES)


def has_consumer(url: str, queue: str) -> bool | None:
    """Whether somebody takes from this queue; None if the broker does not answer."""
    found = _ask(url, [queue])
    return None if found is None else found[0].workers > 0


def _ask(url: str, names: Sequence[str]) -> list[QueueState] | None:
    from kombu import Connection
    from kombu.exceptions import KombuError

    connection = Connection(url, connect_timeout=CONNECT_SECONDS)
    try:
        with connection:
            return [_read(connection, name) for name in names]
    except (OSError, KombuError, *connection.connection_errors, *connection.channel_errors):
        return None


def _read(connection: Any, name: str) -> QueueState:
    try:
        # RabbitMQ closes a channel on which a queue was not found.
        with connection.channel() as channel:
            found = channel.queue_declare(queue=name, passive=True)
    except connection.channel_errors as error:
        if str(getattr(error, "reply_code", "")) != NOT_FOUND:
            raise
        return QueueState(name, 0, 0)
    return QueueState(name, int(found.message_count), int(found.consumer_count))
