"""SE3: what the provider and Wikidata know about a team, and the interfaces to them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TeamProfile:
    """A team as the provider describes it; for an unknown team, only the name."""

    id: int
    name: str
    code: str | None = None
    national: bool = False
    country: str | None = None
    city: str | None = None
    venue: str | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """Text in a language: a nickname, short name or demonym in Wikidata."""

    language: str
    text: str


@dataclass(frozen=True, slots=True)
class WikiItem:
    """A Wikidata item: its names, and its linked items and texts by property."""

    id: str
    label: str = ""
    description: str = ""
    aliases: tuple[str, ...] = ()
    links: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    texts: Mapping[str, tuple[Text, ...]] = field(default_factory=dict)
    dissolved: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name in (self.label, *self.aliases) if name)


@dataclass(frozen=True, slots=True)
class TeamFacts:
    """All that a team's words are derived from. `item` is None if Wikidata does not know it."""

    profile: TeamProfile
    item: WikiItem | None = None
    venue: WikiItem | None = None
    country: WikiItem | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A search result: enough to exclude an item, not enough to choose it."""

    id: str
    label: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Hits:
    """Search results in their order. `unreadable` says why others could not be parsed."""

    hits: tuple[Hit, ...] = ()
    unreadable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Items:
    items: Mapping[str, WikiItem] = field(default_factory=dict)
    unreadable: tuple[str, ...] = ()


@dataclass(slots=True)
class TeamAnswer:
    """The requested profiles. `failures` says why one is missing."""

    profiles: dict[int, TeamProfile] = field(default_factory=dict)
    failures: dict[int, str] = field(default_factory=dict)
    calls: int = 0


class TeamDirectory(Protocol):
    """The provider's `/teams?id`. Each team fails alone."""

    def teams(self, ids: Sequence[int], within: float | None = None) -> TeamAnswer: ...


class NamesOnly:
    """The directory of a provider that describes no teams: their names are all there is."""

    def teams(self, ids: Sequence[int], within: float | None = None) -> TeamAnswer:
        return TeamAnswer()


class Encyclopedia(Protocol):
    """Wikidata. Raises `WikidataError` without a usable answer. Threads may share it."""

    def search(self, phrase: str) -> Hits: ...

    def items(self, ids: Collection[str]) -> Items:
        """Items with every property of a team."""
        ...

    def names(self, ids: Collection[str]) -> Items:
        """Items with names only: a whole country is a megabyte."""
        ...

    def country(self, id: str) -> WikiItem | None:
        """A country with its native names and demonyms."""
        ...


class AliasPicker(Protocol):
    """A language model that picks the best search words from a list.

    Raises `PickerError` without a usable answer.
    """

    @property
    def model(self) -> str: ...

    def pick(self, profile: TeamProfile, words: Sequence[str]) -> tuple[str, ...]: ...
