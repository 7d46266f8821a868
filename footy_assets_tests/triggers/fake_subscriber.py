"""A subscriber on loopback with a configurable behaviour."""

import hashlib
import hmac
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Behaviour = Literal["ok", "500", "hang", "drip", "twice", "down"]


@dataclass
class FakeSubscriber:
    """`down` closes the connection without a response."""

    behaviour: Behaviour = "ok"
    received: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    requests: int = 0
    url: str = ""
    secret: str = "a secret of the test"
    stopping: threading.Event = field(default_factory=threading.Event)

    @property
    def keys(self) -> list[str]:
        return [key for key, _ in self.received]

    @property
    def reasons(self) -> list[str]:
        return [body["reason"] for _, body in self.received]

    def without_repeats(self) -> list[dict[str, Any]]:
        """The received notifications, deduplicated by key as subscribers should."""
        once: dict[str, dict[str, Any]] = {}
        for key, body in self.received:
            once.setdefault(key, body)
        return list(once.values())


@contextmanager
def subscriber(behaviour: Behaviour = "ok") -> Iterator[FakeSubscriber]:
    fake = FakeSubscriber(behaviour)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            fake.requests += 1
            assert is_genuine(fake.secret, self.headers["footy-signature"], body)
            match fake.behaviour:
                case "down":
                    self.connection.shutdown(socket.SHUT_RDWR)
                    self.close_connection = True
                    return
                case "hang":
                    fake.stopping.wait(30)
                    return
                case "drip":
                    for letter in "HTTP/1.1 200 OK\r\nx: " + "y" * 1000:
                        self.wfile.write(letter.encode())
                        if fake.stopping.wait(0.05):
                            return
                    return
                case "500":
                    self.answer(500)
                    return
            fake.received.append((self.headers["idempotency-key"], json.loads(body)))
            self.answer(200)
            if fake.behaviour == "twice":
                self.answer(500)

        def answer(self, status: int) -> None:
            self.wfile.write(f"HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n".encode())

        def log_message(self, *args: object) -> None: ...

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *args: object) -> None:
            """Ignores clients that disconnect early."""

    with Server(("127.0.0.1", 0), Handler) as server:
        fake.url = f"http://127.0.0.1:{server.server_address[1]}/hook"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield fake
        finally:
            fake.stopping.set()
            server.shutdown()
            thread.join()


def is_genuine(secret: str, signature: str, body: bytes) -> bool:
    """Verifies the signature as a subscriber does."""
    parts = dict(part.split("=", 1) for part in signature.split(","))
    expected = hmac.new(secret.encode(), f"{parts['t']}.".encode() + body, hashlib.sha256)
    return hmac.compare_digest(expected.hexdigest(), parts["v1"])
