"""T4–T6, T9: a trigger as users define it, validated on creation."""

import json
from collections.abc import Set as AbstractSet
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    ValidationInfo,
    field_validator,
    model_validator,
)

from footy_assets.triggers.rules.plain import plain_json
from footy_assets.triggers.rules.snapshot import Name, parse_scalar
from footy_assets.triggers.rules.vocabulary import SELECTOR_COMPARES, VOCABULARY, Compare, ValueType

MAX_TARGETS = 100
MAX_CONDITIONS = 20
MAX_OPTIONS = 20
MAX_LIMITS = 20
MAX_PAYLOAD_BYTES = 16_384

Target = str | int | float
Limit = Annotated[int, Field(strict=True, ge=0, le=1_000_000)]
Limits = Annotated[dict[str, Limit], Field(max_length=MAX_LIMITS)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Option(_Part):
    """Compares the snapshot's value of `event` with `targets`."""

    event: str
    compare: Compare
    targets: tuple[Any, ...] = Field(min_length=1, max_length=MAX_TARGETS)
    type: ValueType | None = Field(None, validate_default=True)
    parent: str | None = None

    @field_validator("event", "parent")
    @classmethod
    def _known(cls, event: str | None) -> str | None:
        if event is not None and event not in VOCABULARY:
            raise ValueError(f"{event!r:.80} is not a standard event")
        return event

    @field_validator("compare")
    @classmethod
    def _allowed(cls, compare: Compare, info: ValidationInfo) -> Compare:
        term = VOCABULARY.get(info.data.get("event", ""))
        if term is not None and compare not in term.compares:
            raise ValueError(f"{term.event} is compared by {', '.join(term.compares)}")
        return compare

    @field_validator("targets")
    @classmethod
    def _typed(cls, targets: tuple[Any, ...], info: ValidationInfo) -> tuple[Target, ...]:
        term = VOCABULARY.get(info.data.get("event", ""))
        if term is None:
            return targets
        if info.data.get("compare", "in") != "in" and len(targets) > 1:
            raise ValueError(f"{info.data['compare']} takes one target; several go with in")
        return tuple(parse_scalar(term, target) for target in targets)

    @field_validator("type")
    @classmethod
    def _its_type(cls, given: ValueType | None, info: ValidationInfo) -> ValueType | None:
        term = VOCABULARY.get(info.data.get("event", ""))
        if term is None:
            return given
        if given not in (None, term.type):
            raise ValueError(f"{term.event} is a {term.type}")
        return term.type


class Condition(Option):
    """A root comparison and further ones that must hold in the same snapshot."""

    options: tuple[Option, ...] = Field((), max_length=MAX_OPTIONS)

    @field_validator("options")
    @classmethod
    def _selectors_choose(
        cls, options: tuple[Option, ...], info: ValidationInfo
    ) -> tuple[Option, ...]:
        events = {info.data.get("event"), *(option.event for option in options)}
        for number, option in enumerate(options):
            if option.compare not in SELECTOR_COMPARES and selected_aggregate(option, events):
                raise ValueError(f"{number}.compare: select who is counted with in or eq")
        return options

    @model_validator(mode="after")
    def _root_chooses(self) -> "Condition":
        if self.compare not in SELECTOR_COMPARES and selected_aggregate(
            self, {option.event for option in self.options}
        ):
            raise ValueError("compare: select who is counted with in or eq")
        return self

    @property
    def all_options(self) -> tuple[Option, ...]:
        """T4: the root is an option like the others; duplicates count once."""
        root = Option(
            event=self.event, compare=self.compare, targets=self.targets, parent=self.parent
        )
        return tuple(dict.fromkeys((root, *self.options)))


def selected_aggregate(option: Option, events: AbstractSet[str | None]) -> str | None:
    """T7: the aggregate among `events` for which this option selects whose count is meant."""
    for event in sorted(name for name in events if name):
        if VOCABULARY[event].selector == option.event and option.parent in (None, event):
            return event
    return None


class Head(_Part):
    """Whose trigger it is, where it listens, and how."""

    entity: Name
    entity_id: Name
    scope: Literal["game"] = "game"
    scope_id: Name
    disabled: StrictBool = False
    disabled_entity: StrictBool = False
    use_limits: StrictBool = True
    use_entity_limits: StrictBool = False
    use_condition_threshold: StrictBool = False
    threshold: int = Field(0, strict=True, ge=0, le=MAX_CONDITIONS)
    payload: dict[str, Any] = Field(default_factory=dict)

    @field_validator("entity_id", "scope_id", mode="before")
    @classmethod
    def _number_is_a_name(cls, value: Any) -> Any:
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    @field_validator("payload")
    @classmethod
    def _not_too_large(cls, payload: dict[str, Any]) -> dict[str, Any]:
        plain_json(payload)
        if len(json.dumps(payload)) > MAX_PAYLOAD_BYTES:
            raise ValueError(f"a payload has at most {MAX_PAYLOAD_BYTES} bytes")
        return payload


class Trigger(_Part):
    """The attributes of T14 that users set; counts are ours."""

    trigger: Head
    conditions: tuple[Condition, ...] = Field(min_length=1, max_length=MAX_CONDITIONS)
    limits: Limits = Field(default_factory=dict)

    @field_validator("limits")
    @classmethod
    def _known_limits(cls, limits: dict[str, int]) -> dict[str, int]:
        return known_limits(limits)

    @model_validator(mode="after")
    def _reachable(self) -> "Trigger":
        head = self.trigger
        if head.use_condition_threshold and head.threshold > len(self.conditions):
            raise ValueError(
                f"trigger.threshold: {head.threshold} of {len(self.conditions)} conditions "
                "can never hold"
            )
        return self

    @property
    def needed(self) -> int:
        """T5: how many conditions must hold."""
        head = self.trigger
        some = head.use_condition_threshold and head.threshold > 0
        return head.threshold if some else len(self.conditions)

    @property
    def listens(self) -> bool:
        return not (self.trigger.disabled or self.trigger.disabled_entity)


def known_limits(limits: dict[str, int]) -> dict[str, int]:
    for name in limits:
        if name in ("scope", "minute"):
            continue
        if name not in VOCABULARY or not VOCABULARY[name].limitable:
            raise ValueError(f"{name!r:.80}: limits go by scope, minute or a standard event")
    return limits
