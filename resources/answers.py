"""Requests with httpx whose answers are bounded: in size, unpacked, and in total time.

httpx limits the time of each read only, and unpacks whatever comes.
"""

import time
from typing import Any

import httpx

MAX_BYTES = 20_000_000
MAX_SECONDS = 120.0
# Others, such as zstd, make gigabytes of the little that httpx reads at a time.
ENCODINGS = ("", "identity", "gzip", "deflate")
HEADERS = {"accept-encoding": "gzip, deflate"}


def send_bounded(
    client: httpx.Client,
    method: str,
    url: str,
    *,
    max_bytes: int = MAX_BYTES,
    max_seconds: float = MAX_SECONDS,
    **request: Any,
) -> httpx.Response:
    """As `client.request`. Raises an `httpx.TransportError` for an answer beyond the limits."""
    with client.stream(method, url, **_with_headers(request)) as response:
        body = _Body(response, max_bytes, max_seconds)
        for content in response.iter_bytes():
            body.add(content)
    return body.response()


async def send_bounded_async(
    client: httpx.AsyncClient,
    method: str,
    url: httpx.URL | str,
    *,
    max_bytes: int = MAX_BYTES,
    max_seconds: float = MAX_SECONDS,
    **request: Any,
) -> httpx.Response:
    """As `client.request`. Raises an `httpx.TransportError` for an answer beyond the limits."""
    async with client.stream(method, url, **_with_headers(request)) as response:
        body = _Body(response, max_bytes, max_seconds)
        async for content in response.aiter_bytes():
            body.add(content)
    return body.response()


def _with_headers(request: dict[str, Any]) -> dict[str, Any]:
    return {**request, "headers": {**HEADERS, **(request.get("headers") or {})}}


class _Body:
    def __init__(self, response: httpx.Response, max_bytes: int, max_seconds: float) -> None:
        self._response, self._max_bytes = response, max_bytes
        self._deadline = time.monotonic() + max_seconds
        self._parts: list[bytes] = []
        self._size = 0
        encoding = response.headers.get("content-encoding", "").strip().lower()
        if encoding not in ENCODINGS:
            raise self._error(f"an answer in the encoding {encoding}")

    def add(self, content: bytes) -> None:
        self._parts.append(content)
        self._size += len(content)
        if self._size > self._max_bytes:
            raise self._error(f"an answer of more than {self._max_bytes / 1e6:g} MB")
        if time.monotonic() > self._deadline:
            raise self._error("an answer that takes too long")

    def _error(self, message: str) -> httpx.ReadError:
        return httpx.ReadError(message, request=self._response.request)

    def response(self) -> httpx.Response:
        """The response with its whole body, unpacked."""
        skipped = ("content-encoding", "content-length", "transfer-encoding")
        headers = [pair for pair in self._response.headers.multi_items() if pair[0] not in skipped]
        return httpx.Response(
            self._response.status_code,
            headers=headers,
            content=b"".join(self._parts),
            request=self._response.request,
        )
