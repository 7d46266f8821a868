"""The processes of a demo have its own sites, whatever the environment says."""

import time
from datetime import timedelta
from pathlib import Path

import pytest

from footy_assets.clock import ScaledClock
from footy_assets.runtime.demo_settings import demo_settings, feed_seconds, settings_ahead
from footy_assets.runtime.home import Home
from footy_assets.setting_lists import as_environment
from footy_assets.settings import load_settings
from footy_assets.sim import SimServer
from footy_assets.sim.fan_sites import SITES, open_fan_sites
from footy_assets.sim.fans import Fans
from footy_assets.sim.single_goals import one_goal_each

WORLD = one_goal_each([timedelta(minutes=2)])


def test_a_process_of_the_demo_reads_only_simulated_sites(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOOTY_BLUESKY_URL", "https://appview.example")
    monkeypatch.setenv("FOOTY_SITES", "x")
    clock = ScaledClock(WORLD.starts_at, 60.0, time.time())
    fans = Fans(WORLD, tmp_path, SITES)
    with (
        SimServer(WORLD, clock) as provider,
        open_fan_sites(fans, clock, WORLD.starts_at) as sites,
    ):
        settings = demo_settings(load_settings(), Home(tmp_path), clock, provider, sites)
        for name, value in as_environment(settings).items():
            monkeypatch.setenv(name, value)
        of_process = load_settings()
        assert of_process.sites == SITES
        assert of_process.listens_to_bluesky
        assert of_process.jetstream_urls == (sites.stream.url,)
        urls = (of_process.x_url, of_process.bluesky_video_url, of_process.reddit_url)
    assert all("127.0.0.1" in url for url in urls)


@pytest.mark.parametrize(("speed", "seconds"), [(1, 60), (60, 120), (240, 150)])
def test_a_feed_is_read_no_faster_than_the_machine_can(speed: float, seconds: float) -> None:
    assert feed_seconds(speed) == seconds


def test_se8_f11_a_demo_in_real_time_works_ahead_and_a_fast_one_does_not() -> None:
    assert settings_ahead(1) == {"search_ahead": True, "confirm_seconds": None}
    assert settings_ahead(60) == {"search_ahead": False, "confirm_seconds": 0}
