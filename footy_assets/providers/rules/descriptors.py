"""A1: reads `sources.yaml`. An error names the line."""

import re
from collections.abc import Mapping
from typing import Any

import yaml
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, field_validator

from footy_assets.errors import BadInput
from footy_assets.parsing import LimitedYamlLoader
from footy_assets.providers.rules.adapter_settings import (
    AdapterSettings,
    ApiFootballSettings,
    EspnSettings,
    FootballDataSettings,
    OpenLigaDbSettings,
    PageSettings,
)
from footy_assets.providers.rules.health import ALL_PROVIDERS
from footy_assets.providers.rules.identify import Aliases
from footy_assets.providers.rules.limits import RateLimits

API_FOOTBALL = "api_football"
# Names are parts of keys in MongoDB, where a dot is a path, and labels of metrics.
NAME = re.compile(r"[a-z0-9_-]+")
# The adapters that ship with us. Any other `adapter` is the full name of a class of the user's.
SETTINGS: dict[str, type[AdapterSettings]] = {
    "api_football": ApiFootballSettings,
    "espn": EspnSettings,
    "football_data": FootballDataSettings,
    "openligadb": OpenLigaDbSettings,
    "page": PageSettings,
}
# Those that work with no settings and no key: they can lead by name, without a file.
NEED_NO_SETTINGS = ("espn",)
CLASS_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")


