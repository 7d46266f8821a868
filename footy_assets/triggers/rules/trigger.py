"""T4–T6, T9, T20: a trigger as users define it, validated on creation."""

import json
from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool, field_validator, model_validator

from footy_assets.triggers.rules.document_part import DocumentPart, KeptText, WrittenNumber
from footy_assets.triggers.rules.option import Condition
from footy_assets.triggers.rules.plain import plain_json
from footy_assets.triggers.rules.snapshot import Name, known_sport
from footy_assets.triggers.rules.sports import VOCABULARY
from footy_assets.triggers.rules.suggest import suggest_event

MAX_CONDITIONS = 20
MAX_LIMITS = 20
MAX_PAYLOAD_BYTES = 16_384

Limit = Annotated[int, Field(strict=True, ge=0, le=1_000_000), WrittenNumber]
Limits = Annotated[dict[str, Limit], Field(max_length=MAX_LIMITS)]
TriggerId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$")]


class Head(DocumentPart):
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
    threshold: Annotated[int, WrittenNumber] = Field(0, strict=True, ge=0, le=MAX_CONDITIONS)
    payload: dict[str, Any] = Field(default_factory=dict)
    # Without one, it gets one of ours.
    id: TriggerId | None = None
    name: KeptText | None = None
    description: KeptText | None = None
    sport: KeptText | None = None
    # The conditions that name none listen to snapshots of this origin only.
    datasource: KeptText | None = None
    # Kept and shown back: the engine has its own state.
    activated: StrictBool | None = None
    next: StrictBool | None = None

    @field_validator("entity_id", "scope_id", mode="before")
    @classmethod
    def _number_is_a_name(cls, value: Any) -> Any:
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    @field_validator("id", mode="before")
    @classmethod
    def _empty_is_absent(cls, value: Any) -> Any:
        return None if value == "" else value

    @field_validator("sport")
    @classmethod
    def _known_sport(cls, sport: str | None) -> str | None:
        return known_sport(sport) if sport else sport

    @field_validator("payload")
    @classmethod
    def _not_too_large(cls, payload: dict[str, Any]) -> dict[str, Any]:
        plain_json(payload)
        if len(json.dumps(payload)) > MAX_PAYLOAD_BYTES:
            raise ValueError(f"a payload has at most {MAX_PAYLOAD_BYTES} bytes")
        return payload


class Trigger(DocumentPart):
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

    @model_validator(mode="after")
    def _of_one_sport(self) -> "Trigger":
        """T21: a snapshot has the events of one sport."""
        sport = self.sport
        if self.trigger.sport and self.trigger.sport != sport:
            raise ValueError(f"trigger.sport: its conditions are about {sport}")
        for number, condition in enumerate(self.conditions):
            sports = {VOCABULARY[one.event].sport for one in condition.all_options}
            sports |= {condition.sport} if condition.sport else set()
            if sports != {sport}:
                raise ValueError(f"conditions.{number}: all conditions are about one sport")
        return self

    @property
    def sport(self) -> str:
        return VOCABULARY[self.conditions[0].all_options[0].event].sport

    @property
    def needed(self) -> int:
        """T5: how many conditions must hold."""
        head = self.trigger
        some = head.use_condition_threshold and head.threshold > 0
        return head.threshold if some else len(self.conditions)

    @property
    def joined_by_or(self) -> tuple[bool, ...]:
        """T20: for each condition, whether it is joined to those before it with OR.

        Empty if none is, or if a threshold says how many must hold.
        """
        head = self.trigger
        if head.use_condition_threshold and head.threshold > 0:
            return ()
        joined = tuple(one.chain_operation == "or" for one in self.conditions)
        return joined if any(joined[1:]) else ()

    @property
    def listens(self) -> bool:
        return not (self.trigger.disabled or self.trigger.disabled_entity)


def known_limits(limits: dict[str, int]) -> dict[str, int]:
    for name in limits:
        if name in ("scope", "minute"):
            continue
        if name not in VOCABULARY or not VOCABULARY[name].limitable:
            wrong = f"{name!r:.80}: limits go by scope, minute or a standard event"
            raise ValueError(wrong + suggest_event(name))
    return limits
