"""Runs coroutines from code that is not asynchronous."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Returned = TypeVar("Returned")


def run_in(runner: asyncio.Runner, work: Coroutine[Any, Any, Returned]) -> Returned:
    """As `runner.run`, which formats as text what its main task returns: of a large answer that
    takes milliseconds."""
    outcome: list[Returned] = []

    async def keep() -> None:
        outcome.append(await work)

    runner.run(keep())
    return outcome[0]
