"""Sockets and the configuration of uvicorn, for the web app and the Dagster UI."""

import asyncio
import socket
from typing import Any

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.protocols.websockets.auto import AutoWebSocketsProtocol

from footy_assets.errors import BadInput
from footy_assets.web_server.access import Access
from footy_assets.web_server.connections import ConnectionLimits, OpenConnections

SHUTDOWN_SECONDS = 3
# Twice what one read from a socket may return, which may begin with the end of another request.
MAX_HEADER_BYTES = 524_288


def listen(access: Access, port: int, served: str) -> socket.socket:
    """`served` is what people call the server, for the error when the port is in use."""
    family = socket.AF_INET6 if ":" in access.host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((access.host, port))
    except OSError as error:
        made.close()
        raise BadInput(
            f"{access.host}:{port} cannot be used for {served}: {error.strerror}",
            f"Set {access.setting}_PORT to a free port, or to 0 for any",
        ) from error
    return made


def server_config(app: Any, limits: ConnectionLimits) -> uvicorn.Config:
    connections = OpenConnections(limits)
    return uvicorn.Config(
        app,
        http=_limited(AutoHTTPProtocol, connections),
        ws=_counted(AutoWebSocketsProtocol, connections) if AutoWebSocketsProtocol else "none",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )


def _limited(base: Any, connections: OpenConnections) -> type[asyncio.Protocol]:
    class LimitedProtocol(base):  # type: ignore[misc]
        """uvicorn has a limit of requests at a time, but none of connections, and for the headers
        of a request neither a time-out nor, with httptools, a maximum length."""

        def connection_made(self, transport: asyncio.Transport) -> None:
            self.in_headers, self.header_bytes = False, 0
            super().connection_made(transport)
            self.accepted = connections.add(self, transport)

        def data_received(self, data: bytes) -> None:
            if not self.accepted:
                connections.refuse(self.transport)
                return
            super().data_received(data)
            if self.in_headers:
                self.header_bytes += len(data)
                if self.header_bytes > MAX_HEADER_BYTES:
                    self.transport.abort()

        def on_message_begin(self) -> None:
            self.in_headers, self.header_bytes = True, 0
            super().on_message_begin()

        def on_headers_complete(self) -> None:
            self.in_headers = False
            super().on_headers_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            connections.remove(self.transport)
            super().connection_lost(exc)

    return LimitedProtocol


def _counted(base: Any, connections: OpenConnections) -> type[asyncio.Protocol]:
    class CountedWebSocket(base):  # type: ignore[misc]
        """Takes over a connection that stays counted until it is lost."""

        def connection_lost(self, exc: Exception | None) -> None:
            connections.remove(self.transport)
            super().connection_lost(exc)

    return CountedWebSocket
