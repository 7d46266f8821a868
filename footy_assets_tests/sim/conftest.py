"""The simulated provider as a client sees it."""

from collections.abc import Iterator

import httpx
import pytest

from footy_assets.sim import SimServer


@pytest.fixture
def server(sim: SimServer) -> SimServer:
    return sim


@pytest.fixture
def provider(server: SimServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=30) as client:
        yield client
