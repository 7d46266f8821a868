"""D5: which file of a video is downloaded, why one is not, and who gets the cookies of a login."""

from pathlib import Path
from typing import Any

import pytest
from starlette.responses import PlainTextResponse, Response

from footy_assets.errors import DownloadCause, DownloadFailed
from footy_assets.search.rules.renditions import RenditionLimits
from footy_assets.settings import load_settings
from footy_assets_tests.resources.internet import CDN, FILM, OTHER_CDN, Internet
from resources.downloads.causes import classify
from resources.downloads.fetch import choose_format, fetch_video
from resources.x.cookies import cookies_for

MASTER = """#EXTM3U
#EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=640x360
low.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=9000000,RESOLUTION=3840x2160
high.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=2000000,RESOLUTION=1280x720
middle.m3u8
"""
STREAM = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4.0,\n{name}.ts\n#EXT-X-ENDLIST\n"
LOGIN = {"name": "auth_token", "value": "s3cret", "domain": ".x.com", "path": "/", "secure": False}


def failure(internet: Internet, folder: Path, url: str, **options: Any) -> DownloadFailed:
    with pytest.raises(DownloadFailed) as failed:
        fetch_video(url, folder, "one", 10**7, internet.rule(), lambda: None, **options)
    return failed.value


@pytest.mark.parametrize(
    ("height", "name"), [(1080, "middle"), (720, "middle"), (480, "low"), (100, "low")]
)
def test_d5_the_stream_up_to_the_wanted_height_is_fetched(
    internet: Internet, tmp_path: Path, height: int, name: str
) -> None:
    media_type = "application/vnd.apple.mpegurl"
    internet.answers["/all.m3u8"] = PlainTextResponse(MASTER, media_type=media_type)
    for stream in ("low", "middle", "high"):
        text = STREAM.format(name=stream)
        internet.answers[f"/{stream}.m3u8"] = PlainTextResponse(text, media_type=media_type)
        internet.answers[f"/{stream}.ts"] = Response(FILM, media_type="video/mp2t")
    fetch_video(
        f"http://{OTHER_CDN}/all.m3u8",
        tmp_path,
        "one",
        10**7,
        internet.rule(),
        lambda: None,
        height=height,
    )
    assert [path for path in internet.asked if path.endswith(".ts")] == [f"/{name}.ts"]


def formats(*found: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"url": f"u{n}", "ext": "mp4", "protocol": "https", **one} for n, one in enumerate(found)
    ]


def chosen(*found: dict[str, Any], **limits: int) -> list[str]:
    return [one["url"] for one in choose_format(formats(*found), RenditionLimits(**limits))]


def test_d5_a_whole_mp4_comes_before_a_stream_and_sound_before_none() -> None:
    stream = {"protocol": "m3u8_native", "height": 1080}
    assert chosen(stream, {"height": 360}) == ["u1"]
    assert chosen({"ext": "webm", "height": 1080}, {"height": 360}) == ["u1"]
    assert chosen(stream, {"ext": "webm", "height": 360}) == ["u1"]
    assert chosen({"acodec": "none", "height": 720}, stream) == ["u1"]
    assert chosen({"acodec": "none", "height": 720}, {"vcodec": "none"}) == ["u0"]
    assert chosen({"vcodec": "none"}) == []


def test_d5_a_file_beyond_the_size_limit_is_not_fetched_if_another_is_within() -> None:
    large, small = {"height": 1080, "filesize_approx": 900}, {"height": 480, "filesize": 90}
    assert chosen(large, small, max_size=100) == ["u1"]
    assert chosen(large, small, max_size=1_000) == ["u0"]


@pytest.mark.parametrize(
    ("host", "status", "cause"),
    [
        (CDN, 403, DownloadCause.GEO_BLOCKED),
        (OTHER_CDN, 403, DownloadCause.GEO_BLOCKED),
        ("x.com", 403, DownloadCause.PRIVATE),
        (CDN, 401, DownloadCause.PRIVATE),
        (CDN, 404, DownloadCause.REMOVED),
    ],
)
def test_d5_what_a_host_of_videos_forbids_is_geo_blocked(
    internet: Internet, tmp_path: Path, host: str, status: int, cause: DownloadCause
) -> None:
    internet.answers["/film.mp4"] = Response("no", status)
    failed = failure(internet, tmp_path, f"http://{host}/film.mp4")
    assert (failed.cause, failed.retryable) == (cause, False)


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ("Twitter API says: This Post is from a suspended account", DownloadCause.SUSPENDED),
        ("[twitter] 19: Suspended", DownloadCause.SUSPENDED),
        ("This Post was deleted by the Post author", DownloadCause.DELETED),
        ("This Post is from an account that no longer exists", DownloadCause.DELETED),
        ("Error(s) while querying API: No status found with that ID.", DownloadCause.DELETED),
        ("Requested tweet is unavailable", DownloadCause.DELETED),
        ("NSFW tweet requires authentication. Use --cookies", DownloadCause.AGE_RESTRICTED),
        ("Age-restricted adult content. You'll need to log in", DownloadCause.AGE_RESTRICTED),
        ("You are not authorized to view this protected tweet", DownloadCause.PRIVATE),
        ("This media has been removed", DownloadCause.REMOVED),
    ],
)
def test_d5_each_way_in_which_a_post_is_not_shown_is_its_own_and_not_retried(
    message: str, cause: DownloadCause
) -> None:
    failed = classify(RuntimeError(message))
    assert (failed.cause, failed.retryable) == (cause, False)


def test_d5_cookies_are_sent_only_after_a_refusal_without_them(
    internet: Internet, tmp_path: Path
) -> None:
    url, options = "http://x.com/film.mp4", {"cookies": [LOGIN]}
    fetch_video(url, tmp_path, "one", 10**7, internet.rule(), lambda: None, **options)
    assert set(internet.cookies) == {""}
    internet.cookies.clear()
    internet.wanted_cookie = "auth_token=s3cret"
    fetch_video(url, tmp_path, "two", 10**7, internet.rule(), lambda: None, **options)
    first, *_, last = internet.cookies
    assert (first, last) == ("", "auth_token=s3cret")
    # A removed video is removed for everybody.
    internet.answers["/gone.mp4"] = Response("no", 404)
    internet.wanted_cookie = ""
    internet.cookies.clear()
    failure(internet, tmp_path, "http://x.com/gone.mp4", cookies=[LOGIN])
    assert set(internet.cookies) == {""}


def test_d5_the_cookies_of_x_reach_no_other_host(internet: Internet, tmp_path: Path) -> None:
    internet.wanted_cookie = "auth_token"
    failure(internet, tmp_path, f"http://{CDN}/film.mp4", cookies=[LOGIN])
    assert set(internet.cookies) == {""}


def test_d5_a_download_gets_cookies_for_a_post_of_x_only(tmp_path: Path) -> None:
    file = tmp_path / "cookies.txt"
    file.write_text(".x.com\tTRUE\t/\tTRUE\t4102444800\tauth_token\ts3cret\n")
    settings = load_settings(x_cookies_file=file)
    (cookie,) = cookies_for("https://x.com/fan/status/19", settings)
    assert cookie["value"] == "s3cret"
    for url in (f"https://{CDN}/vid/1.mp4", "https://bsky.app/profile/a/post/1", "https://x.com/i"):
        assert cookies_for(url, settings) == [], url
    assert cookies_for("https://x.com/fan/status/19", load_settings()) == []
    file.write_text("no cookies")
    assert cookies_for("https://x.com/fan/status/19", settings) == []
