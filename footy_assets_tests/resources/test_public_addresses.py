"""Only addresses of the public internet are connected to."""

import asyncio
import socket
from typing import Any

import httpx
import pytest

from footy_assets.errors import AddressNotPublic
from resources.public_addresses import (
    AddressInfo,
    PublicAddressTransport,
    connect_only_to_public_addresses,
    is_public,
    resolve_public,
)

PUBLIC = ["1.1.1.1", "93.184.216.34", "100.63.0.1", "100.128.0.1", "172.32.0.1", "2606:4700::1111",
          "64:ff9b::101:101", "::ffff:1.1.1.1"]  # fmt: skip
NOT_PUBLIC = [
    *("0.0.0.0", "0.1.2.3", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.9.9.9"),
    *("168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192"),
    *("192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1"),
    *("224.0.0.1", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:0:127.0.0.1"),
    *("64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::101:101", "100::1", "fd00:ec2::254"),
    *("fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1", "ff02::1", "2001:db8::1", "3fff::1"),
    *("2001:0:1::1", "2002:7f00:1::1", "2002:101:101::1", "5f00::1"),
    *("localhost", "", "1.1.1.1.example"),
]
# Every way to write loopback that the system's resolver understands.
WRITTEN_AS_LOOPBACK = ["localhost", "127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1",
                       "0", "::1", "::ffff:127.0.0.1"]  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_all_other_addresses_are_not(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("written", WRITTEN_AS_LOOPBACK)
def test_loopback_is_refused_however_it_is_written(written: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = (written, listening.getsockname()[1])
        with pytest.raises(AddressNotPublic, match="public internet"):
            connect_only_to_public_addresses(address, 5)
        listening.setblocking(False)
        with pytest.raises(BlockingIOError):
            listening.accept()


def test_an_address_that_is_not_public_is_an_error_of_the_connection() -> None:
    with pytest.raises(OSError, match="localhost is not an address of the public internet"):
        resolve_public("localhost", 80)


def answer(*addresses: str) -> list[AddressInfo]:
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80)) for address in addresses]


def test_of_several_addresses_only_public_ones_are_left() -> None:
    found = resolve_public(
        "mixed.example", 80, resolve=lambda *_, **__: answer("10.0.0.1", "1.1.1.1", "127.0.0.1")
    )
    assert [info[4][0] for info in found] == ["1.1.1.1"]


class Recorder(httpx.AsyncBaseTransport):
    """The far side: records where requests go; one address cannot be reached."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if request.url.host == "8.8.8.8":
            raise httpx.ConnectError("no route")
        return httpx.Response(200)


def get(url: str, answers: list[list[AddressInfo]]) -> list[httpx.Request]:
    """Each name resolution takes the next of the answers."""
    recorder = Recorder()

    async def run() -> None:
        transport = PublicAddressTransport(recorder, lambda *_, **__: answers.pop(0))
        async with httpx.AsyncClient(transport=transport) as client:
            await client.get(url)

    asyncio.run(run())
    return recorder.requests


def test_a_request_goes_to_the_address_that_was_checked_whatever_the_name_resolves_to_next() -> (
    None
):
    [request] = get("https://rebinding.example:8443/hook", [answer("1.1.1.1"), answer("127.0.0.1")])
    assert str(request.url) == "https://1.1.1.1:8443/hook"
    assert request.headers["host"] == "rebinding.example:8443"
    assert request.extensions["sni_hostname"] == "rebinding.example"


def test_a_name_that_resolves_to_a_private_address_gets_no_request() -> None:
    with pytest.raises(AddressNotPublic):
        get("http://inside.example/hook", [answer("192.168.0.1")])


def test_the_next_public_address_is_tried_when_one_cannot_be_reached() -> None:
    requests = get("http://two.example/", [answer("8.8.8.8", "1.1.1.1")])
    assert [request.url.host for request in requests] == ["8.8.8.8", "1.1.1.1"]


def test_a_real_client_reaches_nothing_on_loopback() -> None:
    async def run(url: str) -> Any:
        transport = PublicAddressTransport(httpx.AsyncHTTPTransport())
        async with httpx.AsyncClient(transport=transport) as client:
            return await client.get(url)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        with pytest.raises(AddressNotPublic):
            asyncio.run(run(f"http://localhost:{port}/"))
        listening.setblocking(False)
        with pytest.raises(BlockingIOError):
            listening.accept()
