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
