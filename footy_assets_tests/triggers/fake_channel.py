"""A receiver on loopback that takes the messages of Apprise's `json://` and `ntfy://`."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class FakeChannel:
    """`behaviour` is ok, 500, hang, down (no response) or redirect (to another port)."""

    behaviour: str = "ok"
    received: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    requests: int = 0
    port: int = 0
    stopping: threading.Event = field(default_factory=threading.Event)

    @property
    def titles(self) -> list[str]:
        return [one["title"] for one in self.received]

    def json_url(self, host: str = "127.0.0.1", login: str = "", path: str = "hook") -> str:
        return f"json://{login + '@' if login else ''}{host}:{self.port}/{path}"

    def ntfy_url(self, topic: str = "goals") -> str:
        return f"ntfy://127.0.0.1:{self.port}/{topic}"


@contextmanager
def channel(behaviour: str = "ok") -> Iterator[FakeChannel]:
    fake = FakeChannel(behaviour)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            fake.requests += 1
            match fake.behaviour:
                case "down":
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                case "hang":
                    fake.stopping.wait(60)
                    return
                case "500":
                    self.answer(500)
                    return
                case "redirect":
                    self.answer(302, "http://127.0.0.1:1/nowhere")
                    return
            fake.keys.append(self.headers["idempotency-key"])
            fake.received.append(json.loads(body))
            self.answer(200)

        do_GET = do_POST

        def answer(self, status: int, location: str | None = None) -> None:
            self.send_response(status)
            if location:
                self.send_header("location", location)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *args: object) -> None: ...

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *args: object) -> None:
            """Ignores clients that disconnect early."""

    with Server(("127.0.0.1", 0), Handler) as server:
        fake.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield fake
        finally:
            fake.stopping.set()
            server.shutdown()
            thread.join()
