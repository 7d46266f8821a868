"""Clips as files: ranges, stable names, and nothing but clips."""

import hashlib

import httpx
import pytest

from footy_assets.clips.rules.keys import scorebug_key
from footy_assets.store.collections import CLIPS
from footy_assets_tests.clips.clip_harness import film
from footy_assets_tests.gallery.conftest import Gallery
from footy_assets_tests.gallery.site import Day, Site


@pytest.fixture
def video(gallery: Gallery) -> str:
    """The public address of a stored clip."""
    return gallery.matchday.video


@pytest.fixture
def http(gallery: Gallery) -> httpx.Client:
    return gallery.http


@pytest.fixture
def content(gallery: Gallery) -> bytes:
    return film("good").read_bytes()


def test_a_whole_clip_is_byte_for_byte_the_file(
    http: httpx.Client, video: str, content: bytes
) -> None:
    answer = http.get(video)
    assert answer.status_code == 200
    assert answer.content == content
    assert answer.headers["content-type"] == "video/mp4"
    assert answer.headers["accept-ranges"] == "bytes"
    assert answer.headers["etag"] == f'"{hashlib.md5(content).hexdigest()}"'


@pytest.mark.parametrize(
    ("byte_range", "first", "last"), [("0-99", 0, 99), ("500-", 500, None), ("-100", -100, None)]
)
def test_a_range_is_answered_with_those_bytes(
    http: httpx.Client, video: str, content: bytes, byte_range: str, first: int, last: int | None
) -> None:
    answer = http.get(video, headers={"Range": f"bytes={byte_range}"})
    assert answer.status_code == 206
    assert answer.content == content[first : None if last is None else last + 1]
    start = first % len(content)
    end = len(content) - 1 if last is None else last
    assert answer.headers["content-range"] == f"bytes {start}-{end}/{len(content)}"


@pytest.mark.parametrize("byte_range", ["bytes=9999999999-", "bytes=x-y", "bytes=5-1", "bytes=-0"])
def test_a_malformed_or_impossible_range_is_refused(
    http: httpx.Client, video: str, content: bytes, byte_range: str
) -> None:
    answer = http.get(video, headers={"Range": byte_range})
    assert answer.status_code == 416
    assert answer.headers["content-range"] == f"bytes */{len(content)}"


def test_a_thousand_ranges_cost_no_more_than_the_file(
    http: httpx.Client, video: str, content: bytes
) -> None:
    byte_range = "bytes=" + ",".join("0-" for _ in range(1000))
    answer = http.get(video, headers={"Range": byte_range})
    assert answer.status_code == 200
    assert len(answer.content) == len(content)


def test_head_has_the_same_headers_without_the_bytes(
    http: httpx.Client, video: str, content: bytes
) -> None:
    answer = http.head(video)
    assert answer.status_code == 200
    assert int(answer.headers["content-length"]) == len(content)
    assert answer.content == b""


def test_an_unchanged_video_is_a_304(http: httpx.Client, video: str) -> None:
    etag = http.head(video).headers["etag"]
    assert http.get(video, headers={"If-None-Match": etag}).status_code == 304


def test_the_link_stays_when_a_better_copy_replaces_the_clip(site: Site, day: Day) -> None:
    goal = day.goal(day.match(), 31, "M. Salah")
    day.clips(goal, "good")
    name = day.documents(goal)[0]["public_key"]
    video, watch = f"{site.url}/video/{day.objects.bucket}/{name}", f"{site.url}/watch/{name[:-4]}"
    before = httpx.get(video)
    assert httpx.get(watch).status_code == 200
    day.clips(goal, "large")
    (clip,) = day.documents(goal)
    assert clip["key"] != clip["public_key"], "the better copy has an object key of its own"
    after = httpx.get(video)
    assert after.status_code == 200
    assert after.content == film("large").read_bytes()
    assert httpx.get(watch).status_code == 200
    # A player in the middle of the old copy gets the whole new copy, not parts of both.
    splice = {"Range": "bytes=100-", "If-Range": before.headers["etag"]}
    assert httpx.get(video, headers=splice).status_code == 200
    same = {"Range": "bytes=100-", "If-Range": after.headers["etag"]}
    assert httpx.get(video, headers=same).status_code == 206


def test_d6_a_rendition_is_served_while_it_is_its_clips(site: Site, day: Day) -> None:
    goal = day.goal(day.match(), 31, "M. Salah")
    day.clips(goal, "good.vp9")
    (row,) = httpx.get(f"{site.url}/api/v1/clips").json()["items"]
    (rendition,) = row["renditions"]
    assert (rendition["codec"], rendition["width"]) == ("vp9", row["width"])
    address, video_type = site.url + rendition["url"], 'video/mp4; codecs="vp09.00.11.08"'
    whole, part = httpx.get(address), httpx.get(address, headers={"Range": "bytes=100-199"})
    assert (whole.status_code, len(whole.content)) == (200, rendition["size"])
    assert (part.status_code, part.content) == (206, whole.content[100:200])
    answers = [whole, part, httpx.head(address)]
    assert [answer.headers["content-type"] for answer in answers] == [video_type] * 3
    assert httpx.get(site.url + row["url"]).headers["content-type"] == "video/mp4"
    assert httpx.get(address.replace(".vp9.", ".av1.")).status_code == 404
    day.clips(goal, "large")
    assert httpx.get(address).status_code == 404
    (row,) = httpx.get(f"{site.url}/api/v1/clips").json()["items"]
    assert row["renditions"] == []


