"""Delivers a notification with one HTTP POST."""

import asyncio
from urllib.parse import urlsplit

import httpx

from footy_assets.errors import DeliveryFailed
from resources.tls import verify_for

MAX_REASON_LENGTH = 200


class HttpSubscriber:
    """Opens a new connection for each delivery, so that a late or duplicate response is never
    taken for the next one. `timeout` limits the whole delivery, however slow the response."""

    def __init__(self, timeout: float | None) -> None:
        self._timeout = timeout

    def deliver(self, url: str, body: bytes, headers: dict[str, str]) -> int:
        """The HTTP status of a successful delivery. Raises `DeliveryFailed`."""
        host = urlsplit(url).netloc
        try:
            status = asyncio.run(self._post(url, body, headers))
        except TimeoutError as error:
            raise DeliveryFailed(f"{host}: no answer within {self._timeout:g} s") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            reason = str(error) or type(error).__name__
            raise DeliveryFailed(f"{host}: {reason[:MAX_REASON_LENGTH]}") from error
        if not 200 <= status < 300:
            raise DeliveryFailed(f"{host}: HTTP {status}")
        return status

    async def _post(self, url: str, body: bytes, headers: dict[str, str]) -> int:
        all_headers = {"connection": "close", "user-agent": "footy-assets", **headers}
        async with (
            asyncio.timeout(self._timeout),
            httpx.AsyncClient(timeout=None, verify=verify_for(url)) as client,
            client.stream("POST", url, content=body, headers=all_headers) as response,
        ):
            return response.status_code
