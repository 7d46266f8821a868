"""A person logs in to X interactively; here the test does, at the simulated site."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Page
from typer.testing import CliRunner

from footy_assets.cli.app import app
from footy_assets.errors import BadInput, LoginLost
from footy_assets.runtime.doctor import login_to_x
from footy_assets.settings import Settings, load_settings
from footy_assets.sim.social import SocialServer
from footy_assets_tests.resources.fans import QUERY, ignore, window
from footy_assets_tests.resources.local_feeds import LocalFeeds
from footy_assets_tests.resources.local_rate_limit import LocalRateLimit
from resources.browser.processes import processes_using
from resources.sites.connection import open_sites
from resources.x.cookies import read_cookies
from resources.x.login import log_in_interactively

pytestmark = pytest.mark.slow

SECRET = "s3cr3t-t0k3n"


@pytest.fixture
def settings(site: SocialServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.chdir(tmp_path)
    for name, value in {"HOME": tmp_path / "home", "X_URL": site.url, "SOURCES": "x"}.items():
        monkeypatch.setenv(f"FOOTY_{name}", str(value))
    return load_settings()


def user_with_password(password: str) -> object:
    def user(page: Page) -> None:
        page.fill('input[name="text"]', "fan")
        page.fill('input[name="password"]', password)
        page.click("button")

    return user


def test_se5_later_searches_use_an_interactive_login(
    site: SocialServer, settings: Settings
) -> None:
    progress: list[str] = []
    log_in_interactively(
        settings, progress.append, headless=True, user=user_with_password("sesame")
    )  # type: ignore[arg-type]
    assert "Log in to X in the window" in progress[0]
    assert not processes_using(settings.x_profile)
    assert settings.x_profile.stat().st_mode & 0o077 == 0, "only the owner may read a login"
    with open_sites(settings, settings.make_clock(), LocalRateLimit(), LocalFeeds()) as (x,):
        assert len(x.search(QUERY, window(), ignore).posts) == 1
    assert not processes_using(settings.x_profile)
    assert login_to_x(settings).ok


def test_se5_without_a_login_the_command_fails(settings: Settings) -> None:
    with pytest.raises(LoginLost, match="nobody logged in"):
        log_in_interactively(
            settings,
            ignore,
            headless=True,
            timeout=0.5,
            user=user_with_password("wrong"),  # type: ignore[arg-type]
        )
    with pytest.raises(LoginLost, match="window was closed"):
        log_in_interactively(settings, ignore, headless=True, user=lambda page: page.close())


def test_se5_without_a_screen_the_cookies_file_is_named(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    done = CliRunner().invoke(app, ["login", "x"])
    assert isinstance(done.exception, BadInput)
    assert "FOOTY_X_COOKIES_FILE" in done.exception.sentence()


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="needs Xvfb")
def test_se5_the_window_is_a_real_one(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with subprocess.Popen(
        ["Xvfb", "-displayfd", "1", "-screen", "0", "1024x768x24"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as screen:
        assert screen.stdout is not None
        monkeypatch.setenv("DISPLAY", f":{screen.stdout.readline().strip()}")
        try:
            log_in_interactively(settings, ignore, user=user_with_password("sesame"))  # type: ignore[arg-type]
        finally:
            screen.terminate()


def test_se7_without_a_login_no_browser_is_started(site: SocialServer, settings: Settings) -> None:
    site.reset()
    with (
        open_sites(settings, settings.make_clock(), LocalRateLimit(), LocalFeeds()) as (x,),
        pytest.raises(LoginLost, match="nobody has logged in"),
    ):
        x.search(QUERY, window(), ignore)
    assert not site.requests
    assert not settings.x_profile.exists()


# -- cookies ----------------------------------------------------------------------------------


def netscape(token: str, host: str = "127.0.0.1") -> str:
    return (
        "# Netscape HTTP Cookie File\n\n"
        f"#HttpOnly_{host}\tFALSE\t/\tFALSE\t4102444800\tauth_token\t{token}\n"
        f"elsewhere.example\tTRUE\t/\tTRUE\t0\tother\t{SECRET}\n"
    )


@pytest.mark.parametrize("form", ["netscape", "list", "state"])
def test_se5_a_cookies_file_is_a_login_too(site: SocialServer, tmp_path: Path, form: str) -> None:
    file = tmp_path / "cookies"
    cookie = {
        "name": "auth_token",
        "value": (token := site.new_session()),
        "domain": "127.0.0.1",
        "expirationDate": 4102444800.5,
        "sameSite": "unspecified" if form == "list" else None,
    }
    content_by_form = {
        "netscape": netscape(token),
        "list": json.dumps([cookie]),
        "state": json.dumps({"cookies": [cookie], "origins": []}),
    }
    file.write_text(content_by_form[form])
    (read,) = read_cookies(file, site.url)
    assert (read["name"], read["value"], read["domain"]) == ("auth_token", token, "127.0.0.1")


@pytest.mark.parametrize(
    "content",
    [
        f"auth_token={SECRET}",
        f'[{{"name": "auth_token", "value": "{SECRET}"}}]',
        f'{{"cookies": "{SECRET}"}}',
        f'["{SECRET}"',
        netscape(SECRET, "elsewhere.example"),
    ],
)
def test_se5_a_wrong_cookies_file_is_refused_without_showing_secrets(
    site: SocialServer, tmp_path: Path, content: str
) -> None:
    file = tmp_path / "cookies"
    file.write_text(content)
    with pytest.raises(BadInput) as refused:
        read_cookies(file, site.url)
    assert SECRET not in refused.value.sentence()
    assert refused.value.__cause__ is None
    assert "cookies" in refused.value.sentence()


def test_se5_doctor_reports_a_missing_cookies_file(settings: Settings, tmp_path: Path) -> None:
    row = login_to_x(load_settings(x_cookies_file=tmp_path / "none"))
    assert not row.ok
    assert row.optional
    assert "FOOTY_X_COOKIES_FILE" in row.fix
