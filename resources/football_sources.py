"""The football providers as `sources.yaml` and the settings say."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress

import structlog

from footy_assets.clock import Clock
from footy_assets.errors import BadInput
from footy_assets.matchday.feed import Feed
from footy_assets.operations.sources_feed import MergedFeed
from footy_assets.settings import Settings
from footy_assets.sources.adapter import Adapter
from footy_assets.sources.adapter_settings import FootballDataSettings, PageSettings
from footy_assets.sources.descriptors import (
    MAIN,
    ONE_PROVIDER,
    AdapterName,
    Descriptor,
    SourcesBook,
    SourcesFile,
    read_sources,
)
from footy_assets.store.matchdays import MatchdayStore
from resources.football_data.client import FootballData

FILE_NAME = "sources.yaml"
LAST_GOOD = "sources.last-good.yaml"
log = structlog.get_logger()


class SourcesOnDisk:
    """A1: the file as it is now, read again when it changes; the last good one while it is bad,
    kept beside our state so that a process that starts meanwhile has it, too."""

    def __init__(self, settings: Settings) -> None:
        self.path = settings.sources_file or settings.home / FILE_NAME
        self._asked_for = settings.sources_file is not None
        self._kept = settings.home / LAST_GOOD
        self._book = SourcesBook()

    @property
    def refusal(self) -> str | None:
        return self._book.refusal

    def __call__(self) -> SourcesFile:
        told = self._book.refusal
        try:
            text = self.path.read_text() if self._asked_for or self.path.exists() else None
        except (OSError, UnicodeDecodeError) as error:
            if self._book.content is ONE_PROVIDER:
                fix = "Make it, or unset FOOTY_SOURCES_FILE"
                raise BadInput(f"{self.path} cannot be read: {error}", fix) from error
            return self._book.content
        if self._book.reread(text):
            log.info("sources_file_read", sources=list(self._book.content.sources))
        if self._book.refusal not in (None, told):
            log.warning("sources_file_refused", reason=self._book.refusal)
        if self._book.refusal is None:
            self._keep(text)
        elif self._book.content is ONE_PROVIDER:
            self._book.content = self._last_good()
        return self._book.content

    def first(self) -> SourcesFile:
        """For whoever starts: there is no last good one yet, so a bad one is an error."""
        content = self()
        if self.refusal is not None:
            raise BadInput(self.refusal, f"Mend {self.path}, then start again")
        return content

    def _keep(self, text: str | None) -> None:
        """What is as it was is not written again; a home that is not ours keeps nothing."""
        with suppress(OSError):
            if text is None:
                self._kept.unlink(missing_ok=True)
            elif not self._kept.exists() or self._kept.read_text() != text:
                fresh = self._kept.with_suffix(f".{os.getpid()}")
                fresh.write_text(text)
                fresh.replace(self._kept)

    def _last_good(self) -> SourcesFile:
        try:
            return read_sources(self._kept.read_text())
        except (OSError, UnicodeDecodeError, BadInput):
            return ONE_PROVIDER


def merged_feed(settings: Settings, main: Feed, store: MatchdayStore, clock: Clock) -> MergedFeed:
    return MergedFeed(main, store, clock, SourcesOnDisk(settings))


@contextmanager
def open_adapters(settings: Settings, content: SourcesFile) -> Iterator[Mapping[str, Adapter]]:
    """Every provider of the file beside the main one, switched on or not."""
    with ExitStack() as stack:
        adapters: dict[str, Adapter] = {}
        for name, described in content.sources.items():
            if name == MAIN:
                continue
            adapters[name] = ADAPTERS[described.adapter](described, settings)
            stack.callback(adapters[name].close)
        yield adapters


def tokens_missing(content: SourcesFile) -> list[str]:
    """Environment variables that the file names, and that are not set."""
    named = [described.settings.get("token_env") for described in content.sources.values()]
    return [name for name in named if name and not os.environ.get(name)]


def _football_data(described: Descriptor, settings: Settings) -> Adapter:
    own = FootballDataSettings.model_validate(described.settings)
    return FootballData(own.url, os.environ.get(own.token_env) if own.token_env else None)


def _page(described: Descriptor, settings: Settings) -> Adapter:
    # A browser takes a while to load, and few read pages.
    from resources.score_page.adapter import ScorePage

    page = PageSettings.model_validate(described.settings)
    return ScorePage(page, settings.make_clock(), settings.browser_path)


ADAPTERS: dict[AdapterName, Callable[[Descriptor, Settings], Adapter]] = {
    "football_data": _football_data,
    "page": _page,
}
