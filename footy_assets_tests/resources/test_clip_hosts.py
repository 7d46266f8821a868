"""SE5: the file of a clip is found on the page of its host, and fetched within the same limits."""

import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from footy_assets.clip_host_name import ClipHostName
from footy_assets.clock import ManualClock
from footy_assets.errors import BadInput, DownloadCause, DownloadFailed, DownloadUnavailable
from footy_assets.settings import load_settings
from footy_assets.sim.social.media import Film
from footy_assets.sim.social.soccer_server import SoccerServer
from resources.clip_hosts.find import find_files
from resources.clip_hosts.pages import files_of_page, files_of_streamable, files_of_streamff
from resources.clip_hosts.table import CLIP_HOSTS, ClipHost, ClipHosts, clip_id
from resources.downloads.fetch import fetch_video
from resources.downloads.guard import NetworkRule
from resources.downloads.hosts import HOSTS
from resources.downloads.worker import answer_for

FILM = b"\x00\x00\x00 ftypisom" + b"x" * 5_000
PUBLIC = "93.184.216.34"
PAGE = "https://clips.example/v/abc123"


# -- what a page names ----------------------------------------------------------------------------

PAGES = [
    ('<video src="/f/a.mp4#t=0.1"></video>', ("https://clips.example/f/a.mp4",)),
    ('<VIDEO\n data-link="//cdn.example/a.mp4">', ("https://cdn.example/a.mp4",)),
    ('<video><source src="a.mp4" type="video/mp4"></video>', ("https://clips.example/v/a.mp4",)),
    (
        '<meta content="https://cdn.example/a.mp4?x=1&amp;y=2" property="og:video">',
        ("https://cdn.example/a.mp4?x=1&y=2",),
    ),
    (
        '<meta property="og:video" content="https://cdn.example/og.mp4" />'
        '<video src="https://cdn.example/player.mp4" />',
        ("https://cdn.example/player.mp4", "https://cdn.example/og.mp4"),
    ),
    ('<base href="https://cdn.example/x/"><video src="a.mp4">', ("https://cdn.example/x/a.mp4",)),
    # Not files: the page itself, a player to embed, other schemes, pictures, text and comments.
    (f'<meta property="og:video" content="{PAGE}">', ()),
    (
        '<meta property="og:video" content="https://clips.example/embed/a">'
        '<meta property="og:video:type" content="text/html">',
        (),
    ),
    ('<video src="blob:https://clips.example/1"></video><video src="data:video/mp4,x">', ()),
    ('<video src="file:///etc/passwd"><video src="ftp://h/a.mp4"><video src="">', ()),
    ('<picture><source srcset="a.webp" type="image/webp"></picture>', ()),
    ('<!-- <video src="a.mp4"> --><script>var v = "<video src=a.mp4>"</script>', ()),
    ('<video src="http://[broken/a.mp4">', ()),
    ("", ()),
    ("\x00<<<>>", ()),
]


@pytest.mark.parametrize(("page", "files"), PAGES)
def test_se5_a_page_names_its_files(page: str, files: tuple[str, ...]) -> None:
    assert files_of_page(page, PAGE) == files


def test_se5_a_page_with_many_videos_is_not_followed_to_all() -> None:
    page = "".join(f'<video src="{n}.mp4"></video>' for n in range(50))
    assert len(files_of_page(page, PAGE)) == 3


@pytest.mark.parametrize(
    "piece", ["<![", "<a ", "<!", "<video src=", "<!--", '<meta content="', "<b>"]
)
def test_se5_a_hostile_page_names_nothing_and_costs_little(piece: str) -> None:
    """Python's own parser needs minutes for some of them, and fails at others."""
    assert len(files_of_page(piece * 50_000, PAGE)) <= 1


def test_se5_streamff_names_its_file_in_json() -> None:
    share = '[{"external_url": "https://cdn.example/a.mp4", "views": 3}, {"external_url": null}]'
    assert files_of_streamff(share, PAGE) == ("https://cdn.example/a.mp4",)
    for expired in ("[]", "{}", "<html>", '[{"external_url": 3}]'):
        assert files_of_streamff(expired, PAGE) == ()


def test_se5_streamable_names_its_files_in_json_and_the_highest_comes_first() -> None:
    video = (
        '{"status": 2, "files": {"mp4-mobile": {"url": "https://cdn.example/s.mp4", "height": 360},'
        ' "mp4": {"url": "//cdn.example/l.mp4", "height": 720}, "original": null}}'
    )
    files = ("https://cdn.example/l.mp4", "https://cdn.example/s.mp4")
    assert files_of_streamable(video, PAGE) == files
    assert files_of_streamable('{"files": 3}', PAGE) == ()