def test_poster_and_thumbnail_are_served_next_to_the_clip(http: httpx.Client, video: str) -> None:
    for ending in (".jpg", ".thumb.jpg"):
        answer = http.get(video.removesuffix(".mp4") + ending)
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "image/jpeg"
        assert answer.content[:2] == b"\xff\xd8"


def test_v5_the_scorebug_that_was_read_is_on_the_clips_page(site: Site, day: Day) -> None:
    goal = day.goal(day.match(), 31, "M. Salah")
    day.clips(goal, "good")
    (clip,) = day.documents(goal)
    stem = clip["key"].removesuffix(".mp4")
    page, picture = f"{site.url}/watch/{stem}", f"/video/{day.objects.bucket}/{stem}.bug.jpg"
    assert 'class="scorebug"' not in httpx.get(page).text
    assert httpx.get(site.url + picture).status_code == 404
    day.objects.put(scorebug_key(clip["key"]), b"\xff\xd8 picture")
    read = {"text": "LIV 0-0 then 1-0 WHU", "text_box": [5, 5, 90, 20], "text_seconds": [1.5, 6.0]}
    verdict = {**clip["verdict"], "scorebug": read, "clock_minutes": [30]}
    day.database[CLIPS].update_one(
        {"_id": clip["_id"]},
        {"$set": {"has_scorebug": True, "verified_by": "match", "verdict": verdict}},
    )
    shown = httpx.get(page).text
    assert f'<img src="{picture}"' in shown
    assert "LIV 0-0 then 1-0 WHU" in shown
    assert "Yes, by clock, teams and score in the picture" in shown
    assert httpx.get(site.url + picture).content == b"\xff\xd8 picture"
    (row,) = httpx.get(f"{site.url}/api/v1/clips").json()["items"]
    assert (row["scorebug_picture"], row["clock_minutes"]) == (picture, [30])
    assert (row["text_box"], row["text_seconds"]) == ([5, 5, 90, 20], [1.5, 6.0])


def test_a_download_has_a_name(http: httpx.Client, video: str, gallery: Gallery) -> None:
    disposition = http.get(video, params={"download": "1"}).headers["content-disposition"]
    assert disposition == f'attachment; filename="{gallery.matchday.salah.event_id}-1.mp4"'


@pytest.mark.parametrize(
    "path",
    [
        "/video/{bucket}/../../etc/passwd",
        "/video/{bucket}/..%2f..%2fetc%2fpasswd",
        "/video/{bucket}/5000/..%2fsecret/0123456789abcdef.mp4",
        "/video/{bucket}/5000/%2e%2e/0123456789abcdef.mp4",
        "/video/{bucket}/5000/secret/0123456789abcdef.mp4",
        "/video/{bucket}/5000/secret/notes.txt",
        "/video/other-bucket/5000/secret/0123456789abcdef.mp4",
        "/video/{bucket}/.footy-health/x/0123456789abcdef.mp4",
        "/video/{bucket}/-1/a/0123456789abcdef.mp4",
        "/video/{bucket}/99999999999999999999/a/0123456789abcdef.mp4",
        "/video/{bucket}/5000/a%00b/0123456789abcdef.mp4",
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/static//etc/passwd",
    ],
)
def test_no_path_reaches_another_object_or_file(gallery: Gallery, path: str) -> None:
    """Neither objects that belong to no clip nor files of the server are served."""
    objects = gallery.matchday.day.objects
    for key in ("5000/secret/0123456789abcdef.mp4", "secret", ".footy-health/x"):
        objects.put(key, b"top-hidden")
    raw = path.format(bucket=objects.bucket).encode()
    answer = gallery.http.get(httpx.URL(gallery.site.url).copy_with(raw_path=raw))
    assert answer.status_code in (404, 422)
    assert b"top-hidden" not in answer.content
    assert b"create_app" not in answer.content


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("5000/{event}/ffffffffffffffff", 404),
        ("4999/{event}/{hash}", 404),
        ("5000/5000_1_1_Goal_9/{hash}", 404),
        ("5000/{event}/{hash}.mp4", 422),
        ("5000/{event}/ABCDEFABCDEFABCD", 422),
    ],
)
def test_a_forged_share_link_shows_nothing(gallery: Gallery, name: str, status: int) -> None:
    content_hash = gallery.matchday.clip_name.rpartition("/")[2]
    path = name.format(event=gallery.matchday.salah.event_id, hash=content_hash)
    answer = gallery.http.get(f"/watch/{path}")
    assert answer.status_code == status
    assert "<video" not in answer.text


def test_the_page_of_a_clip_of_a_removed_goal_is_gone(site: Site, day: Day) -> None:
    goal = day.goal(day.match(), 31, "M. Salah")
    day.clips(goal, "good")
    name = day.documents(goal)[0]["public_key"].removesuffix(".mp4")
    day.remove(goal)
    for ending in (".mp4", ".jpg", ".thumb.jpg"):
        file = f"{site.url}/video/{day.objects.bucket}/{name}{ending}"
        assert httpx.get(file).status_code == 404
    answer = httpx.get(f"{site.url}/watch/{name}")
    assert answer.status_code == 410
    assert "This goal was removed" in answer.text
    assert "<video" not in answer.text
