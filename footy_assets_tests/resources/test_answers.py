"""Answers of providers and sites are bounded, in size and in time."""

import asyncio
import gzip
from collections.abc import Iterator

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from footy_assets.errors import WikidataUnavailable
from footy_assets.retries import RetryPolicy
from footy_assets.sim.loopback import Loopback
from footy_assets_tests.resources.endless import forever
from resources.answers import MAX_BYTES, send_bounded, send_bounded_async
from resources.wikidata.client import Wikidata

LIMIT = 100_000


async def serve(request: Request) -> Response:
    match request.url.path:
        case "/endless":
            return StreamingResponse(forever(b" " * 10_000, 0))
        case "/slow":
            return StreamingResponse(forever(b" ", 0.01))
        case "/bomb":
            bomb = gzip.compress(b" " * (MAX_BYTES + 1), mtime=0)
            return Response(bomb, headers={"content-encoding": "gzip"})
        case "/zstd":
            return Response(b"", headers={"content-encoding": "zstd"})
    return JSONResponse({"path": request.url.path}, headers={"x-left": "3"})


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    running = Loopback(Starlette(routes=[Route("/{name:path}", serve)]), ("127.0.0.1", 0))
    yield f"http://127.0.0.1:{running.address[1]}"
    running.stop()


def test_an_answer_within_the_limits_is_whole(url: str) -> None:
    with httpx.Client() as client:
        answer = send_bounded(client, "GET", f"{url}/fine", max_bytes=LIMIT)
    assert answer.json() == {"path": "/fine"}
    assert (answer.status_code, answer.headers["x-left"]) == (200, "3")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/endless", "more than 0.1 MB"),
        ("/bomb", "more than 0.1 MB"),
        ("/slow", "takes too long"),
        ("/zstd", "encoding zstd"),
    ],
)
def test_an_answer_beyond_the_limits_is_cut_off(url: str, path: str, reason: str) -> None:
    with httpx.Client() as client, pytest.raises(httpx.TransportError, match=reason):
        send_bounded(client, "GET", url + path, max_bytes=LIMIT, max_seconds=0.3)


def test_an_asynchronous_answer_beyond_the_limits_is_cut_off(url: str) -> None:
    async def get() -> None:
        async with httpx.AsyncClient() as client:
            await send_bounded_async(client, "GET", f"{url}/endless", max_bytes=LIMIT)

    with pytest.raises(httpx.TransportError, match=r"more than 0\.1 MB"):
        asyncio.run(get())


def test_a_packed_answer_of_wikidata_is_unpacked_up_to_the_limit(url: str) -> None:
    once = RetryPolicy(1, 0.0, 1.0, timeout=10.0)
    with (
        Wikidata(f"{url}/bomb", retry=once) as wikidata,
        pytest.raises(WikidataUnavailable, match="more than 20 MB"),
    ):
        wikidata.search("Liverpool")
