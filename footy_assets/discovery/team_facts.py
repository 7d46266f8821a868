"""S3: what the provider and Wikidata say of a team, and whom to ask for it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TeamProfile:
    """A team as the provider describes it; of a team it does not know, only the name."""

    id: int
    name: str
    code: str | None = None
    national: bool = False
    country: str | None = None
    city: str | None = None
    venue: str | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """Words in a language, as Wikidata keeps nicknames, short names and demonyms."""

    language: str
    text: str


@dataclass(frozen=True, slots=True)
class WikiItem:
    """An item of Wikidata: its names, the items it points to and its texts, by property."""

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
    """All that the words are made of. Without an item, only the provider spoke."""

    profile: TeamProfile
    item: WikiItem | None = None
    venue: WikiItem | None = None
    country: WikiItem | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A find of a search: enough to see that it is not meant, not enough to choose it."""

    id: str
    label: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search found, in its order; `unreadable` says what of it was not understood."""

    hits: tuple[Hit, ...] = ()
    unreadable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Items:
    items: Mapping[str, WikiItem] = field(default_factory=dict)
    unreadable: tuple[str, ...] = ()


@dataclass(slots=True)
class TeamAnswer:
    """Profiles of the teams that were asked for; `failures` says why one is missing."""

    profiles: dict[int, TeamProfile] = field(default_factory=dict)
    failures: dict[int, str] = field(default_factory=dict)
    calls: int = 0


class TeamDirectory(Protocol):
    """The provider's `/teams?id`. A team that fails does so alone."""

    def teams(self, ids: Sequence[int], within: float | None = None) -> TeamAnswer: ...


class Encyclopedia(Protocol):
    """Wikidata. Raises `WikidataError` when it gave no usable answer. Safe to share by threads."""

    def search(self, phrase: str) -> Hits: ...

    def items(self, ids: Collection[str]) -> Items:
        """With all that is asked of a team."""
        ...

    def names(self, ids: Collection[str]) -> Items:
        """Names only: what a country says of itself is a megabyte."""
        ...

    def country(self, id: str) -> WikiItem | None:
        """With its languages and what its people are called."""
        ...


class AliasPicker(Protocol):
    """A language model that picks the best words for a search, out of those given.

    Raises `PickerError` when it gave no usable answer.
    """

    @property
    def model(self) -> str: ...

    def pick(self, profile: TeamProfile, words: Sequence[str]) -> tuple[str, ...]: ...
