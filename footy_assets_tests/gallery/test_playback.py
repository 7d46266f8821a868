"""D4 in a real Chromium: clips play and seek, whatever they were made of."""

from base64 import b64encode
from pathlib import Path

import pytest

from footy_assets_tests.gallery.conftest import OpenPage
from footy_assets_tests.gallery.playing import play_and_seek
from footy_assets_tests.gallery.site import Day, Site
from footy_assets_tests.media.cells import shared_cell
from footy_assets_tests.media.kinds import KINDS, write_kind

pytestmark = pytest.mark.slow


def test_d4_stored_clips_of_every_origin_play_and_seek(
    site: Site, day: Day, open_page: OpenPage
) -> None:
    """HLS, WebM, Matroska, and an MP4 whose index was last."""
    fixture, urls = day.match(score=(4, 0)), []
    for number, film in enumerate(["good.m4v", "good.ts", "good.mkv", "good.webm"]):
        goal = day.goal(fixture, 10 + number, f"Scorer {number}", score=(number + 1, 0))
        day.clips(goal, film)
        (clip,) = day.documents(goal)
        urls.append(f"{site.url}/video/{day.objects.bucket}/{clip['public_key']}")
    lengths = play_and_seek(open_page(site.url), urls)
    assert lengths == pytest.approx([6] * len(urls), abs=0.2)


def test_d6_a_browser_takes_the_better_source_that_it_can_play(
    site: Site, day: Day, open_page: OpenPage
) -> None:
    """Debian's Chromium plays VP9 and AV1, and not HEVC."""
    fixture = day.match(score=(3, 0))
    for number, codec in enumerate(["vp9", "av1", "hevc"]):
        goal = day.goal(fixture, 10 + number, f"Scorer {number}", score=(number + 1, 0))
        day.clips(goal, f"good.{codec}")
        (clip,) = day.documents(goal)
        (rendition,) = clip["renditions"]
        page = open_page(f"{site.url}/watch/{clip['public_key'].removesuffix('.mp4')}")
        asked = f'video/mp4; codecs="{rendition["codecs"]}"'
        can_play = page.evaluate("type => player.canPlayType(type) !== ''", asked)
        assert can_play or codec == "hevc"
        page.evaluate("player.muted = true, player.play()")
        page.wait_for_function("() => player.currentTime > 0.3 && player.videoWidth > 0")
        taken = rendition["key"] if can_play else clip["public_key"]
        assert page.evaluate("player.currentSrc").endswith(f"/{taken}")
        assert page.locator("#player-problem").is_hidden()
        shared = page.locator("#download").get_attribute("href")
        assert shared == f"/video/{day.objects.bucket}/{clip['public_key']}?download=1"


def test_d6_a_source_that_breaks_half_way_is_replaced_by_the_h264(
    site: Site, day: Day, open_page: OpenPage
) -> None:
    goal = day.goal(day.match(score=(1, 0)), 10, "Scorer")
    day.clips(goal, "good.vp9")
    (clip,) = day.documents(goal)
    whole = day.objects.get(clip["renditions"][0]["key"])
    broken = whole[: len(whole) // 3] + b"\xff" * (len(whole) - len(whole) // 3)
    page = open_page("about:blank")
    page.route("**/*.vp9.mp4", lambda route: route.fulfill(body=broken, content_type="video/mp4"))
    page.goto(f"{site.url}/watch/{clip['public_key'].removesuffix('.mp4')}")
    page.evaluate("player.muted = true, player.play()")
    page.wait_for_function(f"() => player.currentSrc.endsWith('/{clip['public_key']}')")
    page.wait_for_function("() => player.currentTime > 0.3 && player.error === null")
    assert page.evaluate("player.hasAttribute('src')"), "by the page, after it had started"
    assert page.locator("#player-problem").is_hidden()


def test_d4_a_playable_file_of_every_kind_plays_with_its_sound(
    open_page: OpenPage, tmp_path: Path
) -> None:
    urls = []
    for kind in KINDS:
        source = write_kind(tmp_path / "video", kind, seconds=3)
        made = shared_cell().make_playable(source, tmp_path / "playable.mp4")
        urls.append("data:video/mp4;base64," + b64encode(made.path.read_bytes()).decode())
    lengths = play_and_seek(open_page("about:blank"), urls)
    assert lengths == pytest.approx([3] * len(urls), abs=0.2)
