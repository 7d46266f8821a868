"""One value a field, and where it came from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from footy_assets.sources.confidence import LEAST_CONFIDENCE
from footy_assets.sources.match import OVER, Report

LOGGED_ABOVE = 0.05
# Any difference in these is told.
EXACT = frozenset({"score.home", "score.away", "cards.home", "cards.away"})
CLOCK = "minute"
OF_THE_PERIOD = frozenset({"period", "status", CLOCK})


@dataclass(frozen=True, slots=True)
class Told:
    """What one provider says of one field."""

    value: Any
    source: str
    precedence: int
    confidence: float
    at: datetime


@dataclass(frozen=True, slots=True)
class Provenance:
    source: str
    confidence: float
    timestamp: datetime


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two providers that differ; `kept` is what we took."""

    field: str
    kept: Any
    kept_source: str
    other: Any
    other_source: str


@dataclass(frozen=True, slots=True)
class Reconciled:
    fields: Mapping[str, Any]
    provenance: Mapping[str, Provenance]
    conflicts: tuple[Conflict, ...]


def choose(told: Iterable[Told]) -> Told | None:
    """Drop confidence below 0.5, then highest precedence; missing falls back; equal: newest."""
    usable = [t for t in told if t.confidence >= LEAST_CONFIDENCE and t.value is not None]
    return max(usable, key=lambda t: (t.precedence, t.at, t.source), default=None)


def conflicts_about(field: str, kept: Told, told: Iterable[Told]) -> list[Conflict]:
    """Numbers more than 5 % apart; of goals and cards any difference."""
    return [
        Conflict(field, kept.value, kept.source, one.value, one.source)
        for one in told
        if one.source != kept.source
        and one.confidence >= LEAST_CONFIDENCE
        and _worth_telling(field, kept.value, one.value)
    ]


def reconcile(reports: Sequence[Report], precedence: Mapping[str, int]) -> Reconciled:
    """All fields of one match, each from the provider that deserves it."""
    early = _ends_it_alone(reports, precedence)
    told: dict[str, list[Told]] = {}
    for report in reports:
        for field, value in fields_of(report).items():
            if report is early and field in OF_THE_PERIOD:
                continue
            told.setdefault(field, []).append(
                Told(value, report.domain, precedence[report.domain], report.confidence, report.at)
            )
    fields: dict[str, Any] = {}
    provenance: dict[str, Provenance] = {}
    conflicts: list[Conflict] = []
    period = choose(told.get("period", ()))
    of_this_period = {
        r.domain for r in reports if period is not None and r.match.period == period.value
    }
    for field, values in told.items():
        if field == CLOCK:
            # A minute of another period than ours means nothing.
            values = [one for one in values if one.source in of_this_period]
        kept = choose(values)
        if kept is None:
            continue
        fields[field] = kept.value
        provenance[field] = Provenance(kept.source, kept.confidence, kept.at)
        conflicts += conflicts_about(field, kept, values)
    return Reconciled(fields, provenance, tuple(conflicts))


def fields_of(report: Report) -> dict[str, Any]:
    """R5 as flat fields."""
    match, minute, last = report.match, report.match.minute, report.match.last_event
    return {
        "title": match.title,
        "status": str(match.status),
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


def _ends_it_alone(reports: Sequence[Report], precedence: Mapping[str, int]) -> Report | None:
    """The only one that says the match is over, while one of higher precedence, believed or not,
    says it is not: goals that come after an end are lost, so it takes two to end a match."""
    over = [r for r in reports if r.match.status in OVER and r.confidence >= LEAST_CONFIDENCE]
    if len(over) != 1:
        return None
    (alone,) = over
    own = precedence[alone.domain]
    denied = any(r.match.status not in OVER and precedence[r.domain] > own for r in reports)
    return alone if denied else None


def _worth_telling(field: str, kept: Any, other: Any) -> bool:
    if field == CLOCK and kept and other:
        kept, other = kept[0], other[0]
    if not _number(kept) or not _number(other):
        return False
    if field in EXACT:
        return bool(kept != other)
    return bool(abs(kept - other) > LOGGED_ABOVE * max(abs(kept), abs(other)))


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
