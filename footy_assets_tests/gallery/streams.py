"""Reading server-sent events as a browser does."""

import json
import queue
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from footy_assets_tests.waiting import PATIENCE_SECONDS


@dataclass
class StreamEvent:
    id: str
    event: str
    data: dict[str, Any]


@dataclass
class Listener:
    """A stream read in a thread; `last_id` moves with every id, as in browsers."""

    connection: socket.socket
    last_id: str = ""
    events: "queue.Queue[StreamEvent]" = field(default_factory=queue.Queue)
    opened: threading.Event = field(default_factory=threading.Event)

    def next(self, seconds: float = PATIENCE_SECONDS) -> StreamEvent:
        return self.events.get(timeout=seconds)

    def none_within(self, seconds: float) -> bool:
        with suppress(queue.Empty):
            self.events.get(timeout=seconds)
            return False
        return True

    def read(self) -> None:
        lines = self.connection.makefile("r", encoding="utf-8", newline="\n")
        assert "200" in lines.readline()
        while lines.readline().strip():
            pass
        block: dict[str, str] = {}
        with suppress(OSError):
            for line in lines:
                if line.strip():
                    name, _, value = line.strip().partition(": ")
                    block[name] = value
                    continue
                self.last_id = block.get("id", self.last_id)
                if "data" in block:
                    self.events.put(
                        StreamEvent(self.last_id, block["event"], json.loads(block["data"]))
                    )
                self.opened.set()
                block = {}


@contextmanager
def open_stream(url: str, last_id: str = "") -> Iterator[Listener]:
    """Subscribes to the stream; enters the block once the server has answered."""
    address = urlsplit(url)
    path = f"{address.path}?{address.query}"
    request = f"GET {path} HTTP/1.0\r\nHost: {address.netloc}\r\n"
    request += f"Last-Event-ID: {last_id}\r\n" if last_id else ""
    with socket.create_connection((address.hostname, address.port)) as connection:
        connection.sendall(f"{request}\r\n".encode())
        listener = Listener(connection, last_id)
        thread = threading.Thread(target=listener.read)
        thread.start()
        assert listener.opened.wait(PATIENCE_SECONDS)
        try:
            yield listener
        finally:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            thread.join(PATIENCE_SECONDS)
