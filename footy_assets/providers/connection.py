"""Opens the football providers that `sources.yaml` and the settings describe."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress

import structlog

from footy_assets.clock import Clock
from footy_assets.errors import BadInput
from footy_assets.parsing import read_text
from footy_assets.providers.rules.adapter import Adapter
from footy_assets.providers.rules.adapter_settings import FootballDataSettings, PageSettings
from footy_assets.providers.rules.descriptors import (
    MAIN,
    MAIN_ONLY,
    AdapterName,
    Descriptor,
    LastGoodFile,
    ProvidersFile,
    read_providers,
)
from footy_assets.settings import Settings
from resources.football_data.client import FootballData

FILE_NAME = "sources.yaml"
LAST_GOOD = "sources.last-good.yaml"
log = structlog.get_logger()


class ProvidersFileLoader:
    """A1: loads the file, again whenever it changes. While it is invalid, the last good version is
    used; a copy of it is stored, so that a process that starts meanwhile has it, too."""

    def __init__(self, settings: Settings) -> None:
        self.path = settings.providers_file or settings.home / FILE_NAME
        self._is_configured = settings.providers_file is not None
        self._copy = settings.home / LAST_GOOD
        self._last_good_file = LastGoodFile()

    @property
    def refusal(self) -> str | None:
        return self._last_good_file.refusal

    def __call__(self) -> ProvidersFile:
        last_refusal = self._last_good_file.refusal
        try:
            text = read_text(self.path) if self._is_configured or self.path.exists() else None
        except (BadInput, OSError) as error:
            if self._last_good_file.content is MAIN_ONLY:
                fix = "Create it, or unset FOOTY_SOURCES_FILE"
                raise BadInput(str(error), fix) from error
            return self._last_good_file.content
        if self._last_good_file.update(text):
            log.info("providers_file_read", providers=list(self._last_good_file.content.providers))
        if self._last_good_file.refusal not in (None, last_refusal):
            log.warning("providers_file_refused", reason=self._last_good_file.refusal)
        if self._last_good_file.refusal is None:
            self._store_copy(text)
        elif self._last_good_file.content is MAIN_ONLY:
            self._last_good_file.content = self._last_good()
        return self._last_good_file.content

    def load_or_fail(self) -> ProvidersFile:
        """For a start: an invalid file is an error, even if there is a last good version."""
        content = self()
        if self.refusal is not None:
            raise BadInput(self.refusal, f"Fix {self.path}, then start again")
        return content

    def _store_copy(self, text: str | None) -> None:
        """Stores a copy of the file if it has changed, and if our home is writable."""
        with suppress(OSError):
            if text is None:
                self._copy.unlink(missing_ok=True)
            elif not self._copy.exists() or self._copy.read_text() != text:
                new = self._copy.with_suffix(f".{os.getpid()}")
                new.write_text(text)
                new.replace(self._copy)

    def _last_good(self) -> ProvidersFile:
        try:
            return read_providers(self._copy.read_text())
        except (OSError, UnicodeDecodeError, BadInput):
            return MAIN_ONLY


@contextmanager
def open_adapters(
    settings: Settings, content: ProvidersFile, clock: Clock
) -> Iterator[Mapping[str, Adapter]]:
    """Every provider of the file besides the main one, enabled or not."""
    with ExitStack() as stack:
        adapters: dict[str, Adapter] = {}
        for name, descriptor in content.providers.items():
            if name == MAIN:
                continue
            adapters[name] = ADAPTERS[descriptor.adapter](descriptor, settings, clock)
            stack.callback(adapters[name].close)
        yield adapters


def missing_tokens(content: ProvidersFile) -> list[str]:
    """Environment variables that the file names but that are not set."""
    named = [descriptor.settings.get("token_env") for descriptor in content.providers.values()]
    return [name for name in named if name and not os.environ.get(name)]


def _football_data(descriptor: Descriptor, settings: Settings, clock: Clock) -> Adapter:
    own = FootballDataSettings.model_validate(descriptor.settings)
    return FootballData(own.url, os.environ.get(own.token_env) if own.token_env else None)


def _page(descriptor: Descriptor, settings: Settings, clock: Clock) -> Adapter:
    # Imported here because Playwright is slow to import, and few use it.
    from resources.score_page.client import ScorePage

    page = PageSettings.model_validate(descriptor.settings)
    return ScorePage(page, clock, settings.browser_path)


ADAPTERS: dict[AdapterName, Callable[[Descriptor, Settings, Clock], Adapter]] = {
    "football_data": _football_data,
    "page": _page,
}
