"""A simulated match played by the installed package, with no checkout, and watched in a browser.

Four minutes of a match pass in a second here. A machine that is busy meanwhile may see a goal too
late, or search for it too late: then it has no clip, but never a wrong one.
"""

import json
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from footy_assets.sim.fan_sites import SITES
from footy_assets_tests.fixtures.films import FILMED_MATCH
from footy_assets_tests.fixtures.package import Installed
from footy_assets_tests.gallery.conftest import OpenPage
from footy_assets_tests.gallery.playing import play_and_seek
from footy_assets_tests.runtime.stack import Stack

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

FOUR_MINUTES = 240_000
# What becomes of a goal on a machine that does not keep pace; the clips of others stay right.
TOO_LATE = ("", "no clip")


def test_a_goal_of_the_demo_becomes_a_clip_that_plays_without_a_reload_and_so_do_all(
    installed: Installed, tmp_path: Path, footage: Path, open_page: OpenPage
) -> None:
    before, home = installed.files(), tmp_path / "home"
    home.mkdir()
    (home / "footage").symlink_to(footage)
    demo = Stack(
        home,
        *("demo", "--match", FILMED_MATCH, "--speed", "240", "--keep", "--json"),
        command=installed.environment / "bin" / "footy",
        environ=installed.env,
        cwd=installed.folder,
    )
    try:
        page = open_page(f"{demo.gallery()}/days/2025-05-10")
        expect(page.locator("article.card")).to_have_count(1, timeout=FOUR_MINUTES)
        page.evaluate("window.stillTheSamePage = true")
        goals = page.locator(".goal-line")
        expect(goals.first).to_be_visible(timeout=FOUR_MINUTES)
        expect(goals.locator(".chip.clips").first).to_be_visible(timeout=FOUR_MINUTES)
        expect(page.locator(".strip .tile").first).to_be_visible()
        assert page.evaluate("window.stillTheSamePage === true")

        page.locator(".strip .tile").first.click()
        expect(page.locator("#player")).to_be_visible()
        page.evaluate("player.muted = true, player.play()")
        page.wait_for_function("() => player.currentTime > 0.5 && !player.paused")
        page.evaluate("player.pause(), player.currentTime = 6")
        page.wait_for_function("() => !player.seeking && Math.abs(player.currentTime - 6) < 0.1")
        page.close()

        demo.wait_until(lambda: "Still running:" in demo.said, 300)
        stored = httpx.get(f"{demo.gallery()}/api/v1/clips", params={"limit": 200}, timeout=20)
        clips = {clip["url"] for clip in stored.raise_for_status().json()["items"]}
        page = open_page(demo.gallery())
        play_and_seek(page, [f"{demo.gallery()}{clip}" for clip in sorted(clips)])
        page.close()
        demo.stop()
    finally:
        demo.kill_everything()
    assert installed.files() == before
    outcome = json.loads(demo.said.strip().splitlines()[-1])
    assert outcome["right"], outcome
    assert [goal for goal in outcome["clips"] if goal["problem"] not in TOO_LATE] == [], outcome
    assert clips
    assert clips >= {clip for goal in outcome["clips"] for clip in goal["clips"]}, outcome
    assert [site["site"] for site in outcome["sites"]] == list(SITES)
    assert sum(site["taken"] for site in outcome["sites"]) >= len(clips), outcome
