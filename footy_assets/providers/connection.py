"""Opens the football providers that `sources.yaml` and the settings describe."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from typing import Any, TypeVar

import structlog
from pymongo.database import Database

from footy_assets.clock import Clock
from footy_assets.errors import BadInput
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.parsing import read_text
from footy_assets.providers.lead import LeadFeed
from footy_assets.providers.lead_rosters import LeadRosters
from footy_assets.providers.rules.adapter import Adapter
from footy_assets.providers.rules.adapter_settings import (
    EspnSettings,
    FootballDataSettings,
    OpenLigaDbSettings,
    PageSettings,
)
from footy_assets.providers.rules.competitions import league_code, league_number, league_slug
from footy_assets.providers.rules.descriptors import (
    API_FOOTBALL,
    FILE_NAME,
    Descriptor,
    LastGoodFile,
    ProvidersFile,
)
from footy_assets.providers.switched import (
    LeadSwitch,
    SwitchableFeed,
    SwitchableRosters,
    SwitchableTeams,
)
from footy_assets.search.rules.team_facts import NamesOnly
from footy_assets.settings import Settings
from footy_assets.store.collections import Document
from resources.api_football.adapter import ApiFootballAdapter
from resources.api_football.connection import make_football, open_football
from resources.api_football.rosters import ApiFootballRosters
from resources.espn.client import Espn
from resources.football_data.client import FootballData
from resources.openligadb.client import OpenLigaDb
from resources.pieces import first_problem
from resources.provider.connection import OpenProvider

LAST_GOOD = "sources.last-good.yaml"
log = structlog.get_logger()

Name = TypeVar("Name", int, str)


class ProvidersFileLoader:
    """A1: loads the file, again whenever it changes. While it is invalid, the last good version is
    used; a copy of it is stored, so that a process that starts meanwhile has it, too."""

    def __init__(self, settings: Settings) -> None:
        self.path = settings.providers_file or settings.home / FILE_NAME
        self._is_configured = settings.providers_file is not None
        self._copy = settings.home / LAST_GOOD
        self._last_good_file = LastGoodFile(settings.provider)

    @property
    def refusal(self) -> str | None:
        return self._last_good_file.refusal

    def __call__(self) -> ProvidersFile:
        last_refusal = self._last_good_file.refusal
        try:
            text = read_text(self.path) if self._is_configured or self.path.exists() else None
        except (BadInput, OSError) as error:
            if not self._last_good_file.was_valid:
                fix = "Create it, or unset FOOTY_SOURCES_FILE"
                raise BadInput(str(error), fix) from error
            return self._last_good_file.content
        if self._last_good_file.update(text):
            log.info("providers_file_read", providers=list(self._last_good_file.content.providers))
        if self._last_good_file.refusal not in (None, last_refusal):
            log.warning("providers_file_refused", reason=self._last_good_file.refusal)
        if self._last_good_file.refusal is None:
            self._store_copy(text)
        elif not self._last_good_file.was_valid:
            self._read_copy()
        return self._last_good_file.content

    def load_or_fail(self) -> ProvidersFile:
        """For a start: an invalid file is an error, even if there is a last good version, and so
        is a class that cannot be used."""
        content = self()
        if self.refusal is not None:
            raise BadInput(self.refusal, f"Fix {self.path}, then start again")
        for descriptor in content.providers.values():
            if descriptor.adapter not in ADAPTERS:
                load_class(descriptor.adapter)
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

    def _read_copy(self) -> None:
        with suppress(OSError, UnicodeDecodeError, BadInput):
            self._last_good_file.keep(self._last_good_file.read(self._copy.read_text()))


@contextmanager
def open_adapters(
    settings: Settings, content: ProvidersFile, clock: Clock
) -> Iterator[Mapping[str, Adapter]]:
    """Every provider of the file besides the lead, enabled or not."""
    with ExitStack() as stack:
        adapters: dict[str, Adapter] = {}
        for name, descriptor in content.providers.items():
            if name != content.lead:
                adapters[name] = make_adapter(descriptor, settings, clock)
                stack.callback(adapters[name].close)
        yield adapters


@contextmanager
def open_provider(
    settings: Settings, database: Database[Document], clock: Clock
) -> Iterator[OpenProvider]:
    """L1: the provider that leads. API-Football's numbers are ours, so its client is the feed."""
    content = ProvidersFileLoader(settings)()
    switch = LeadSwitch(content, database)
    with open_football(settings) as api_football:
        if content.lead == API_FOOTBALL:
            yield OpenProvider(
                SwitchableFeed(api_football, switch),
                SwitchableTeams(api_football, switch),
                SwitchableRosters(ApiFootballRosters(api_football), switch),
                api_football,
            )
            return
        adapter = make_adapter(content.providers[content.lead], settings, clock)
        try:
            store = MatchdayStore(database)
            feed = LeadFeed(content.lead, adapter, store, clock, content.aliases)
            yield OpenProvider(
                SwitchableFeed(feed, switch),
                NamesOnly(),
                SwitchableRosters(LeadRosters(feed), switch),
                api_football,
            )
        finally:
            adapter.close()


