"""The simulated site over HTTP: films in ranges and as HLS, refusals, shared clock."""

import io
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import av
import httpx
import numpy as np
import pytest
import yt_dlp

from footy_assets.clock import ManualClock
from footy_assets.sim import SimServer, make_world
from footy_assets.sim.social import Film, SocialServer
from footy_assets_tests.resources.fans import NOW, post

pytestmark = pytest.mark.slow


def film(seconds: float = 2.0) -> bytes:
    out = io.BytesIO()
    with av.open(out, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 160, 96, "yuv420p"
        for number in range(int(seconds * 25)):
            picture = np.full((96, 160, 3), number % 250, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, "rgb24")))
        container.mux(stream.encode())
    return out.getvalue()


FILM = film()
FILMS = {
    "goal": Film(FILM),
    "abroad": Film(refusal="geo_blocked"),
    "gone": Film(refusal="removed"),
    "mine": Film(refusal="private"),
    "broken": Film(b"no film at all"),
}


@pytest.fixture(scope="module")
def site() -> Iterator[SocialServer]:
    posts = [post(1, video="goal"), post(2, video=None)]
    with SocialServer(lambda now: posts, ManualClock(NOW), films=FILMS.get) as running:
        yield running


def test_a_film_is_served_whole_or_in_ranges(site: SocialServer) -> None:
    address = f"{site.url}/video/goal.mp4"
    whole = httpx.get(address)
    assert (whole.content, whole.headers["accept-ranges"]) == (FILM, "bytes")
    for byte_range, part in [
        ("bytes=0-99", FILM[:100]),
        ("bytes=100-", FILM[100:]),
        ("bytes=-50", FILM[-50:]),
        ("bytes=10-99999999", FILM[10:]),
    ]:
        piece = httpx.get(address, headers={"range": byte_range})
        assert (piece.status_code, piece.content) == (206, part), byte_range
    beyond = httpx.get(address, headers={"range": f"bytes={len(FILM)}-"})
    assert beyond.status_code == 416


@pytest.mark.parametrize(
    ("name", "status"), [("abroad", 451), ("gone", 404), ("mine", 401), ("never", 404)]
)
def test_a_refusal_has_its_status_everywhere(site: SocialServer, name: str, status: int) -> None:
    for path in (f"/video/{name}.mp4", f"/hls/{name}/playlist.m3u8", f"/hls/{name}/0.ts"):
        assert httpx.get(f"{site.url}{path}").status_code == status, path


def download(address: str, folder: Path) -> Path:
    options: Any = {"outtmpl": str(folder / "got.%(ext)s"), "quiet": True, "noprogress": True}
    with yt_dlp.YoutubeDL(options) as downloader:
        downloader.download([address])
    (file,) = folder.iterdir()
    return file


@pytest.mark.parametrize(
    "path", ["/video/goal.mp4", "/hls/goal/playlist.m3u8", "/fan1/status/1900000001"]
)
def test_a_downloader_gets_the_film_by_every_address(
    site: SocialServer, tmp_path: Path, path: str
) -> None:
    with av.open(str(download(f"{site.url}{path}", tmp_path))) as got:
        assert len(list(got.decode(video=0))) == 50


def test_a_broken_film_is_served_as_it_is(site: SocialServer) -> None:
    assert httpx.get(f"{site.url}/hls/broken/0.ts").content == b"no film at all"


def test_site_and_provider_share_one_clock() -> None:
    clock = ManualClock(datetime(2025, 5, 10, 15, tzinfo=UTC))
    late = post(1)
    with (
        SimServer(make_world(), clock) as provider,
        SocialServer(lambda now: [late], clock) as site,
    ):
        assert httpx.get(f"{provider.url}/status").status_code == 200
        params = {"q": "Salah Liverpool"}
        search = f"{site.url}/xrpc/app.bsky.feed.searchPosts"
        assert httpx.get(search, params=params).json()["posts"] == []
        clock.at = NOW
        assert len(httpx.get(search, params=params).json()["posts"]) == 1


def test_bluesky_refuses_parameters_that_its_lexicon_forbids(site: SocialServer) -> None:
    search = f"{site.url}/xrpc/app.bsky.feed.searchPosts"
    assert httpx.get(search).status_code == 400
    assert httpx.get(search, params={"q": "a", "limit": 101}).status_code == 400
