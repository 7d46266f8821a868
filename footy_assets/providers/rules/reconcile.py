"""Chooses one value for each field of a match, with its provider."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from footy_assets.providers.rules.confidence import MIN_CONFIDENCE
from footy_assets.providers.rules.match import OVER, Report

CONFLICT_THRESHOLD = 0.05
# Any difference in these is a conflict.
EXACT = frozenset({"score.home", "score.away", "cards.home", "cards.away"})
CLOCK = "minute"
PERIOD_FIELDS = frozenset({"period", "status", CLOCK})


@dataclass(frozen=True, slots=True)
class FieldValue:
    """One provider's value of one field."""

    value: Any
    provider: str
    precedence: int
    confidence: float
    at: datetime


@dataclass(frozen=True, slots=True)
class FieldProvenance:
    provider: str
    confidence: float
    timestamp: datetime


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two providers that differ; `kept` is the value we use."""

    field: str
    kept: Any
    kept_provider: str
    other: Any
    other_provider: str


@dataclass(frozen=True, slots=True)
class ReconciledMatch:
    fields: Mapping[str, Any]
    provenance: Mapping[str, FieldProvenance]
    conflicts: tuple[Conflict, ...]


def choose(values: Iterable[FieldValue]) -> FieldValue | None:
    """The value of highest precedence with confidence of at least 0.5; of equals, the newest."""
    usable = [v for v in values if v.confidence >= MIN_CONFIDENCE and v.value is not None]
    return max(usable, key=lambda v: (v.precedence, v.at, v.provider), default=None)


def conflicts_about(field: str, kept: FieldValue, values: Iterable[FieldValue]) -> list[Conflict]:
    """Numbers that differ by more than 5 %; goals and cards that differ at all."""
    return [
        Conflict(field, kept.value, kept.provider, one.value, one.provider)
        for one in values
        if one.provider != kept.provider
        and one.confidence >= MIN_CONFIDENCE
        and _is_conflict(field, kept.value, one.value)
    ]


def reconcile(reports: Sequence[Report], precedence: Mapping[str, int]) -> ReconciledMatch:
    """All fields of one match, each from the best provider."""
    early = _unconfirmed_end(reports, precedence)
    values_by_field: dict[str, list[FieldValue]] = {}
    for report in reports:
        for field, value in fields_of(report).items():
            if report is early and field in PERIOD_FIELDS:
                continue
            values_by_field.setdefault(field, []).append(
                FieldValue(
                    value, report.domain, precedence[report.domain], report.confidence, report.at
                )
            )
    fields: dict[str, Any] = {}
    provenance: dict[str, FieldProvenance] = {}
    conflicts: list[Conflict] = []
    period = choose(values_by_field.get("period", ()))
    of_this_period = {
        r.domain for r in reports if period is not None and r.match.period == period.value
    }
    for field, values in values_by_field.items():
        if field == CLOCK:
            # A minute of another period cannot be compared.
            values = [one for one in values if one.provider in of_this_period]
        kept = choose(values)
        if kept is None:
            continue
        fields[field] = kept.value
        provenance[field] = FieldProvenance(kept.provider, kept.confidence, kept.at)
        conflicts += conflicts_about(field, kept, values)
    return ReconciledMatch(fields, provenance, tuple(conflicts))


def fields_of(report: Report) -> dict[str, Any]:
    """R5 as flat fields."""
    match, minute, last = report.match, report.match.minute, report.match.last_event
    return {
        "title": match.title,
        "status": str(match.phase),
        "period": match.period,
        "minute": [minute.elapsed, minute.extra] if minute else None,
        "teams.home": match.teams.home,
        "teams.away": match.teams.away,
        "score.home": match.score.home,
        "score.away": match.score.away,
        "cards.home": match.cards.home,
        "cards.away": match.cards.away,
        "competition": match.competition,
        "venue": match.venue,
        "start": match.start.isoformat(),
        "last_event": (
            {
                "minute": str(last.minute),
                "side": last.side,
                "kind": last.kind,
                "player": last.player,
            }
            if last
            else None
        ),
        **{f"metadata.{name}": value for name, value in match.metadata.items()},
    }


def _unconfirmed_end(reports: Sequence[Report], precedence: Mapping[str, int]) -> Report | None:
    """The only report that the match is over, if one of higher precedence, trusted or not, says it
    is not. Goals after the end are lost, so two providers must agree to end a match."""
    over = [r for r in reports if r.match.phase in OVER and r.confidence >= MIN_CONFIDENCE]
    if len(over) != 1:
        return None
    (unconfirmed,) = over
    own = precedence[unconfirmed.domain]
    contradicted = any(r.match.phase not in OVER and precedence[r.domain] > own for r in reports)
    return unconfirmed if contradicted else None


def _is_conflict(field: str, kept: Any, other: Any) -> bool:
    if field == CLOCK and kept and other:
        kept, other = kept[0], other[0]
    if not _is_number(kept) or not _is_number(other):
        return False
    if field in EXACT:
        return bool(kept != other)
    return bool(abs(kept - other) > CONFLICT_THRESHOLD * max(abs(kept), abs(other)))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
