"""T21: the sports, each a folder of data: its events, what is counted, and the limits it offers."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from footy_assets.triggers.rules.term import (
    NUMERIC,
    TEXT,
    Aggregate,
    Choice,
    Compare,
    Input,
    TargetsFrom,
    Term,
    ValueType,
)

FOLDER = files("footy_assets.triggers") / "sports"
FOOTBALL = "football"
# What the kind of an event decides: type, comparisons, input of a form, origin of its targets.
KINDS: Mapping[str, tuple[ValueType, tuple[Compare, ...], Input, TargetsFrom]] = {
    "number": ("number", NUMERIC, "number", "typed"),
    "choice": ("string", TEXT, "select", "choices"),
    "number_choice": ("number", NUMERIC, "select", "choices"),
    "team": ("string", TEXT, "team", "teams"),
    "player": ("string", TEXT, "player", "players"),
    "text": ("string", TEXT, "text", "anything"),
}
COMMON_LIMITS = (
    {"limit": "scope", "label": "per match", "description": "At most N times in a match."},
    {"limit": "minute", "label": "per minute", "description": "At most N times in 60 seconds."},
)


@dataclass(frozen=True, slots=True)
class Sport:
    name: str
    terms: Mapping[str, Term]
    # Limits by the values of an event that a form offers; `scope` and `minute` come first.
    limits: tuple[Mapping[str, str], ...]


def read_sport(folder: Traversable) -> Sport:
    name = folder.name
    aggregates = {
        event: Aggregate(**fields) for event, fields in _read(folder, "aggregates").items()
    }
    rows = _read(folder, "vocabulary")
    terms = {row["event"]: _term(name, row, aggregates.get(row["event"])) for row in rows}
    return Sport(name, terms, (*COMMON_LIMITS, *_read(folder, "limits")))


def _term(sport: str, row: Mapping[str, Any], counted: Aggregate | None) -> Term:
    fields = dict(row)
    type_, compares, input_, targets_from = KINDS[fields.pop("kind")]
    return Term(
        sport=sport,
        type=type_,
        compares=tuple(fields.pop("compare", compares)),
        input=input_,
        targets_from=targets_from,
        counted=counted,
        description=fields.pop("description", ""),
        parent=fields.pop("parent", counted and counted.of),
        choices=tuple(Choice(**one) for one in fields.pop("choices", ())),
        preferred_options=tuple(fields.pop("preferred_options", ())),
        **fields,
    )


def _read(folder: Traversable, part: str) -> Any:
    return json.loads((folder / f"{part}.json").read_text(encoding="utf-8"))


def _read_all() -> dict[str, Sport]:
    """Football first: it is the default everywhere."""
    folders = sorted(
        (one for one in FOLDER.iterdir() if one.is_dir() and (one / "vocabulary.json").is_file()),
        key=lambda one: (one.name != FOOTBALL, one.name),
    )
    return {folder.name: read_sport(folder) for folder in folders}


SPORTS: Mapping[str, Sport] = _read_all()
VOCABULARY: Mapping[str, Term] = {
    event: term for sport in SPORTS.values() for event, term in sport.terms.items()
}
AGGREGATES = frozenset(term.event for term in VOCABULARY.values() if term.aggregate)
