"""A body of a response that never ends."""

import asyncio
from collections.abc import AsyncIterator


async def forever(block: bytes, pause: float) -> AsyncIterator[bytes]:
    while True:
        yield block
        await asyncio.sleep(pause)