class RequestLimits(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    max_concurrent: int = Field(4, ge=1, le=64)
    min_interval: float = Field(0.0, ge=0, le=3600)
    burst: int = Field(1, ge=1, le=1000)

    def as_limits(self) -> RateLimits:
        return RateLimits(self.max_concurrent, self.min_interval, self.burst)


def _default_confidence(fields: dict[str, Any]) -> float:
    model = SETTINGS.get(fields.get("adapter", ""), AdapterSettings)
    return model.default_confidence


class Descriptor(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    # A name of ours, or the full name of a class; `adapter_class` reads better for the latter.
    adapter: str = Field(validation_alias=AliasChoices("adapter", "adapter_class"))
    enabled: bool = True
    # The provider that discovers matches, and whose answers the others confirm.
    lead: bool = False
    precedence: int = Field(50, ge=0, le=100)
    confidence: float = Field(default_factory=_default_confidence, ge=0, le=1)
    limits: RequestLimits = RequestLimits()
    settings: dict[str, Any] = Field(default_factory=dict)

    @field_validator("adapter")
    @classmethod
    def _known_adapter(cls, value: str) -> str:
        if value in SETTINGS or CLASS_NAME.fullmatch(value):
            return value
        known = ", ".join(SETTINGS)
        raise ValueError(f"{value!r} is none of {known}, nor the full name of a class")


# The key of the file is `providers`; `sources`, the former name, still works.
FORMER_KEY = "sources"


class ProvidersFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    providers: dict[str, Descriptor] = Field(alias=FORMER_KEY, min_length=1)
    team_aliases: dict[str, str] = Field(default_factory=dict)
    competition_aliases: dict[str, str] = Field(default_factory=dict)

    @property
    def aliases(self) -> Aliases:
        return Aliases(self.team_aliases, self.competition_aliases)

    @property
    def lead(self) -> str:
        """The marked one; else API-Football, whose ids are ours; else that of most weight."""
        marked = [name for name, descriptor in self.providers.items() if descriptor.lead]
        if marked:
            return marked[0]
        if API_FOOTBALL in self.providers:
            return API_FOOTBALL
        return max(self.providers, key=lambda name: self.providers[name].precedence)

    def led_by(self, name: str) -> "ProvidersFile":
        """The same providers with another lead."""
        providers = {
            key: descriptor.model_copy(update={"lead": key == name})
            for key, descriptor in self.providers.items()
        }
        return self.model_copy(update={"providers": providers})

    @property
    def only_lead(self) -> bool:
        """Is the lead the only provider, enabled or not?"""
        return len(self.providers) == 1

    def precedence(self) -> dict[str, int]:
        return {name: descriptor.precedence for name, descriptor in self.providers.items()}

    def enabled(self, switched: Mapping[str, bool]) -> dict[str, Descriptor]:
        """The enabled providers: an operator's switch overrides the file."""
        return {n: d for n, d in self.providers.items() if switched.get(n, d.enabled)}


# Without a file there is one provider, and nothing to reconcile.
API_FOOTBALL_ONLY = ProvidersFile(
    providers={API_FOOTBALL: Descriptor(adapter=API_FOOTBALL, precedence=100)}
)
FILE_NAME = "sources.yaml"


def switched_off(name: str) -> str:
    return f"{name} is switched off: footy sources enable {name}"


def providers_without_file(lead: str | None) -> ProvidersFile:
    """The lead alone, by the name of its adapter."""
    if lead is None or lead == API_FOOTBALL:
        return API_FOOTBALL_ONLY
    if lead not in NEED_NO_SETTINGS:
        known = ", ".join((API_FOOTBALL, *NEED_NO_SETTINGS))
        raise BadInput(
            f"the provider {lead} is not known",
            f"Choose one of {known}, or describe it in {FILE_NAME}",
        )
    return ProvidersFile(providers={lead: Descriptor(adapter=lead, precedence=100)})


def read_providers(text: str, name: str = FILE_NAME) -> ProvidersFile:
    """Parses the file. Raises `BadInput` with the line of the first error."""
    try:
        node = yaml.compose(text, Loader=LimitedYamlLoader)
        content = yaml.load(text, Loader=LimitedYamlLoader)
    except yaml.MarkedYAMLError as error:
        # An open bracket is noticed lines later: report the line that opened it.
        left_open = (error.context or "").startswith("while parsing a flow")
        mark = error.context_mark if left_open else error.problem_mark
        line = mark.line + 1 if mark else 1
        raise _error_at(name, line, error.problem or "not valid YAML") from error
    except yaml.YAMLError as error:
        raise _error_at(name, 1, str(error).splitlines()[0]) from error
    place: tuple[int | str, ...] = ()
    top = "providers" if isinstance(content, dict) and "providers" in content else FORMER_KEY
    try:
        found = ProvidersFile.model_validate(content if content is not None else {})
        _check_names(found, node, name, top)
        _check_lead(found, node, name, top)
        _check_api_football(found, node, name, top)
        for provider, descriptor in found.providers.items():
            place = (top, provider, "settings")
            if model := SETTINGS.get(descriptor.adapter):
                model.model_validate(descriptor.settings)
    except ValidationError as error:
        first = error.errors()[0]
        place = (*place, *first["loc"])
        where = ".".join(map(str, place)) or "the file"
        raise _error_at(name, _line_of(node, place), f"{where}: {first['msg']}") from error
    return found


class LastGoodFile:
    """The last valid content of a file that may be edited while we run.

    `lead` names the provider that leads, whatever the file says.
    """

    def __init__(self, lead: str | None = None) -> None:
        self._lead = lead
        self.refusal: str | None = None
        self._text: str | None = None
        self._text_is_known = False
        self._content: ProvidersFile | None = None

    @property
    def content(self) -> ProvidersFile:
        """The last valid one; before there was one, the lead alone."""
        return self._content or providers_without_file(self._lead)

    @property
    def was_valid(self) -> bool:
        return self._content is not None

    def update(self, text: str | None) -> bool:
        """Takes the text of the file (None: there is none); True if the content changed."""
        if self._text_is_known and text == self._text:
            return False
        self._text, self._text_is_known = text, True
        try:
            content = self.read(text)
        except BadInput as error:
            self.refusal = str(error)
            return False
        self.refusal = None
        is_first = self._content is None and text is None
        changed, self._content = content != self._content, content
        return changed and not is_first

    def keep(self, content: ProvidersFile) -> None:
        """A version that was valid before this process started."""
        self._content = content

    def read(self, text: str | None) -> ProvidersFile:
        if text is None:
            return providers_without_file(self._lead)
        content = read_providers(text)
        if self._lead is None:
            return content
        if self._lead not in content.providers:
            known = ", ".join(content.providers)
            raise BadInput(
                f"the lead is to be {self._lead}, which {FILE_NAME} does not describe",
                f"Choose one of {known}, or add it to the file",
            )
        return content.led_by(self._lead)


def _check_names(found: ProvidersFile, node: yaml.Node | None, name: str, top: str) -> None:
    for provider in found.providers:
        line = _line_of(node, (top, provider))
        if not NAME.fullmatch(provider):
            reason = f"{top}.{provider}: a name has small letters, digits, _ and - only"
            raise _error_at(name, line, reason)
        if provider == ALL_PROVIDERS:
            raise _error_at(name, line, f"{top}.{provider}: this name means all providers together")


def _check_lead(found: ProvidersFile, node: yaml.Node | None, name: str, top: str) -> None:
    marked = [provider for provider, descriptor in found.providers.items() if descriptor.lead]
    if len(marked) > 1:
        line = _line_of(node, (top, marked[1], "lead"))
        raise _error_at(name, line, f"{top}.{marked[1]}.lead: {marked[0]} leads already")


def _check_api_football(found: ProvidersFile, node: yaml.Node | None, name: str, top: str) -> None:
    """Its numbers are ours, so there is one of it, under one name."""
    for provider, descriptor in found.providers.items():
        if (provider == API_FOOTBALL) != (descriptor.adapter == API_FOOTBALL):
            line = _line_of(node, (top, provider, "adapter"))
            reason = f"{top}.{provider}.adapter: {descriptor.adapter} is for {API_FOOTBALL} alone"
            if provider == API_FOOTBALL:
                reason = f"{top}.{provider}.adapter: this name is for {API_FOOTBALL} alone"
            raise _error_at(name, line, reason)


def _error_at(name: str, line: int, reason: str) -> BadInput:
    return BadInput(f"{name} line {line}: {reason}", "Fix it; until then the last good one is used")


def _line_of(node: yaml.Node | None, loc: tuple[int | str, ...]) -> int:
    """The line of the innermost part of a path that is in the file."""
    line = 1 if node is None else node.start_mark.line + 1
    for part in loc:
        if not isinstance(node, yaml.MappingNode):
            return line
        for key, value in node.value:
            if key.value == str(part):
                line, node = key.start_mark.line + 1, value
                break
        else:
            return line
    return line
