"""R3: the merged state of a match after a poll, with a score that falls only for a reason."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from footy_assets.providers.rules.confidence import MIN_CONFIDENCE
from footy_assets.providers.rules.match import Report
from footy_assets.providers.rules.reconcile import FieldProvenance, ReconciledMatch
from footy_assets.providers.rules.scoreline import Scoreline, after_poll, raise_score
from footy_assets.providers.rules.snapshots import next_snapshot
from footy_assets.providers.store.snapshots import MatchState

SIDES = ("home", "away")


def next_state(
    before: MatchState,
    match_id: int,
    found: ReconciledMatch,
    reports: Sequence[Report],
    now: datetime,
    poll_id: str | None,
) -> MatchState:
    """R3: the snapshot after this poll, with a guarded score, which falls by no poll without id."""
    decisions = [d for r in reports if r.confidence >= MIN_CONFIDENCE for d in r.cancellations]
    lines = {
        side: after_poll(
            before.lines.get(side, Scoreline()),
            found.fields.get(f"score.{side}"),
            poll_id,
            [minute for whose, minute in decisions if whose == side],
        )
        for side in SIDES
    }
    fields = with_guarded_score(found.fields, lines)
    provenance = _guarded_provenance(before, found, fields)
    made = next_snapshot(before.snapshot, match_id, fields, provenance, now)
    return MatchState(made or before.snapshot, lines)


def with_guarded_score(fields: Mapping[str, Any], lines: Mapping[str, Scoreline]) -> dict[str, Any]:
    return {**fields, **{n: goals for n, goals in scores(lines).items() if n in fields}}


def _guarded_provenance(
    before: MatchState, found: ReconciledMatch, fields: Mapping[str, Any]
) -> dict[str, FieldProvenance]:
    """R3: a value that the guard keeps stays attributed to the provider that reported it."""
    last = before.snapshot
    if last is None:
        return dict(found.provenance)
    states = {
        name: last.provenance[name]
        for name, value in fields.items()
        if value != found.fields[name] and value == last.fields.get(name)
    }
    return {**found.provenance, **states}


def raise_scores(lines: Mapping[str, Scoreline], report: Report) -> dict[str, Scoreline]:
    score = report.match.score
    return {side: raise_score(lines.get(side, Scoreline()), getattr(score, side)) for side in SIDES}


def scores(lines: Mapping[str, Scoreline]) -> dict[str, int | None]:
    return {f"score.{side}": line.goals for side, line in lines.items()}
