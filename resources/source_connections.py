"""The places where fans post, as the settings name them."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from footy_assets.discovery.sources import VideoSource
from footy_assets.settings import Settings
from resources.bluesky.connection import open_bluesky
from resources.chromium.session import BrowserSession
from resources.pace import Turns
from resources.x.connection import open_browser, x_source


@contextmanager
def open_sources(
    settings: Settings, turns: Turns | None = None
) -> Iterator[tuple[VideoSource, ...]]:
    """S5: every source that is switched on. The browser starts when X is first asked."""
    with open_browser(settings) as browser, opened(settings, browser, turns) as sources:
        yield sources


@contextmanager
def opened(
    settings: Settings, browser: BrowserSession, turns: Turns | None = None
) -> Iterator[tuple[VideoSource, ...]]:
    """`turns` are the rate limits that all processes keep together."""
    with ExitStack() as held:
        sources: list[VideoSource] = []
        for name in settings.sources:
            match name:
                case "x":
                    sources.append(x_source(settings, browser, turns))
                case "bluesky":
                    sources.append(held.enter_context(open_bluesky(settings, turns)))
        yield tuple(sources)
