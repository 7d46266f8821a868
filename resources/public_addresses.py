"""Connections to addresses of the public internet only.

A URL that strangers or subscribers give may name this machine, its network, or a cloud's metadata
server. The address is checked after name resolution, and that very address is connected to: a name
that resolves differently a moment later (DNS rebinding) does not get through.
"""

import asyncio
import socket
from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any

import httpx

from footy_assets.errors import AddressNotPublic

AddressInfo = tuple[Any, Any, int, str, Any]
Resolve = Callable[..., list[AddressInfo]]

# IANA's special-purpose registries, written out: `is_global` differs between versions of Python.
NOT_PUBLIC_V4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT
        "127.0.0.0/8",
        "168.63.129.16/32",  # a public address that Azure uses for its metadata
        "169.254.0.0/16",  # link-local, and the metadata of most clouds
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
PUBLIC_V6 = IPv6Network("2000::/3")
NOT_PUBLIC_V6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments, with Teredo
        "2001:db8::/32",
        "2002::/16",  # 6to4, which reaches any IPv4 address
        "3fff::/20",
    )
)
# The last 32 bits of these are an IPv4 address: that one is reached.
V4_IN_V6 = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address):
        if any(parsed in network for network in V4_IN_V6):
            return is_public(str(IPv4Address(int(parsed) & 0xFFFF_FFFF)))
        return parsed in PUBLIC_V6 and not any(parsed in network for network in NOT_PUBLIC_V6)
    return not any(parsed in network for network in NOT_PUBLIC_V4)


def resolve_public(
    host: str, port: int, *, resolve: Resolve = socket.getaddrinfo
) -> list[AddressInfo]:
    """What `socket.getaddrinfo` returns, without addresses that are not public. Raises
    `AddressNotPublic` when none is left."""
    found = resolve(host, port, type=socket.SOCK_STREAM)
    public = [info for info in found if is_public(info[4][0])]
    if not public:
        raise AddressNotPublic(f"{host} is not an address of the public internet")
    return public


def connect_only_to_public_addresses(
    address: tuple[str, int],
    timeout: float | None = None,
    local_address: tuple[str, int] | None = None,
    *,
    resolve: Resolve = socket.getaddrinfo,
) -> socket.socket:
    """As `socket.create_connection`. Raises `AddressNotPublic`, which is an `OSError`."""
    failed: OSError | None = None
    for _, _, _, _, found in resolve_public(*address, resolve=resolve):
        try:
            return socket.create_connection(found[:2], timeout, local_address)
        except OSError as error:
            failed = error
    assert failed is not None
    raise failed


class PublicAddressTransport(httpx.AsyncBaseTransport):
    """Sends requests of httpx to public addresses only, those of redirects too. A client with a
    transport of its own uses no proxy of the environment, which would resolve names itself."""

    def __init__(
        self, inner: httpx.AsyncBaseTransport, resolve: Resolve = socket.getaddrinfo
    ) -> None:
        self._inner = inner
        self._resolve = resolve

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        port = url.port or (443 if url.scheme == "https" else 80)
        try:
            found = await asyncio.to_thread(resolve_public, url.host, port, resolve=self._resolve)
        except socket.gaierror as error:
            raise httpx.ConnectError(f"{url.host}: {error.strerror}", request=request) from error
        failed: httpx.ConnectError | None = None
        for _, _, _, _, address in found:
            try:
                return await self._inner.handle_async_request(_sent_to(request, address[0]))
            except httpx.ConnectError as error:
                failed = error
        assert failed is not None
        raise failed

    async def aclose(self) -> None:
        await self._inner.aclose()


def _sent_to(request: httpx.Request, address: str) -> httpx.Request:
    """The same request to one address; its `Host` and the certificate stay those of the name."""
    return httpx.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": request.url.host},
    )
