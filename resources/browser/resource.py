"""The browser as a Dagster resource."""

from contextlib import AbstractContextManager

from dagster import ConfigurableResource

from resources.browser.session import BrowserSession
from resources.from_settings import FromSettings, setting
from resources.run_scoped import RunScoped
from resources.x.connection import open_browser


class BrowserResource(
    FromSettings, RunScoped[BrowserSession], ConfigurableResource["BrowserResource"]
):
    """One Chromium for a run, with the user's login to X. It starts with the first search on X."""

    home: str = setting("home")
    browser_path: str | None = setting("browser_path")
    x_url: str = setting("x_url")
    x_cookies_file: str | None = setting("x_cookies_file")
    x_searches_per_browser: int = setting("x_searches_per_browser")
    browser_uptime_hours: float = setting("browser_uptime_hours")
    browser_processes: int = setting("browser_processes")
    browser_megabytes: int = setting("browser_megabytes")

    def open(self) -> AbstractContextManager[BrowserSession]:
        return open_browser(self.as_settings())

    @property
    def session(self) -> BrowserSession:
        return self.value
