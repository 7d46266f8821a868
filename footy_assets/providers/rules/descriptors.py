"""A1: reads `sources.yaml`. An error names the line."""

import re
from collections.abc import Mapping
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from footy_assets.errors import BadInput
from footy_assets.parsing import LimitedYamlLoader
from footy_assets.providers.rules.adapter_settings import (
    AdapterSettings,
    FootballDataSettings,
    MainSettings,
    PageSettings,
)
from footy_assets.providers.rules.health import ALL_PROVIDERS
from footy_assets.providers.rules.identify import Aliases
from footy_assets.providers.rules.limits import RateLimits

AdapterName = Literal["api_football", "football_data", "page"]
MAIN = "api_football"
# Names are parts of keys in MongoDB, where a dot is a path, and labels of metrics.
NAME = re.compile(r"[a-z0-9_-]+")
SETTINGS: dict[AdapterName, type[AdapterSettings]] = {
    "api_football": MainSettings,
    "football_data": FootballDataSettings,
    "page": PageSettings,
}


class RequestLimits(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    max_concurrent: int = Field(4, ge=1, le=64)
    min_interval: float = Field(0.0, ge=0, le=3600)
    burst: int = Field(1, ge=1, le=1000)

    def as_limits(self) -> RateLimits:
        return RateLimits(self.max_concurrent, self.min_interval, self.burst)


class Descriptor(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    adapter: AdapterName
    enabled: bool = True
    precedence: int = Field(50, ge=0, le=100)
    confidence: float = Field(1.0, ge=0, le=1)
    limits: RequestLimits = RequestLimits()
    settings: dict[str, Any] = Field(default_factory=dict)


# The key of the file is `providers`; `sources`, the former name, still works.
FORMER_KEY = "sources"


class ProvidersFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    providers: dict[str, Descriptor] = Field(alias=FORMER_KEY)
    team_aliases: dict[str, str] = Field(default_factory=dict)
    competition_aliases: dict[str, str] = Field(default_factory=dict)

    @property
    def aliases(self) -> Aliases:
        return Aliases(self.team_aliases, self.competition_aliases)

    @property
    def only_main(self) -> bool:
        """Is the main provider the only one, enabled or not?"""
        return set(self.providers) <= {MAIN}

    def precedence(self) -> dict[str, int]:
        return {name: descriptor.precedence for name, descriptor in self.providers.items()}

    def enabled(self, switched: Mapping[str, bool]) -> dict[str, Descriptor]:
        """The enabled providers: an operator's switch overrides the file."""
        return {n: d for n, d in self.providers.items() if switched.get(n, d.enabled)}


# Without a file there is one provider, and nothing to reconcile.
MAIN_ONLY = ProvidersFile(providers={MAIN: Descriptor(adapter="api_football", precedence=100)})


def read_providers(text: str, name: str = "sources.yaml") -> ProvidersFile:
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
        _check_main_provider(found, node, name, top)
        for provider, descriptor in found.providers.items():
            place = (top, provider, "settings")
            SETTINGS[descriptor.adapter].model_validate(descriptor.settings)
    except ValidationError as error:
        first = error.errors()[0]
        place = (*place, *first["loc"])
        where = ".".join(map(str, place)) or "the file"
        raise _error_at(name, _line_of(node, place), f"{where}: {first['msg']}") from error
    return found


class LastGoodFile:
    """The last valid content of a file that may be edited while we run."""

    def __init__(self, content: ProvidersFile = MAIN_ONLY) -> None:
        self.content = content
        self.refusal: str | None = None
        self._text: str | None = None

    def update(self, text: str | None) -> bool:
        """Takes the text of the file (None: there is none); True if the content changed."""
        if text == self._text:
            return False
        self._text = text
        try:
            content = MAIN_ONLY if text is None else read_providers(text)
        except BadInput as error:
            self.refusal = str(error)
            return False
        self.refusal = None
        changed, self.content = content != self.content, content
        return changed


def _check_names(found: ProvidersFile, node: yaml.Node | None, name: str, top: str) -> None:
    for provider in found.providers:
        line = _line_of(node, (top, provider))
        if not NAME.fullmatch(provider):
            reason = f"{top}.{provider}: a name has small letters, digits, _ and - only"
            raise _error_at(name, line, reason)
        if provider == ALL_PROVIDERS:
            raise _error_at(name, line, f"{top}.{provider}: this name means all providers together")


def _check_main_provider(found: ProvidersFile, node: yaml.Node | None, name: str, top: str) -> None:
    if MAIN not in found.providers:
        line = _line_of(node, (top,))
        raise _error_at(name, line, f"{top}: {MAIN} is missing, whose ids are ours")
    for provider, descriptor in found.providers.items():
        if (provider == MAIN) != (descriptor.adapter == MAIN):
            line = _line_of(node, (top, provider, "adapter"))
            reason = f"{top}.{provider}.adapter: {descriptor.adapter} is for {MAIN} alone"
            if provider == MAIN:
                reason = f"{top}.{provider}.adapter: it is the main provider, and has no other"
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
