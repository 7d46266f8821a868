"""A Chromium for tests of pages."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, expect, sync_playwright

from footy_assets.settings import load_settings
from footy_assets_tests.waiting import PATIENCE_SECONDS
from resources.browser.launch import find_browser

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@contextmanager
def launched_browser() -> Iterator[Browser]:
    """A headless browser. Playwright keeps an event loop in this thread until it is closed."""
    found = find_browser(load_settings().browser_path)
    assert found, "these tests need a Chromium: see `footy doctor`"
    # Pages may be slow under load: only a test that fails waits this long.
    expect.set_options(timeout=PATIENCE_SECONDS * 1000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(found), args=ARGUMENTS)
        yield browser
        browser.close()
