"""An app served on loopback, in a thread of this process."""

import asyncio
import socket
import time
from abc import ABC, abstractmethod
from contextlib import suppress
from threading import Event, Thread
from typing import Self

import uvicorn
from starlette.applications import Starlette

STARTUP_SECONDS = 10.0
SHUTDOWN_SECONDS = 5.0
# As long as requests that are being answered may take when the server is stopped.
GRACE_SECONDS = 1.0
TICK_SECONDS = 1.0
CLOSING_SECONDS = 0.005


class Loopback:
    """A uvicorn server in its own thread, listening before it is handed out."""

    def __init__(self, app: Starlette, address: tuple[str, int]) -> None:
        self._socket = socket.create_server(address)
        # asyncio sets this only on sockets made with an explicit protocol; without it each
        # answer waits 40 ms for the client's delayed acknowledgement.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        host, port = self._socket.getsockname()[:2]
        self.address: tuple[str, int] = (host, port)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            lifespan="off",
            ws="none",
            loop="asyncio",
        )
        self._server = _Uvicorn(config)
        self._thread = Thread(
            target=self._server.run, args=([self._socket],), name="sim", daemon=True
        )
        self._thread.start()
        if not self._server.ready.wait(STARTUP_SECONDS):
            self.stop()
            raise RuntimeError("the simulated server did not start")

    def stop(self) -> None:
        self._server.stop()
        self._thread.join(SHUTDOWN_SECONDS)
        self._socket.close()


class LoopbackApp(ABC):
    """An app of ours on loopback. Use as a context manager, or start and stop it."""

    def __init__(self, host: str, port: int) -> None:
        self._address = (host, port)
        self._running: Loopback | None = None

    @abstractmethod
    def app(self) -> Starlette: ...

    @property
    def url(self) -> str:
        host, port = self._address
        if port == 0:
            raise RuntimeError("the server has no port until it has started")
        return f"http://{host}:{port}"

    def start(self) -> Self:
        if self._running is None:
            self._running = Loopback(self.app(), self._address)
            self._address = self._running.address
        return self

    def stop(self) -> None:
        if self._running is not None:
            self._running.stop()
            self._running = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *error: object) -> None:
        self.stop()


class _Uvicorn(uvicorn.Server):
    """Stops at once: uvicorn looks every tenth of a second whether it should, and then waits
    another one for connections, also where there are none."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = Event()
        self._stopped = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)
        self.ready.set()

    def stop(self) -> None:
        """From another thread."""
        self.should_exit = True
        if self._loop is not None:
            # It may have ended by itself.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._stopped.set)

    async def main_loop(self) -> None:
        while not self.should_exit:
            # The date of the answers' headers.
            await self.on_tick(0)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopped.wait(), TICK_SECONDS)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        state, deadline = self.server_state, time.monotonic() + GRACE_SECONDS
        for connection in list(state.connections):
            connection.shutdown()
        # uvicorn has no event for the end of its connections.
        while (state.connections or state.tasks) and time.monotonic() < deadline:  # noqa: ASYNC110
            await asyncio.sleep(CLOSING_SECONDS)
        for task in state.tasks:
            task.cancel()
