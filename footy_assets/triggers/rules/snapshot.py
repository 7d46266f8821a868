"""T1: one moment of a match in standard events."""

import re
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from footy_assets.triggers.rules.plain import plain_name, plain_number, plain_text
from footy_assets.triggers.rules.sports import FOOTBALL, SPORTS, VOCABULARY
from footy_assets.triggers.rules.term import Term

MAX_OPTIONS = 50
MAX_VALUES = 50
FIRST_YEAR, LAST_YEAR = 1850, 2999
NUMBER = re.compile(r"[+-]?\d{1,20}(\.\d{1,20})?")

Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(plain_text)]
Scalar = str | int | float


class Snapshot(BaseModel):
    """Events (`football.goal.*` …) and state (`football.score.*` …) of one moment.

    `cancels` names the snapshot of a goal that VAR cancelled; `replaces` one of the same moment
    that was wrong or incomplete (the scorer was not known yet). Neither counts any more.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Name
    datasource: Name
    sport: str = FOOTBALL
    scope: Literal["game"] = "game"
    scope_id: Name
    timestamp: AwareDatetime
    options: dict[str, Any] = Field(min_length=1, max_length=MAX_OPTIONS)
    cancels: Name | None = None
    replaces: Name | None = None

    @model_validator(mode="before")
    @classmethod
    def _as_adapters_write(cls, given: Any) -> Any:
        """T20: `scopeId` for `scope_id`; an event without a value has not happened."""
        if not isinstance(given, dict):
            return given
        given = {("scope_id" if name == "scopeId" else name): one for name, one in given.items()}
        if isinstance(given.get("options"), dict):
            given["options"] = {
                event: value
                for event, value in given["options"].items()
                if value is not None and value != []
            }
        return given

    @field_validator("sport")
    @classmethod
    def _known_sport(cls, sport: str) -> str:
        return known_sport(sport)

    @field_validator("id", "scope_id", mode="before")
    @classmethod
    def _number_is_a_name(cls, value: Any) -> Any:
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    @field_validator("timestamp", mode="after")
    @classmethod
    def _as_stored(cls, value: datetime) -> datetime:
        """Rounds to milliseconds, as MongoDB does: a replay must see the same time as live."""
        if not FIRST_YEAR <= value.year <= LAST_YEAR:
            raise ValueError(f"is not between {FIRST_YEAR} and {LAST_YEAR}")
        value = value.astimezone(UTC)
        return value.replace(microsecond=value.microsecond // 1000 * 1000)

    @field_validator("options", mode="after")
    @classmethod
    def _standard_events(cls, options: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        sport = info.data.get("sport", FOOTBALL)
        return {event: _read(sport, event, value) for event, value in options.items()}

    @model_validator(mode="after")
    def _whose_count(self) -> "Snapshot":
        for event, value in self.options.items():
            selector = VOCABULARY[event].selector
            named = isinstance(value, dict | str)
            if selector and not named and selector not in self.options:
                raise ValueError(f"options.{event}: say whose count it is by {selector}")
        return self

    @property
    def events(self) -> frozenset[str]:
        return frozenset(self.options)


def known_sport(sport: str) -> str:
    if sport not in SPORTS:
        raise ValueError(f"{sport!r:.80} is none of {', '.join(SPORTS)}")
    return sport


def _read(sport: str, event: str, value: Any) -> Any:
    term = SPORTS[sport].terms.get(event)
    if term is None:
        raise ValueError(f"{event:.80} is not a standard event of {sport}")
    if isinstance(value, dict):
        if not term.aggregate:
            raise ValueError(f"{event}: only counts are given by name")
        if not value or len(value) > MAX_VALUES:
            raise ValueError(f"{event}: counts of 1 to {MAX_VALUES} are given")
        return {plain_name(str(name)): parse_scalar(term, count) for name, count in value.items()}
    if term.counts_itself and isinstance(value, str):
        return plain_text(value)
    if isinstance(value, str) and len(parts := split_list(term, value)) > 1:
        value = parts
    if isinstance(value, list | tuple):
        if term.aggregate:
            raise ValueError(f"{event}: a count is one number, or several by name")
        if not value or len(value) > MAX_VALUES:
            raise ValueError(f"{event}: a list has 1 to {MAX_VALUES} values")
        return [parse_scalar(term, one) for one in value]
    return parse_scalar(term, value)


def parse_scalar(term: Term, value: Any) -> Scalar:
    """T6: checks that a value has the event's type; T20: a number may be written as a string."""
    if term.is_id and isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if term.type == "number":
        if isinstance(value, str) and NUMBER.fullmatch(value.strip()):
            value = float(value) if "." in value else int(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{term.event} takes numbers, not {value!r:.80}")
        return plain_number(value)
    if not isinstance(value, str) or not 0 < len(value) <= 200:
        raise ValueError(f"{term.event} takes strings of 1 to 200 characters, not {value!r:.80}")
    return plain_text(value)


def split_list(term: Term, value: str) -> list[str]:
    """T20: the values of a list with commas. Free text is one value."""
    if term.free or "," not in value or value in term.values:
        return [value]
    return [part for one in value.split(",") if (part := one.strip())]


def as_tuple(value: Any) -> tuple[Any, ...]:
    """A value or a list of them, as a tuple."""
    return tuple(value) if isinstance(value, list) else (value,)
