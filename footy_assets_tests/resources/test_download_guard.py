"""A download reaches the hosts of the sites, at public addresses, and nothing else."""

import gzip
from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from footy_assets.errors import DownloadCause, DownloadFailed
from footy_assets_tests.resources.internet import CDN, FILM, OTHER_CDN, PUBLIC, Internet
from resources.downloads.fetch import fetch_video
from resources.downloads.guard import PAGE_BYTES
from resources.downloads.hosts import allowed_hosts, is_allowed

PLAYLIST = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n{key}#EXTINF:4.0,\n{segment}\n#EXT-X-ENDLIST\n"


def fetch(internet: Internet, folder: Path, url: str, max_bytes: int = 10**7) -> Path:
    return fetch_video(url, folder, "one", max_bytes, internet.rule(), lambda: None)


def refusal(internet: Internet, folder: Path, url: str) -> DownloadFailed:
    with pytest.raises(DownloadFailed) as failure:
        fetch(internet, folder, url)
    assert set(internet.reached) <= {PUBLIC}
    assert not failure.value.retryable
    return failure.value


def test_a_film_on_the_cdn_of_a_site_is_fetched(internet: Internet, tmp_path: Path) -> None:
    assert fetch(internet, tmp_path, f"http://{CDN}/film.mp4").read_bytes() == FILM


def test_a_film_in_segments_is_fetched(internet: Internet, tmp_path: Path) -> None:
    internet.answers["/film.m3u8"] = playlist(segment=f"http://{OTHER_CDN}/0.ts")
    internet.answers["/0.ts"] = Response(FILM, media_type="video/mp2t")
    assert fetch(internet, tmp_path, f"http://{CDN}/film.m3u8").read_bytes() == FILM


def playlist(segment: str = "0.ts", key: str = "") -> Response:
    line = f'#EXT-X-KEY:METHOD=AES-128,URI="{key}"\n' if key else ""
    text = PLAYLIST.format(key=line, segment=segment)
    return PlainTextResponse(text, media_type="application/vnd.apple.mpegurl")


FORBIDDEN = [
    "http://127.0.0.1/x.ts",
    "http://localhost/x.ts",
    "http://[::1]/x.ts",
    "http://169.254.169.254/latest/meta-data/x.ts",
    "http://10.0.0.1:27017/x.ts",
    "http://example.com/x.ts",
    "https://video.twimg.com.example.com/x.ts",
]


@pytest.mark.parametrize("url", FORBIDDEN)
def test_a_url_to_another_host_is_refused(internet: Internet, tmp_path: Path, url: str) -> None:
    assert refusal(internet, tmp_path, url).cause is DownloadCause.FORBIDDEN
    assert not internet.reached


@pytest.mark.parametrize("url", FORBIDDEN)
def test_a_redirect_to_another_host_is_refused(
    internet: Internet, tmp_path: Path, url: str
) -> None:
    internet.answers["/film.mp4"] = RedirectResponse(url, 302)
    assert refusal(internet, tmp_path, f"http://{CDN}/film.mp4").cause is DownloadCause.FORBIDDEN
    assert internet.asked == ["/film.mp4"]


@pytest.mark.parametrize("url", FORBIDDEN)
def test_a_segment_on_another_host_is_refused(internet: Internet, tmp_path: Path, url: str) -> None:
    internet.answers["/film.m3u8"] = playlist(segment=url)
    assert refusal(internet, tmp_path, f"http://{CDN}/film.m3u8").cause is DownloadCause.FORBIDDEN


@pytest.mark.parametrize("url", FORBIDDEN)
def test_a_key_on_another_host_is_refused(internet: Internet, tmp_path: Path, url: str) -> None:
    internet.answers["/film.m3u8"] = playlist(segment="0.ts", key=url)
    assert refusal(internet, tmp_path, f"http://{CDN}/film.m3u8").cause is DownloadCause.FORBIDDEN


@pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "10.1.2.3", "::1"])
def test_a_name_of_the_cdn_that_resolves_to_a_private_address_is_refused(
    internet: Internet, tmp_path: Path, address: str
) -> None:
    internet.names[CDN] = address
    assert refusal(internet, tmp_path, f"http://{CDN}/film.mp4").cause is DownloadCause.FORBIDDEN
    assert not internet.reached


def test_a_segment_whose_name_resolves_to_a_private_address_is_refused(
    internet: Internet, tmp_path: Path
) -> None:
    internet.names[OTHER_CDN] = "192.168.0.1"
    internet.answers["/film.m3u8"] = playlist(segment=f"http://{OTHER_CDN}/0.ts")
    assert refusal(internet, tmp_path, f"http://{CDN}/film.m3u8").cause is DownloadCause.FORBIDDEN


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://video.twimg.com/x", "data:,x"])
def test_other_protocols_are_refused(internet: Internet, tmp_path: Path, url: str) -> None:
    with pytest.raises(DownloadFailed):
        fetch(internet, tmp_path, url)
    assert not internet.reached


def test_a_compressed_page_is_unpacked_up_to_its_limit(internet: Internet, tmp_path: Path) -> None:
    bomb = gzip.compress(b"<html>" + b" " * PAGE_BYTES, mtime=0)
    internet.answers["/page"] = Response(
        bomb, headers={"content-encoding": "gzip"}, media_type="text/html"
    )
    assert refusal(internet, tmp_path, f"http://{CDN}/page").cause is DownloadCause.TOO_LARGE


def test_an_unknown_encoding_is_refused(internet: Internet, tmp_path: Path) -> None:
    internet.answers["/page"] = Response(
        b"x", headers={"content-encoding": "br"}, media_type="text/html"
    )
    assert refusal(internet, tmp_path, f"http://{CDN}/page").cause is DownloadCause.UNREADABLE


def test_hosts_are_compared_whole() -> None:
    hosts = allowed_hosts(("films.example.com", "*.cdn.example.com"))
    assert is_allowed("video.twimg.com", hosts)
    assert is_allowed("VIDEO.twimg.com.", hosts)
    assert is_allowed("films.example.com", hosts)
    assert is_allowed("a.cdn.example.com", hosts)
    assert is_allowed("morel.us-east.host.bsky.network", hosts)
    for other in ("", "twimg.com", "xvideo.twimg.com", "example.com", "cdn.example.com", "t.co"):
        assert not is_allowed(other, hosts), other
