"""Delivers a notification with one HTTP POST."""

import asyncio

import httpx

from footy_assets.errors import AddressNotPublic, DeliveryFailed
from resources.public_addresses import PublicAddressTransport
from resources.tls import verify_for

MAX_REASON_LENGTH = 200
MASK = "********"


class HttpSubscriber:
    """Opens a new connection for each delivery, so that a late or duplicate response is never
    taken for the next one. `timeout` limits the whole delivery, however slow the response.

    A subscriber at an address that is not public gets nothing, unless `private_addresses`: its URL
    could name any server of this machine or its network.
    """

    def __init__(self, timeout: float | None, *, private_addresses: bool = False) -> None:
        self._timeout = timeout
        self._private_addresses = private_addresses

    def deliver(self, url: str, body: bytes, headers: dict[str, str]) -> int:
        """The HTTP status of a successful delivery. Raises `DeliveryFailed`, whose text has none of
        the credentials that a URL may hold."""
        try:
            parsed = httpx.URL(url)
        except httpx.InvalidURL as error:
            raise DeliveryFailed("the URL of the subscription is not valid") from error
        host = parsed.netloc.decode("ascii")
        try:
            status = asyncio.run(self._post(parsed, body, headers))
        except TimeoutError as error:
            raise DeliveryFailed(f"{host}: no answer within {self._timeout:g} s") from error
        except AddressNotPublic as error:
            raise DeliveryFailed(
                f"{host}: not an address of the public internet; "
                "FOOTY_NOTIFY_PRIVATE_ADDRESSES allows it"
            ) from error
        except httpx.HTTPError as error:
            raise DeliveryFailed(f"{host}: {_reason(error)[:MAX_REASON_LENGTH]}") from error
        if not 200 <= status < 300:
            raise DeliveryFailed(f"{host}: HTTP {status}")
        return status

    async def _post(self, url: httpx.URL, body: bytes, headers: dict[str, str]) -> int:
        all_headers = {"connection": "close", "user-agent": "footy-assets", **headers}
        # httpx logs the URL of each request; it must not hold the credentials.
        login = httpx.BasicAuth(url.username, url.password) if url.userinfo else None
        address = url.copy_with(username=None, password=None)
        async with (
            asyncio.timeout(self._timeout),
            self._client(str(address)) as client,
            client.stream(
                "POST", address, content=body, headers=all_headers, auth=login
            ) as response,
        ):
            return response.status_code

    def _client(self, url: str) -> httpx.AsyncClient:
        if self._private_addresses:
            return httpx.AsyncClient(timeout=None, verify=verify_for(url))
        transport = PublicAddressTransport(httpx.AsyncHTTPTransport(verify=verify_for(url)))
        return httpx.AsyncClient(timeout=None, transport=transport)


def _reason(error: httpx.HTTPError) -> str:
    """Texts of other errors may repeat what the server sent, and that what we sent to it."""
    if isinstance(error, httpx.ConnectError):
        return str(error) or "cannot be reached"
    return f"no valid answer ({type(error).__name__})"


def without_credentials(url: str) -> str:
    """The URL with its user name and password masked."""
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        return MASK
    return str(parsed.copy_with(userinfo=MASK.encode())) if parsed.userinfo else url
