"""Subscribers of triggers: over HTTP, and the clip pipeline, which is one like any other."""

import asyncio
from urllib.parse import urlsplit

import httpx
from pymongo.database import Database

from footy_assets.operations.trigger_searches import SearchesSubscriber
from footy_assets.operations.triggers import NOTIFICATION_POLICY, DeliveryFailed
from footy_assets.store.collections import Document

SHOWN = 200


class Subscribers:
    """Speaks to each subscriber in the way of its address."""

    def __init__(self, database: Database[Document]) -> None:
        self._http, self._searches = HttpSubscriber(), SearchesSubscriber(database)

    def deliver(self, url: str, body: bytes, headers: dict[str, str]) -> int:
        here = url == SearchesSubscriber.URL
        return (self._searches if here else self._http).deliver(url, body, headers)


class HttpSubscriber:
    """One request a delivery, each on a connection of its own: an answer that comes twice, or
    late, is never taken for the answer to the next. All of it within `timeout` seconds, however
    slowly the subscriber speaks."""

    def __init__(self, timeout: float | None = NOTIFICATION_POLICY.timeout) -> None:
        self._timeout = timeout
        self._ssl = httpx.create_ssl_context()

    def deliver(self, url: str, body: bytes, headers: dict[str, str]) -> int:
        where = urlsplit(url).netloc
        try:
            status = asyncio.run(self._post(url, body, headers))
        except TimeoutError as error:
            raise DeliveryFailed(f"{where}: no answer within {self._timeout:g} s") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            reason = str(error) or type(error).__name__
            raise DeliveryFailed(f"{where}: {reason[:SHOWN]}") from error
        if not 200 <= status < 300:
            raise DeliveryFailed(f"{where}: HTTP {status}")
        return status

    async def _post(self, url: str, body: bytes, headers: dict[str, str]) -> int:
        ours = {"connection": "close", "user-agent": "footy-assets", **headers}
        async with (
            asyncio.timeout(self._timeout),
            httpx.AsyncClient(timeout=None, verify=self._ssl) as client,
            client.stream("POST", url, content=body, headers=ours) as answer,
        ):
            return answer.status_code
