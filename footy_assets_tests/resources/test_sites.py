"""Sites opened by settings and by Dagster, and what a killed process leaves behind."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest
from pymongo.database import Database

from footy_assets.errors import BadInput
from footy_assets.setting_lists import as_environment
from footy_assets.settings import load_settings
from footy_assets.sim.social import SocialServer
from footy_assets.store.collections import TURNS, Document
from footy_assets_tests.resources.fans import QUERY, ignore, window
from footy_assets_tests.resources.local_feeds import LocalFeeds
from footy_assets_tests.resources.local_rate_limit import LocalRateLimit
from footy_assets_tests.waiting import wait_until
from resources.browser.launch import BrowserOptions
from resources.browser.processes import processes_using
from resources.browser.resource import BrowserResource
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource
from resources.sites.connection import open_sites
from resources.sites.resource import SitesResource

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def cookies(site: SocialServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "cookies.txt"
    file.write_text(f"127.0.0.1\tFALSE\t/\tFALSE\t0\tauth_token\t{site.new_session()}\n")
    for name, value in {
        "HOME": tmp_path / "home",
        "X_URL": site.url,
        "X_COOKIES_FILE": file,
        "BLUESKY_URL": site.url,
    }.items():
        monkeypatch.setenv(f"FOOTY_{name}", str(value))
    return file


@pytest.mark.parametrize(
    ("setting", "names"),
    [
        (None, ["x", "bluesky"]),
        ("bluesky", ["bluesky"]),
        ("X", ["x"]),
        ("none", []),
        ("bluesky,reddit,telegram", ["bluesky", "reddit", "telegram"]),
    ],
)
def test_se5_each_site_can_be_switched_off(
    cookies: Path, monkeypatch: pytest.MonkeyPatch, setting: str | None, names: list[str]
) -> None:
    if setting is not None:
        monkeypatch.setenv("FOOTY_SOURCES", setting)
    settings = load_settings()
    with open_sites(settings, settings.make_clock(), LocalRateLimit(), LocalFeeds()) as sites:
        assert [client.name for client in sites] == names
    if setting is not None:
        # The environment that a child process gets.
        monkeypatch.setenv("FOOTY_SITES", as_environment(settings)["FOOTY_SITES"])
        assert load_settings().sites == settings.sites


def test_se5_an_unknown_site_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTY_SOURCES", "x,myspace")
    with pytest.raises(BadInput, match="myspace"):
        load_settings()


def test_se5_dagster_opens_all_sites_on_one_browser(
    site: SocialServer, cookies: Path, mongo_uri: str, database: Database[Document]
) -> None:
    seen: dict[str, int] = {}
    profiles: list[Path] = []

    @dg.asset
    def searched(sites: SitesResource) -> None:
        for client in sites.video_sites:
            seen[client.name] = len(client.search(QUERY, window(), ignore).posts)
        assert sites.browser.session.profile is not None
        profiles.append(sites.browser.session.profile)

    mongo = MongoResource(uri=mongo_uri, database_name=database.name)
    settings, clock = load_settings(), ClockResource(spec=load_settings().clock)
    browser = BrowserResource.from_settings(settings)
    sites = SitesResource.from_settings(settings, mongo=mongo, clock=clock, browser=browser)
    resources = {"sites": sites}
    assert dg.materialize([searched], resources=resources).success
    limits = {d["_id"] for d in database[TURNS].find()}
    assert limits == {"X", "Bluesky"}, "their rate limits hold across processes"
    assert seen == {"x": 1, "bluesky": 1}
    assert not processes_using(profiles[0])
    assert not load_settings().x_profile.exists(), "cookies are not stored in a permanent profile"


SEARCHER = """
import sys, time
from footy_assets.settings import load_settings
from footy_assets_tests.resources.fans import QUERY, ignore, window
from footy_assets_tests.resources.local_feeds import LocalFeeds
from footy_assets_tests.resources.local_rate_limit import LocalRateLimit
from resources.x.connection import open_browser, x_site
settings = load_settings(sites="x")
with open_browser(settings) as browser:
    x = x_site(settings, browser, settings.make_clock(), LocalRateLimit())
    x.search(QUERY, window(), ignore)
    print(browser.profile, flush=True)
    time.sleep(60)
"""


def test_se5_a_killed_process_leaves_no_browser(cookies: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SEARCHER],
        cwd=ROOT,
        env={**os.environ, "FOOTY_LOG_LEVEL": "error", "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    ) as searcher:
        assert searcher.stdout is not None
        line = ""
        while not line.startswith("/"):
            line = searcher.stdout.readline()
            assert line, "the searcher ended early"
        profile = Path(line.strip())
        assert processes_using(profile)
        searcher.send_signal(signal.SIGKILL)
        searcher.wait()
    wait_until(lambda: not processes_using(profile), every=0.1)
    with BrowserOptions().profile_folder():
        assert not profile.exists(), "the next process deletes what it left"
