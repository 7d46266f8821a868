"""The browser as a Dagster resource."""

from collections.abc import Iterator
from contextlib import contextmanager

from dagster import ConfigurableResource, InitResourceContext
from pydantic import PrivateAttr

from resources.browser.session import BrowserSession
from resources.from_settings import FromSettings, setting
from resources.x.connection import open_browser


class BrowserResource(FromSettings, ConfigurableResource["BrowserResource"]):
    """One Chromium for a run, with the user's login to X. It starts with the first search on X."""

    home: str = setting("home")
    browser_path: str | None = setting("browser_path")
    x_url: str = setting("x_url")
    x_cookies_file: str | None = setting("x_cookies_file")
    x_searches_per_browser: int = setting("x_searches_per_browser")

    _session: BrowserSession | None = PrivateAttr(default=None)

    @contextmanager
    def yield_for_execution(self, context: InitResourceContext) -> Iterator["BrowserResource"]:
        with open_browser(self.as_settings()) as session:
            self._session = session
            try:
                yield self
            finally:
                self._session = None

    @property
    def session(self) -> BrowserSession:
        if self._session is None:
            raise RuntimeError("BrowserResource has a session only while Dagster executes with it")
        return self._session
