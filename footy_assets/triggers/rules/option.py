"""T4, T6, T20: the options and conditions of a trigger, validated on creation."""

from collections.abc import Set as AbstractSet
from typing import Any, Literal, NamedTuple

from pydantic import Field, StrictBool, ValidationInfo, field_validator, model_validator

from footy_assets.triggers.rules.document_part import DocumentPart, KeptList, KeptText
from footy_assets.triggers.rules.snapshot import parse_scalar, split_list
from footy_assets.triggers.rules.sports import VOCABULARY
from footy_assets.triggers.rules.suggest import suggest_event
from footy_assets.triggers.rules.term import SELECTOR_COMPARES, Compare, Term, Value, ValueType

MAX_TARGETS = 100
MAX_OPTIONS = 20
# An empty one means that there is none.
EMPTY_IS_ABSENT = ("event", "compare", "type")


class Comparison(NamedTuple):
    """An option ready to compare: its targets are values of the event's type."""

    event: str
    compare: Compare
    targets: tuple[Value, ...]
    parent: str | None


class _Compared(DocumentPart):
    event: str | None = None
    compare: Compare | None = Field(None, validate_default=True)
    targets: tuple[Any, ...] = Field((), max_length=MAX_TARGETS, validate_default=True)
    type: ValueType | None = Field(None, validate_default=True)
    parent: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _as_written(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        given = {
            name: value
            for name, value in given.items()
            if not (value == "" and name in EMPTY_IS_ABSENT)
        }
        if isinstance(given.get("targets"), str):
            given["targets"] = [given["targets"]]
        return given

    @field_validator("event", "parent")
    @classmethod
    def _known(cls, event: str | None) -> str | None:
        if event and event not in VOCABULARY:
            raise ValueError(f"{event!r:.80} is not a standard event{suggest_event(event)}")
        return event

    @field_validator("compare")
    @classmethod
    def _allowed(cls, compare: Compare | None, info: ValidationInfo) -> Compare | None:
        term = _term(info)
        if term is None:
            return compare
        if compare is None:
            preferred: Compare = "in" if term.type == "string" else "eq"
            return preferred if preferred in term.compares else term.compares[0]
        if compare not in term.compares:
            raise ValueError(f"{term.event} is compared by {', '.join(term.compares)}")
        return compare

    @field_validator("targets")
    @classmethod
    def _typed(cls, targets: tuple[Any, ...], info: ValidationInfo) -> tuple[Value, ...]:
        """Strings stay as they are written: lists with commas, and numbers, too."""
        term = _term(info)
        if term is None:
            return targets
        values = parse_targets(term, targets)
        if not values and not term.targets_like_parent:
            raise ValueError("has no target")
        if len(values) > MAX_TARGETS:
            raise ValueError(f"has more than {MAX_TARGETS} targets")
        if info.data.get("compare", "in") != "in" and len(values) > 1:
            raise ValueError(f"{info.data['compare']} takes one target; several go with in")
        return tuple(one if isinstance(one, str) else parse_scalar(term, one) for one in targets)

    @field_validator("type")
    @classmethod
    def _its_type(cls, given: ValueType | None, info: ValidationInfo) -> ValueType | None:
        term = _term(info)
        if term is None:
            return given
        if given not in (None, term.type):
            raise ValueError(f"{term.event} is a {term.type}")
        return term.type


class Option(_Compared):
    """Compares the snapshot's value of `event` with `targets`."""

    event: str


class Condition(_Compared):
    """A root comparison, and further ones that must hold in the same snapshot.

    The root may be left out. Of the other fields only `datasource` and `chain_operation` mean
    something to the engine.
    """

    options: tuple[Option, ...] = Field((), max_length=MAX_OPTIONS, validate_default=True)
    # Only snapshots of this origin satisfy it; without it, those of the trigger's.
    datasource: KeptText | None = None
    # How it is joined to the conditions before it.
    chain_operation: Literal["and", "or"] | None = None
    chain_order: int | None = Field(None, ge=0, le=1_000)
    id: KeptText | None = None
    trigger_id: KeptText | None = None
    sport: KeptText | None = None
    scope: KeptText | None = None
    scope_id: KeptText | None = None
    current: KeptText | None = None
    activated: StrictBool | None = None
    log: KeptList | None = None
    uri: KeptList | None = None

    @field_validator("chain_operation", mode="before")
    @classmethod
    def _small_letters(cls, given: Any) -> Any:
        return (given.lower() or None) if isinstance(given, str) else given

    @field_validator("options")
    @classmethod
    def _selectors_choose(
        cls, options: tuple[Option, ...], info: ValidationInfo
    ) -> tuple[Option, ...]:
        root = info.data.get("event")
        if root is None and not options and "event" in info.data:
            raise ValueError("a condition has an event, or options")
        events = {root, *(option.event for option in options)}
        for number, option in enumerate(options):
            if option.compare not in SELECTOR_COMPARES and selected_aggregate(option, events):
                raise ValueError(f"{number}.compare: select who is counted with in or eq")
            parent = VOCABULARY[option.event].parent
            if not option.targets and parent not in events:
                raise ValueError(f"{number}.targets: has no target, and there is no {parent}")
        return options

    @model_validator(mode="after")
    def _root_chooses(self) -> "Condition":
        if self.event is None or self.compare is None:
            return self
        others = {option.event for option in self.options}
        if self.compare not in SELECTOR_COMPARES and selected_aggregate(self, others):
            raise ValueError("compare: select who is counted with in or eq")
        if not self.targets and VOCABULARY[self.event].parent not in others:
            raise ValueError("targets: has no target")
        return self

    @property
    def all_options(self) -> tuple[Comparison, ...]:
        """T4: the root is an option like the others; duplicates count once."""
        written = [one for one in (self, *self.options) if one.event and one.compare]
        values = {one.event: _values(one) for one in reversed(written)}
        return tuple(
            dict.fromkeys(
                Comparison(
                    str(one.event),
                    one.compare or "in",
                    _values(one) or values.get(VOCABULARY[str(one.event)].parent, ()),
                    one.parent or None,
                )
                for one in written
            )
        )


def parse_targets(term: Term, targets: tuple[Any, ...]) -> tuple[Value, ...]:
    """T6, T20: the values that targets mean."""
    return tuple(
        parse_scalar(term, part)
        for target in targets
        for part in (split_list(term, target) if isinstance(target, str) else (target,))
    )


def selected_aggregate(
    option: _Compared | Comparison, events: AbstractSet[str | None]
) -> str | None:
    """T7: the aggregate among `events` for which this option selects whose count is meant."""
    for event in sorted(name for name in events if name):
        if VOCABULARY[event].selector == option.event and option.parent in (None, "", event):
            return event
    return None


def _term(info: ValidationInfo) -> Term | None:
    return VOCABULARY.get(info.data.get("event") or "")


def _values(option: _Compared) -> tuple[Value, ...]:
    return parse_targets(VOCABULARY[str(option.event)], option.targets)
