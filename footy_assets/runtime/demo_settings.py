"""The settings of a demo: the simulated provider and sites, and defaults for the rest."""

import json
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from footy_assets.clock import ScaledClock
from footy_assets.private_files import write_private
from footy_assets.runtime.home import Home
from footy_assets.settings import Settings
from footy_assets.sim import SimServer
from footy_assets.sim.fan_posts import CHANNELS
from footy_assets.sim.fan_sites import SITES, FanSites
from footy_assets.sim.social.server import COOKIE, SocialServer
from footy_assets.sim.social.soccer_server import SECOND_HOST

PROVIDER_KEY = "demo"
# The demo uses the defaults of these settings, whatever the environment says.
WITH_DEFAULTS = (
    *("tracked_leagues", "tracked_teams", "poll_seconds"),
    *("fixture_deadline_hours", "alias_llm_url"),
    *("api_football_timeout_seconds", "search_chosen", "clip_longer_than_seconds"),
    *("clip_up_to_seconds", "clip_short_edge", "clip_portrait", "clip_height", "vision_url"),
)
# Searches do not speed up with the clock: fewer of them, further apart, with a longer deadline.
FEWER_SEARCHES = {"search_attempts": 2, "search_apart_seconds": 900.0}
GIVE_UP_AFTER_WALL_MINUTES = 30.0
# From this speed on a goal is stable before a search ahead of it could begin, and extra polls (F11)
# save less than a run takes.
TOO_FAST_FOR_AHEAD = 10.0
# Feeds neither: two seconds apart, where an attempt's window (SE6) still covers an older feed.
FEED_WALL_SECONDS, FEED_SECONDS = 2.0, (60.0, 150.0)
NO_LIMIT = 1_000_000
LOOPBACK = "127.0.0.1"


def demo_settings(
    settings: Settings,
    home: Home,
    clock: ScaledClock,
    provider: SimServer,
    sites: FanSites | None,
) -> Settings:
    return settings.model_copy(
        update={
            "home": home.path,
            "mongo_uri": None,
            "s3_endpoint_url": None,
            # Its runs are its own: workers of a real one would take them.
            "dagster_postgres_url": None,
            "broker_url": None,
            "dagster_port": 0,
            "api_port": 0,
            "clock": clock.spec(),
            "api_football_url": provider.url,
            "api_football_key": SecretStr(PROVIDER_KEY),
            "wikidata_url": provider.wikidata_url,
            **settings_ahead(clock.speed),
            **_search_settings(home, clock, sites),
            **{name: Settings.model_fields[name].default for name in WITH_DEFAULTS},
        }
    )


def settings_ahead(speed: float) -> dict[str, Any]:
    """SE8, F11: as in `footy up`, unless the clock is too fast for either."""
    if speed >= TOO_FAST_FOR_AHEAD:
        return {"search_ahead": False, "confirm_seconds": 0.0}
    return {
        name: Settings.model_fields[name].default for name in ("search_ahead", "confirm_seconds")
    }


def _search_settings(home: Home, clock: ScaledClock, sites: FanSites | None) -> dict[str, Any]:
    """Without sites, searching is off."""
    if sites is None:
        return {"search_attempts": 0}
    return {
        "sites": SITES,
        # The simulated sites, and their films, are on this machine.
        "download_hosts": (LOOPBACK,),
        "download_private_addresses": True,
        "x_url": sites.social.url,
        "x_cookies_file": write_login_cookies(home, sites.social),
        "x_requests_per_15_minutes": NO_LIMIT,
        # Bluesky is heard, as in `footy up`.
        "bluesky_url": None,
        "jetstream_urls": (sites.stream.url,),
        "bluesky_video_url": sites.social.url,
        "reddit_url": sites.soccer.url,
        "reddit_feed_seconds": feed_seconds(clock.speed),
        "telegram_url": sites.telegram.url,
        "telegram_channels": CHANNELS,
        "telegram_feed_seconds": feed_seconds(clock.speed),
        "clip_hosts": (LOOPBACK, f"{SECOND_HOST}=streamain"),
        # The fans of the simulated world post about its goals only.
        "canary_minutes": 0,
        "search_give_up_minutes": GIVE_UP_AFTER_WALL_MINUTES * clock.speed,
        **FEWER_SEARCHES,
    }


def feed_seconds(speed: float) -> float:
    shortest, longest = FEED_SECONDS
    return min(max(FEED_WALL_SECONDS * speed, shortest), longest)


def write_login_cookies(home: Home, site: SocialServer) -> Path:
    """Writes a cookies file for the simulated site, in place of `footy login x`."""
    cookie = {
        "name": COOKIE,
        "value": site.new_session(),
        "domain": LOOPBACK,
        "path": "/",
    }
    path = home.path / "x-cookies.json"
    write_private(path, json.dumps([cookie]))
    return path
