"""Server-sent events: one reader of the live feed."""

import asyncio

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from footy_assets.api.live_feed import LiveFeed

BEAT_SECONDS = 15.0
# Who takes nothing for so long is let go; the browser comes back with its last id.
STALLED_SECONDS = 20.0
RETRY = b"retry: 1000\n\n"


class LiveStream(Response):
    """Waits for its own reader alone: what others get, and when, does not depend on it."""

    def __init__(self, feed: LiveFeed, since: str | None, fixture_id: int | None) -> None:
        super().__init__(media_type="text/event-stream", headers={"Cache-Control": "no-store"})
        del self.headers["content-length"]
        self._feed, self._since, self._fixture_id = feed, since, fixture_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send(
            {"type": "http.response.start", "status": 200, "headers": self.raw_headers},
        )
        with self._feed.watching() as news:
            tasks = {
                asyncio.create_task(_gone(receive)),
                asyncio.create_task(self._tell(news, send)),
            }
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _tell(self, news: asyncio.Event, send: Send) -> None:
        feed, log = self._feed, self._feed.log
        await _put(send, RETRY)
        place = await self._first_place(send)
        while not feed.closed:
            news.clear()
            changes = log.after(place)
            if changes is None:
                place = log.next
                await _put(send, self._look_again())
            elif changes:
                place = log.next
                wanted = [c.wire for c in changes if c.concerns(self._fixture_id)]
                if wanted:
                    await _put(send, b"".join(wanted))
            else:
                await self._wait(news, send)
        await _put(send, b"", more=False)

    async def _first_place(self, send: Send) -> int:
        log = self._feed.log
        if self._since is None:
            await _put(send, self._here())
            return log.next
        missed = await self._feed.missed_since(self._since)
        if missed is None:
            await _put(send, self._look_again())
            return log.next
        changes, place = missed
        wanted = [c.wire for c in changes if c.concerns(self._fixture_id)]
        if wanted:
            await _put(send, b"".join(wanted))
        return place

    async def _wait(self, news: asyncio.Event, send: Send) -> None:
        try:
            async with asyncio.timeout(BEAT_SECONDS):
                await news.wait()
        except TimeoutError:
            await _put(send, self._here())

    def _here(self) -> bytes:
        """An id and nothing else: it moves the place to come back to, and keeps proxies awake."""
        return f"id: {self._feed.log.latest or ''}\n\n".encode()

    def _look_again(self) -> bytes:
        latest = self._feed.log.latest or ""
        return f"id: {latest}\nevent: reload\ndata: {{}}\n\n".encode()


async def _put(send: Send, body: bytes, more: bool = True) -> None:
    message: Message = {"type": "http.response.body", "body": body, "more_body": more}
    async with asyncio.timeout(STALLED_SECONDS):
        await send(message)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