def require_lead(settings: Settings) -> None:
    """Raises `BadInput` if the lead cannot work with these settings."""
    content = ProvidersFileLoader(settings).load_or_fail()
    adapter = content.providers[content.lead].adapter
    if adapter == API_FOOTBALL:
        default = Settings.model_fields["api_football_url"].default
        if settings.api_football_key is None and settings.api_football_url == default:
            raise BadInput(
                "FOOTY_API_FOOTBALL_KEY is not set",
                "Set it to your API-Football key, let a provider without a key lead "
                "(FOOTY_PROVIDER=espn), or try `footy demo`",
            )
    if unknown := leagues_without_name(settings, adapter):
        raise BadInput(
            f"FOOTY_TRACKED_LEAGUES: {content.lead} has no {', '.join(map(str, unknown))} that we "
            "know",
            "Give its number at API-Football or its slug at ESPN, whichever leads; or leave it out",
        )


def leagues_without_name(settings: Settings, adapter: str) -> list[int | str]:
    """The tracked leagues that the lead does not have."""
    named = {API_FOOTBALL: league_number, "espn": league_slug, "football_data": league_code}.get(
        adapter
    )
    return [one for one in settings.tracked_leagues if named and named(one) is None]


def missing_tokens(content: ProvidersFile) -> list[str]:
    """Environment variables that the file names but that are not set."""
    named = [descriptor.settings.get("token_env") for descriptor in content.providers.values()]
    return [name for name in named if name and not os.environ.get(name)]


def make_adapter(descriptor: Descriptor, settings: Settings, clock: Clock) -> Adapter:
    make = ADAPTERS.get(descriptor.adapter)
    if make is not None:
        return make(descriptor, settings, clock)
    own = load_class(descriptor.adapter)
    try:
        return own(descriptor.settings, clock)
    except (TypeError, ValueError) as error:
        reason = f"the adapter {descriptor.adapter} refuses its settings: {first_problem(error)}"
        raise BadInput(reason, f"Correct its `settings` in {FILE_NAME}") from error


def load_class(name: str) -> Callable[[Mapping[str, Any], Clock], Adapter]:
    """L3: an adapter of the user's own, by the full name of its class."""
    module, _, class_name = name.rpartition(".")
    try:
        found = getattr(import_module(module), class_name)
    except Exception as error:
        # Whatever the module raises: it is not ours.
        fix = "Install it beside footy_assets, or correct `adapter`"
        raise BadInput(f"the adapter {name} cannot be imported: {error}", fix) from error
    missing = [one for one in REQUIRED if not callable(getattr(found, one, None))]
    if missing:
        raise BadInput(
            f"the adapter {name} has no {', '.join(missing)}",
            "See docs/own_provider.md for what an adapter has",
        )
    made: Callable[[Mapping[str, Any], Clock], Adapter] = found
    return made


def _tracked(settings: Settings, name_of: Callable[[int | str], Name | None]) -> list[Name]:
    """The tracked leagues as a provider names them, without those it does not have."""
    names = (name_of(league) for league in settings.tracked_leagues)
    return [name for name in names if name is not None]


def _football_data(descriptor: Descriptor, settings: Settings, clock: Clock) -> Adapter:
    own = FootballDataSettings.model_validate(descriptor.settings)
    return FootballData(
        own.url,
        os.environ.get(own.token_env) if own.token_env else None,
        own.competitions or _tracked(settings, league_code),
    )


def _espn(descriptor: Descriptor, settings: Settings, clock: Clock) -> Adapter:
    own = EspnSettings.model_validate(descriptor.settings)
    return Espn(
        own.url if "url" in own.model_fields_set else settings.espn_url,
        own.competitions or _tracked(settings, league_slug),
        clock=clock,
        contact=own.contact or settings.wikidata_contact,
    )


def _openligadb(descriptor: Descriptor, settings: Settings, clock: Clock) -> Adapter:
    own = OpenLigaDbSettings.model_validate(descriptor.settings)
    return OpenLigaDb(own.url, own.leagues, clock)


def _api_football(descriptor: Descriptor, settings: Settings, clock: Clock) -> Adapter:
    return ApiFootballAdapter(make_football(settings), _tracked(settings, league_number))


def _page(descriptor: Descriptor, settings: Settings, clock: Clock) -> Adapter:
    # Imported here because Playwright is slow to import, and few use it.
    from resources.score_page.client import ScorePage

    page = PageSettings.model_validate(descriptor.settings)
    return ScorePage(page, clock, settings.browser_path)


ADAPTERS: dict[str, Callable[[Descriptor, Settings, Clock], Adapter]] = {
    "api_football": _api_football,
    "espn": _espn,
    "football_data": _football_data,
    "openligadb": _openligadb,
    "page": _page,
}
REQUIRED = ("discover", "fetch", "figures", "recycle", "reset", "close")
