"""Y10: the day's share is kept in any order of responses and workers."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import httpx
import pytest
from pymongo.database import Database

from footy_assets.errors import ProviderError
from footy_assets.history.rules.documents import DocumentRequest
from footy_assets.history.rules.feed import Page
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.quota import reserved_for_live
from footy_assets.history.sourcing import Ended
from footy_assets.history.store.quota import SharedQuota
from footy_assets.sim import Quota
from footy_assets.store.collections import Document
from footy_assets_tests.history.conftest import Sourcing
from resources.api_football.client import ApiFootball

pytestmark = pytest.mark.slow

PER_DAY = 80
OTHER = LeagueSeason(140, 2023)


class ReverseOrderTransport(httpx.AsyncBaseTransport):
    """Answers concurrent requests in reverse order."""

    def __init__(self) -> None:
        self._inner = httpx.AsyncHTTPTransport()
        self._on_the_way = 0
        self._held: list[tuple[int, asyncio.Future[None]]] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._on_the_way += 1
        response = await self._inner.handle_async_request(request)
        await response.aread()
        release = asyncio.get_running_loop().create_future()
        left = int(response.headers["x-ratelimit-requests-remaining"])
        self._held.append((left, release))
        if len(self._held) == self._on_the_way:
            for _, one in sorted(self._held, key=lambda held: held[0]):
                one.set_result(None)
            self._held, self._on_the_way = [], 0
        await release
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class OvertakenFeed(ApiFootball):
    """Another process loads another season between the decision to send and the request."""

    other: Sourcing | None = None

    def pages(
        self, requests: Sequence[DocumentRequest], within: float
    ) -> list[Page | ProviderError]:
        # Once the limits are known: the first request fetches them.
        if self.quota is not None and self.other is not None:
            other, self.other = self.other, None
            assert other.source(patience=600, key=OTHER).ended is Ended.WAITING
        return super().pages(requests, within)


def share(sourcing: Sourcing) -> int:
    return PER_DAY - reserved_for_live(PER_DAY, sourcing.clock.now())


def test_y10_responses_in_the_wrong_order_do_not_exceed_the_days_share(
    sourcing: Sourcing,
) -> None:
    sourcing.sim.quota = Quota(per_day=PER_DAY, per_minute=1_000)
    with ApiFootball(sourcing.sim.url, None, transport=ReverseOrderTransport()) as feed:
        sourcing.work = replace(sourcing.work, feed=feed)
        assert sourcing.source(patience=600).ended is Ended.WAITING
    assert len(sourcing.requests) == share(sourcing)


def test_y10_two_concurrent_workers_do_not_exceed_the_days_share(
    sourcing: Sourcing, database: Database[Document]
) -> None:
    sourcing.sim.quota = Quota(per_day=PER_DAY, per_minute=1_000)
    with (
        ApiFootball(sourcing.sim.url, None) as feed,
        OvertakenFeed(sourcing.sim.url, None) as slower,
    ):
        slower.other = replace(sourcing, work=replace(sourcing.work, feed=feed))
        sourcing.work = replace(sourcing.work, feed=slower)
        assert sourcing.source(patience=600).ended is Ended.WAITING
    assert slower.other is None
    assert len(sourcing.requests) == share(sourcing)
    assert not SharedQuota(database).read().reservations


class Killed(Exception):
    """Stands for kill -9."""


class DyingFeed(ApiFootball):
    def pages(
        self, requests: Sequence[DocumentRequest], within: float
    ) -> list[Page | ProviderError]:
        super().pages(requests, within)
        if len(requests) > 1:
            raise Killed
        return super().pages(requests, within)


def test_y10_reservations_of_a_killed_worker_count_as_used_until_the_next_response(
    sourcing: Sourcing, database: Database[Document]
) -> None:
    sourcing.sim.quota = Quota(per_day=PER_DAY, per_minute=1_000)
    normal_work = sourcing.work
    with DyingFeed(sourcing.sim.url, None) as feed:
        sourcing.work = replace(normal_work, feed=feed)
        with pytest.raises(Killed):
            sourcing.source()
    left = SharedQuota(database).read().reservations
    assert len(left) == 1
    sourcing.work = normal_work
    sourcing.clock.advance((left[0].expires_at - sourcing.clock.now()).total_seconds())
    assert sourcing.source(patience=600).ended is Ended.WAITING
    assert len(sourcing.requests) == share(sourcing)
