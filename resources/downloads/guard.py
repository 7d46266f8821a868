"""The network of a download: only allowed hosts, only public addresses, only so many bytes.

yt-dlp sends every request through a `RequestHandler`: of pages, redirects, playlists, segments and
keys. This one replaces all of its own, so nothing is fetched without these checks.
"""

import http.client
import socket
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit
from urllib.request import (
    HTTPCookieProcessor,
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    OpenerDirector,
    Request,
    UnknownHandler,
)
from urllib.response import addinfourl

import yt_dlp
from yt_dlp.networking._urllib import (
    HTTPHandler,
    RedirectHandler,
    UrllibResponseAdapter,
    UrllibRH,
)
from yt_dlp.networking.exceptions import RequestError

from footy_assets.errors import AddressNotPublic, DownloadCause, DownloadFailed
from resources.downloads.hosts import is_allowed
from resources.public_addresses import Resolve, resolve_public

# A page, a playlist or a key; films are read in pieces.
PAGE_BYTES = 10_000_000
ENCODINGS = {"gzip": zlib.MAX_WBITS | 16, "deflate": zlib.MAX_WBITS}

Dial = Callable[..., socket.socket]


@dataclass
class NetworkRule:
    """Where a download may connect to, and how many bytes it may receive in all."""

    hosts: tuple[str, ...]
    max_bytes: int
    private_addresses: bool = False
    resolve: Resolve = socket.getaddrinfo
    dial: Dial = socket.create_connection
    received: int = 0

    def require_host(self, url: str) -> None:
        host = urlsplit(url).hostname or ""
        if not is_allowed(host, self.hosts):
            message = f"{host} is not a known host; FOOTY_DOWNLOAD_HOSTS allows more"
            raise _refusal(message, DownloadCause.FORBIDDEN)

    def connect(
        self, address: tuple[str, int], timeout: float | None = None, local_address: Any = None
    ) -> socket.socket:
        """As `socket.create_connection`; connects to the very address that was checked."""
        failed: OSError | None = None
        for _, _, _, _, found in self._addresses(*address):
            try:
                return self.dial(found[:2], timeout, local_address)
            except OSError as error:
                failed = error
        raise failed or OSError(f"{address[0]} has no address")

    def _addresses(self, host: str, port: int) -> list[Any]:
        if self.private_addresses:
            return self.resolve(host, port, type=socket.SOCK_STREAM)
        try:
            return resolve_public(host, port, resolve=self.resolve)
        except AddressNotPublic as error:
            raise _refusal(str(error), DownloadCause.FORBIDDEN) from error

    def count(self, content: bytes) -> bytes:
        self.received += len(content)
        if self.received > self.max_bytes:
            raise too_large(self.max_bytes)
        return content


def too_large(limit: int) -> RequestError:
    return _refusal(f"answers of more than {limit / 1e6:g} MB", DownloadCause.TOO_LARGE)


def _refusal(message: str, cause: DownloadCause) -> RequestError:
    return RequestError(message, cause=DownloadFailed(message, cause))


class GuardedYoutubeDL(yt_dlp.YoutubeDL):  # type: ignore[misc]
    def __init__(self, options: dict[str, Any], rule: NetworkRule) -> None:
        self._rule = rule
        super().__init__(options)

    @cached_property
    def _request_director(self) -> Any:
        return self.build_request_director([partial(GuardedRH, rule=self._rule)])


class GuardedRH(UrllibRH):  # type: ignore[misc]
    """HTTP without proxies, which would resolve names themselves, and without other protocols."""

    _SUPPORTED_URL_SCHEMES = ("http", "https")
    _SUPPORTED_PROXY_SCHEMES = ()
    RH_NAME = "guarded"

    def __init__(self, *, rule: NetworkRule, **options: Any) -> None:
        super().__init__(**options)
        self._rule = rule

    def _create_instance(
        self, proxies: Any, cookiejar: Any, legacy_ssl_support: Any = None
    ) -> OpenerDirector:
        opener = OpenerDirector()
        context = self._make_sslcontext(legacy_ssl_support=legacy_ssl_support)
        for handler in (
            _GuardedHTTP(self._rule, context),
            HTTPCookieProcessor(cookiejar),
            UnknownHandler(),
            HTTPDefaultErrorHandler(),
            HTTPErrorProcessor(),
            RedirectHandler(),
        ):
            opener.add_handler(handler)
        opener.addheaders = []
        return opener

    def _prepare_headers(self, _: Any, headers: Any) -> None:
        if "Accept-Encoding" not in headers:
            headers["Accept-Encoding"] = ", ".join(ENCODINGS)

    def _send(self, request: Any) -> Any:
        return _BoundedResponse(super()._send(request), self._rule)


class _GuardedHTTP(HTTPHandler):  # type: ignore[misc]
    def __init__(self, rule: NetworkRule, context: Any) -> None:
        super().__init__(context=context)
        self._rule = rule

    def http_open(self, req: Request) -> Any:
        self._rule.require_host(req.full_url)
        return self.do_open(partial(self._connection, http.client.HTTPConnection), req)

    def https_open(self, req: Request) -> Any:
        self._rule.require_host(req.full_url)
        return self.do_open(
            partial(self._connection, http.client.HTTPSConnection), req, context=self._context
        )

    def _connection(self, kind: Any, *args: Any, **options: Any) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection = kind(*args, **options)
        connection._create_connection = self._rule.connect  # type: ignore[attr-defined]
        return connection

    def http_response(self, req: Request, resp: Any) -> Any:
        """Decompress up to a limit: a megabyte may become gigabytes."""
        encoding = resp.headers.get("Content-Encoding", "identity").strip().lower()
        if encoding in ("", "identity"):
            return resp
        if encoding not in ENCODINGS:
            raise _refusal(f"an answer in the encoding {encoding}", DownloadCause.UNREADABLE)
        content = self._rule.count(resp.read(PAGE_BYTES + 1))
        if len(content) > PAGE_BYTES:
            raise too_large(PAGE_BYTES)
        plain = BytesIO(_decompress(content, encoding))
        decoded: Any = addinfourl(plain, resp.headers, resp.url, resp.code)
        decoded.msg = resp.msg
        return decoded

    https_response = http_response


def _decompress(content: bytes, encoding: str) -> bytes:
    try:
        plain = zlib.decompressobj(ENCODINGS[encoding]).decompress(content, PAGE_BYTES + 1)
    except zlib.error as error:
        raise _refusal(f"an answer that is not {encoding}", DownloadCause.UNREADABLE) from error
    if len(plain) > PAGE_BYTES:
        raise too_large(PAGE_BYTES)
    return plain


class _BoundedResponse(UrllibResponseAdapter):  # type: ignore[misc]
    def __init__(self, response: Any, rule: NetworkRule) -> None:
        super().__init__(response.fp)
        # Kept because it closes the connection when it is collected.
        self._response = response
        self._rule = rule

    def read(self, amt: int | None = None) -> bytes:
        if amt is not None:
            return self._rule.count(super().read(amt))
        content = self._rule.count(super().read(PAGE_BYTES + 1))
        if len(content) > PAGE_BYTES:
            raise too_large(PAGE_BYTES)
        return content