# -- the table ------------------------------------------------------------------------------------

LINKS = [
    ("https://streamin.link/v/1a2b3c4d", "https://streamin.link/v/1a2b3c4d"),
    ("https://www.streamff.pro/c/1a2b3c4d", "https://ffedge.streamff.com/share/1a2b3c4d"),
    ("https://streamain.com/en/AbCdEfGh123/watch", "https://streamain.com/embed/AbCdEfGh123"),
    ("https://streama.in/AbCdEfGh123/watch", "https://streama.in/embed/AbCdEfGh123"),
    ("https://dubz.link/c/3ea24e", "https://dubz.link/c/3ea24e"),
    ("https://streamable.com/e/abc12", "https://api.streamable.com/videos/abc12"),
    ("https://c-cdn.streamin.top/uploads/1a2b.mp4", None),
]


@pytest.mark.parametrize(("link", "page"), LINKS)
def test_se5_each_host_has_its_page(link: str, page: str | None) -> None:
    host = ClipHosts().host_of(link)
    assert host is not None
    assert host.page_for(link) == page


@pytest.mark.parametrize(
    "link",
    [
        "https://www.reddit.com/r/soccer/comments/1/",
        "https://v.redd.it/abc",
        "https://streamin.link.example.com/v/1",
        "https://notstreamin.link/v/1",
        "ftp://streamin.link/v/1",
        "http://[broken/v/1",
        "",
    ],
)
def test_se5_other_links_are_no_clips(link: str) -> None:
    assert ClipHosts().host_of(link) is None


def test_se5_a_setting_adds_domains() -> None:
    hosts = ClipHosts(("streamin.example=streamin", "clips.example"))
    moved = hosts.host_of("https://streamin.example/v/1a2b")
    other = hosts.host_of("https://www.clips.example/v/1a2b")
    assert moved is not None
    assert other is not None
    assert moved.name is ClipHostName.STREAMIN
    assert {"streamin.example", "*.streamin.example", "streamin.link"} <= set(moved.allowed)
    assert other.allowed == ("clips.example", "*.clips.example")


def test_se5_the_setting_of_domains_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTY_CLIP_HOSTS", "Streamin.example=streamin, clips.example")
    assert load_settings().clip_hosts == ("streamin.example=streamin", "clips.example")
    for wrong, why in (("a.example=vimeo", "vimeo"), ("https://a.example", "not a domain")):
        monkeypatch.setenv("FOOTY_CLIP_HOSTS", wrong)
        with pytest.raises(BadInput, match=why):
            load_settings()


def test_se5_every_name_has_one_host_and_none_may_reach_the_sites() -> None:
    assert [host.name for host in CLIP_HOSTS] == list(ClipHostName)
    of_sites = {host for hosts in HOSTS.values() for host in hosts}
    for host in CLIP_HOSTS:
        assert not of_sites & set(host.allowed)


def test_se5_a_clips_id_is_plain_text() -> None:
    assert clip_id("https://dubz.link/c/3ea24e?x=1") == "3ea24e"
    for link in ("https://dubz.link/", "https://dubz.link/v/a%2F..%2Fb", "https://dubz.link/v/"):
        assert clip_id(link) is None


# -- finding --------------------------------------------------------------------------------------

DUBZ = next(host for host in CLIP_HOSTS if host.name is ClipHostName.DUBZ)
LINK = "https://dubz.link/c/3ea24e"
KNOWN = DUBZ.files_for(LINK)


def test_se5_where_files_are_known_to_be_is_tried_after_what_the_page_names() -> None:
    files = find_files(DUBZ, LINK, lambda url: '<source src="https://dubzalt.com/3ea24e.mp4">')
    assert files == ("https://dubzalt.com/3ea24e.mp4", *KNOWN)
    assert find_files(DUBZ, LINK, lambda url: "<p>") == KNOWN


def failing(error: DownloadFailed) -> Any:
    def get(url: str) -> str:
        raise error

    return get


def test_se5_without_a_page_a_known_place_is_tried_unless_the_address_is_forbidden() -> None:
    gone = DownloadUnavailable("HTTP Error 500", DownloadCause.UNAVAILABLE)
    assert find_files(DUBZ, LINK, failing(gone)) == KNOWN
    with pytest.raises(DownloadFailed):
        find_files(DUBZ, LINK, failing(DownloadFailed("private", DownloadCause.FORBIDDEN)))


