"""The settings of a demo: the simulated provider and sites, and defaults for the rest."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from footy_assets.clock import ScaledClock
from footy_assets.private_files import write_private
from footy_assets.runtime.home import Home
from footy_assets.settings import SITES, Settings
from footy_assets.sim import SimServer
from footy_assets.sim.social.server import COOKIE, SocialServer

PROVIDER_KEY = "demo"
# The demo uses the defaults of these settings, whatever the environment says.
WITH_DEFAULTS = (
    *("tracked_leagues", "tracked_teams", "poll_seconds", "fixture_deadline_hours"),
    *("api_football_timeout_seconds", "search_chosen", "clip_longer_than_seconds"),
    *("clip_up_to_seconds", "clip_short_edge", "clip_portrait", "vision_url", "alias_llm_url"),
)
# Searches do not speed up with the clock: fewer of them, further apart, with a longer deadline.
FEWER_SEARCHES = {"search_attempts": 2, "search_apart_seconds": 900.0}
GIVE_UP_AFTER_WALL_MINUTES = 30.0
NO_LIMIT = 1_000_000


def demo_settings(
    settings: Settings,
    home: Home,
    clock: ScaledClock,
    provider: SimServer,
    site: SocialServer | None,
) -> Settings:
    return settings.model_copy(
        update={
            "home": home.path,
            "mongo_uri": None,
            "s3_endpoint_url": None,
            "dagster_port": 0,
            "api_port": 0,
            "clock": clock.spec(),
            "api_football_url": provider.url,
            "api_football_key": SecretStr(PROVIDER_KEY),
            "wikidata_url": provider.wikidata_url,
            **_search_settings(home, clock, site),
            **{name: Settings.model_fields[name].default for name in WITH_DEFAULTS},
        }
    )


def _search_settings(home: Home, clock: ScaledClock, site: SocialServer | None) -> dict[str, Any]:
    """One simulated server plays both sites; without it, searching is off."""
    if site is None:
        return {"search_attempts": 0}
    return {
        "sites": SITES,
        # The simulated sites, and their films, are on this machine.
        "download_hosts": (urlsplit(site.url).hostname,),
        "download_private_addresses": True,
        "x_url": site.url,
        "x_cookies_file": write_login_cookies(home, site),
        "x_requests_per_15_minutes": NO_LIMIT,
        "bluesky_url": site.url,
        "bluesky_requests_per_15_minutes": NO_LIMIT,
        "search_give_up_minutes": GIVE_UP_AFTER_WALL_MINUTES * clock.speed,
        **FEWER_SEARCHES,
    }


def write_login_cookies(home: Home, site: SocialServer) -> Path:
    """Writes a cookies file for the simulated site, in place of `footy login x`."""
    cookie = {
        "name": COOKIE,
        "value": site.new_session(),
        "domain": "127.0.0.1",
        "path": "/",
    }
    path = home.path / "x-cookies.json"
    write_private(path, json.dumps([cookie]))
    return path
