"""T2: what is known of one standard event."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Compare = Literal["in", "eq", "ne", "gt", "ge", "lt", "le"]
ValueType = Literal["string", "number"]
Input = Literal["select", "number", "player", "team", "text"]
TargetsFrom = Literal["choices", "teams", "players", "typed", "anything"]
Value = str | int | float

TEXT: tuple[Compare, ...] = ("in", "eq", "ne")
NUMERIC: tuple[Compare, ...] = ("in", "eq", "ne", "gt", "ge", "lt", "le")
# For selectors: "everyone but him" has no counter.
SELECTOR_COMPARES: tuple[Compare, ...] = ("in", "eq")


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that an event may have, as people read it.

    Of a player, `group` is the name of the team and `parent` the team as a target.
    """

    value: Value
    label: str
    description: str = ""
    group: str = ""
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """T7: a count. `of` is the option that says whose; each snapshot with `counts` adds one.

    An aggregate that counts itself takes the name of a team or player in a snapshot and adds one;
    every aggregate takes a number, which is the count.
    """

    of: str
    counts: str | None = None
    unless: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Term:
    """One standard event."""

    event: str
    sport: str
    label: str
    description: str
    type: ValueType
    compares: tuple[Compare, ...]
    input: Input
    targets_from: TargetsFrom
    parent: str | None = None
    choices: tuple[Choice, ...] = ()
    # Other values than its choices are allowed, and may occur.
    free: bool = False
    minimum: int | None = None
    maximum: int | None = None
    # Options that a form offers first beside this one.
    preferred_options: tuple[str, ...] = ()
    # An option without targets means those of its parent: "a dunk" beside "player 7" is his.
    targets_like_parent: bool = False
    # In every snapshot of a running match, not only when it changes.
    state: bool = False
    counted: Aggregate | None = None

    @property
    def aggregate(self) -> bool:
        return self.counted is not None

    @property
    def selector(self) -> str | None:
        """For aggregates: the option that says whose count."""
        return self.counted.of if self.counted else None

    @property
    def counts_itself(self) -> bool:
        return self.counted is not None and self.counted.counts == self.event

    @property
    def is_id(self) -> bool:
        """Ids of teams and players: a provider's numbers and a person's strings are the same."""
        return self.targets_from in ("teams", "players")

    @property
    def values(self) -> tuple[Value, ...]:
        return tuple(choice.value for choice in self.choices)

    @property
    def limitable(self) -> bool:
        """T9: may limits be counted by this event's values?"""
        return not self.aggregate