def test_se5_a_page_without_a_video_is_said() -> None:
    host = ClipHost(ClipHostName.OTHER, ("clips.example",))
    with pytest.raises(DownloadFailed, match="names no video") as failure:
        find_files(host, PAGE, lambda url: "<p>Video is processing")
    assert failure.value.cause is DownloadCause.NO_VIDEO


# -- fetching through the guard -------------------------------------------------------------------


@pytest.fixture(scope="module")
def running() -> Iterator[SoccerServer]:
    clock = ManualClock(datetime(2026, 9, 12, 15, 30, tzinfo=UTC))
    with SoccerServer(lambda now: [], clock, films=lambda _: Film(FILM)) as server:
        yield server


@pytest.fixture
def server(running: SoccerServer) -> SoccerServer:
    running.reset()
    return running


def fetch(server: SoccerServer, folder: Path, link: str, **limits: Any) -> bytes:
    """As if the hosts had public addresses; nothing but those is connected to."""
    host = ClipHosts().host_of(link)
    assert host is not None

    def resolve(name: str, port: int, **_: Any) -> list[Any]:
        address = name if name[0].isdigit() else PUBLIC
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    def dial(address: tuple[str, int], timeout: float | None, _: Any) -> socket.socket:
        assert address[0] == PUBLIC
        return socket.create_connection(("127.0.0.1", urlsplit(server.url).port), timeout)

    rule = NetworkRule(host.allowed, limits.pop("received", 10**8), resolve=resolve, dial=dial)
    path = fetch_video(link, folder, "one", 10**7, rule, lambda: None, host)
    return path.read_bytes()


@pytest.mark.parametrize(
    "link",
    [
        "http://streamin.link/v/film1",
        "http://streamain.com/en/film1/watch",
        "http://streamin.me/short/film1",
        "http://cdn.streamin.top/uploads/film1.mp4",
    ],
)
def test_d1_the_file_of_a_clip_is_fetched(server: SoccerServer, tmp_path: Path, link: str) -> None:
    assert fetch(server, tmp_path, link) == FILM


def test_d1_a_file_on_a_host_that_is_not_in_the_table_is_refused(
    server: SoccerServer, tmp_path: Path
) -> None:
    server.faults.file_host = "elsewhere.example"
    with pytest.raises(
        DownloadFailed, match=r"elsewhere\.example.*FOOTY_DOWNLOAD_HOSTS"
    ) as failure:
        fetch(server, tmp_path, "http://streamain.com/en/film1/watch")
    assert failure.value.cause is DownloadCause.FORBIDDEN
    assert not server.requests_to("/uploads/")


@pytest.mark.parametrize("host", ["127.0.0.1", "169.254.169.254", "video.twimg.com"])
def test_d1_a_page_leads_to_no_private_address_and_no_other_site(
    server: SoccerServer, tmp_path: Path, host: str
) -> None:
    server.faults.file_host = host
    with pytest.raises(DownloadFailed) as failure:
        fetch(server, tmp_path, "http://streamin.link/v/film1")
    assert failure.value.cause is DownloadCause.FORBIDDEN


def test_d1_pages_and_files_count_together(server: SoccerServer, tmp_path: Path) -> None:
    with pytest.raises(DownloadFailed) as failure:
        fetch(server, tmp_path, "http://streamin.link/v/film1", received=4_000)
    assert failure.value.cause is DownloadCause.TOO_LARGE


def test_d1_a_removed_clip_is_not_tried_again(server: SoccerServer, tmp_path: Path) -> None:
    server.faults.clips_gone = True
    with pytest.raises(DownloadFailed) as failure:
        fetch(server, tmp_path, "http://streamain.com/en/film1/watch")
    assert failure.value.cause is DownloadCause.REMOVED
    assert not failure.value.retryable


def test_d1_the_worker_allows_a_clip_its_host_and_no_other(
    server: SoccerServer, tmp_path: Path
) -> None:
    job = {
        "url": f"{server.url}/v/film1",
        "into": str(tmp_path),
        "name": "one",
        "max_bytes": 10**7,
        "max_received": 10**8,
        "height": 1080,
        "cookies": [],
        "hosts": [],
        "clip_hosts": ["127.0.0.1=streamin"],
        "private_addresses": True,
    }
    assert Path(answer_for(job, lambda: None)["path"]).read_bytes() == FILM
    refused = answer_for(job | {"clip_hosts": []}, lambda: None)
    assert refused["cause"] == DownloadCause.FORBIDDEN
