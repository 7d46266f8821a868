"""A1: the providers, as `sources.yaml` describes them. A bad file names its line."""

import re
from collections.abc import Mapping
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from footy_assets.errors import BadInput
from footy_assets.sources.adapter_settings import (
    AdapterSettings,
    FootballDataSettings,
    MainSettings,
    PageSettings,
)
from footy_assets.sources.health import EVERYTHING
from footy_assets.sources.identify import Aliases
from footy_assets.sources.limits import RateLimits

AdapterName = Literal["api_football", "football_data", "page"]
MAIN = "api_football"
# Names are parts of keys in MongoDB, where a dot is a path, and labels of metrics.
NAME = re.compile(r"[a-z0-9_-]+")
SETTINGS: dict[AdapterName, type[AdapterSettings]] = {
    "api_football": MainSettings,
    "football_data": FootballDataSettings,
    "page": PageSettings,
}


class Limits(BaseModel):
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
    limits: Limits = Limits()
    settings: dict[str, Any] = Field(default_factory=dict)


class SourcesFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    sources: dict[str, Descriptor]
    team_aliases: dict[str, str] = Field(default_factory=dict)
    competition_aliases: dict[str, str] = Field(default_factory=dict)

    @property
    def aliases(self) -> Aliases:
        return Aliases(self.team_aliases, self.competition_aliases)

    @property
    def alone(self) -> bool:
        """The main provider and no other, switched on or not: nothing to lay beside it."""
        return set(self.sources) <= {MAIN}

    def precedence(self) -> dict[str, int]:
        return {name: described.precedence for name, described in self.sources.items()}

    def enabled(self, switched: Mapping[str, bool]) -> dict[str, Descriptor]:
        """What is on: as the file says, unless someone switched it since."""
        return {n: d for n, d in self.sources.items() if switched.get(n, d.enabled)}


# With no file at all there is one provider, and nothing to reconcile.
ONE_PROVIDER = SourcesFile(sources={MAIN: Descriptor(adapter="api_football", precedence=100)})


class _Loader(yaml.SafeLoader):
    """Knows the line of what has the form of a date or a number, and is none."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, OverflowError) as error:
            mark = node.start_mark
            raise yaml.constructor.ConstructorError(None, None, str(error), mark) from error


def read_sources(text: str, name: str = "sources.yaml") -> SourcesFile:
    """The file's content, or the line that is wrong."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        content = yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        # A bracket left open is seen only lines later: the line that opened it is the wrong one.
        left_open = (error.context or "").startswith("while parsing a flow")
        mark = error.context_mark if left_open else error.problem_mark
        line = mark.line + 1 if mark else 1
        raise _refused(name, line, error.problem or "this is no YAML") from error
    except yaml.YAMLError as error:
        raise _refused(name, 1, str(error).splitlines()[0]) from error
    place: tuple[int | str, ...] = ()
    try:
        found = SourcesFile.model_validate(content if content is not None else {})
        _has_fit_names(found, node, name)
        _has_one_main_provider(found, node, name)
        for source, described in found.sources.items():
            place = ("sources", source, "settings")
            SETTINGS[described.adapter].model_validate(described.settings)
    except ValidationError as error:
        first = error.errors()[0]
        place = (*place, *first["loc"])
        where = ".".join(map(str, place)) or "the file"
        raise _refused(name, _line_of(node, place), f"{where}: {first['msg']}") from error
    return found


class SourcesBook:
    """The file while it is being edited: a bad version is refused, the last good one stays."""

    def __init__(self, content: SourcesFile = ONE_PROVIDER) -> None:
        self.content = content
        self.refusal: str | None = None
        self._read: str | None = None

    def reread(self, text: str | None) -> bool:
        """True where the content changed. None: there is no file."""
        if text == self._read:
            return False
        self._read = text
        try:
            content = ONE_PROVIDER if text is None else read_sources(text)
        except BadInput as error:
            self.refusal = str(error)
            return False
        self.refusal = None
        changed, self.content = content != self.content, content
        return changed


def _has_fit_names(found: SourcesFile, node: yaml.Node | None, name: str) -> None:
    for source in found.sources:
        line = _line_of(node, ("sources", source))
        if not NAME.fullmatch(source):
            reason = f"sources.{source}: a name has small letters, digits, _ and - only"
            raise _refused(name, line, reason)
        if source == EVERYTHING:
            raise _refused(name, line, f"sources.{source}: this name means all sources together")


def _has_one_main_provider(found: SourcesFile, node: yaml.Node | None, name: str) -> None:
    if MAIN not in found.sources:
        line = _line_of(node, ("sources",))
        raise _refused(name, line, f"sources: {MAIN} is missing, whose ids are ours")
    for source, described in found.sources.items():
        if (source == MAIN) != (described.adapter == MAIN):
            line = _line_of(node, ("sources", source, "adapter"))
            reason = f"sources.{source}.adapter: {described.adapter} is for {MAIN} alone"
            if source == MAIN:
                reason = f"sources.{source}.adapter: it is the main provider, and has no other"
            raise _refused(name, line, reason)


def _refused(name: str, line: int, reason: str) -> BadInput:
    return BadInput(f"{name} line {line}: {reason}", "Mend it; until then the last good one holds")


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
