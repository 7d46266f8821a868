"""The feed of the live poll: the main provider's answer, reconciled with the other providers.

The latest reports of the other providers are read from MongoDB, where `collect.py` stores them, so
a slow provider delays no poll. With the main provider only, its answer passes through unchanged;
`record_poll` stores the metrics of the poll afterwards.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

from footy_assets.clock import Clock
from footy_assets.matchday.rules.feed import Answer, Feed, SeasonSpan
from footy_assets.matchday.rules.pace import Quota
from footy_assets.matchday.rules.sighting import FixtureSighting
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.providers.rules.confidence import MIN_CONFIDENCE, record_answer, with_confidence
from footy_assets.providers.rules.descriptors import MAIN, ProvidersFile
from footy_assets.providers.rules.match import Report
from footy_assets.providers.rules.merge import MainAnswer, merge, merge_untrusted
from footy_assets.providers.rules.normalise import to_report
from footy_assets.providers.rules.priority import priority_of
from footy_assets.providers.rules.reconcile import (
    Conflict,
    FieldProvenance,
    ReconciledMatch,
    reconcile,
)
from footy_assets.providers.rules.records import ProviderRecord, records_elsewhere
from footy_assets.providers.rules.scoreline import Scoreline, after_poll, raise_score
from footy_assets.providers.rules.snapshots import next_snapshot
from footy_assets.providers.store.provider_state import ProviderState
from footy_assets.providers.store.records import ProviderRecords, with_priority
from footy_assets.providers.store.snapshots import MatchState, MergedSnapshots

# Reports of other providers that are older than this are not used.
REPORTED_WITHIN = timedelta(seconds=90)
SIDES = ("home", "away")

Records = dict[tuple[int, str], ProviderRecord]


@dataclass(frozen=True, slots=True)
class _Poll:
    """The context of one poll."""

    now: datetime
    poll_id: str
    enabled: frozenset[str]
    precedence: dict[str, int]


@dataclass(frozen=True, slots=True)
class _PollSummary:
    """The matches requested from the main provider, and those it answered."""

    # None while it is switched off: it is not asked, so it cannot fail.
    requested: tuple[int, ...] | None
    answered: frozenset[int]
    quota: Quota | None
    at: datetime
    only_main: bool


class MergedFeed:
    """A `Feed`: the main provider's, reconciled with the others."""

    def __init__(
        self,
        main: Feed,
        store: MatchdayStore,
        clock: Clock,
        descriptor: Callable[[], ProvidersFile],
    ) -> None:
        self._main, self._store, self._clock = main, store, clock
        self._load_file = descriptor
        self._records = ProviderRecords(store.database)
        self._snapshots = MergedSnapshots(store.database)
        self._state = ProviderState(store.database)
        self._polled: _PollSummary | None = None

    def by_date(self, day: date) -> Answer:
        return self._main.by_date(day)

    def team_ids(self, league_id: int, season: int) -> list[int]:
        return self._main.team_ids(league_id, season)

    def seasons(self, league_id: int) -> list[SeasonSpan]:
        return self._main.seasons(league_id)

    def by_ids(self, ids: Sequence[int], within: float | None = None) -> Answer:
        file = self._load_file()
        enabled = file.enabled(self._state.switches())
        asked = MAIN in enabled
        answer = self._main.by_ids(ids, within) if asked else Answer()
        requested = tuple(id_ for id_ in ids if id_ not in answer.skipped) if asked else None
        now = self._clock.now()
        self._polled = _PollSummary(
            requested, frozenset(answer.sightings), answer.quota, now, file.only_main
        )
        if file.only_main:
            return answer
        poll = _Poll(now, now.isoformat(), frozenset(enabled), file.precedence())
        records = self._records.of(ids)
        if requested is not None:
            self._update_main_records(records, requested, answer, poll)
        others = self._trusted_reports(ids, records, poll)
        return self._merge(ids, answer, records, others, poll)

    def record_poll(self) -> None:
        """Stores the metrics of the last poll, in one write. Call it when the poll has ended."""
        polled, self._polled = self._polled, None
        if polled is None:
            return
        counters = {
            f"scrapes:{MAIN}:success": len(polled.answered),
            f"scrapes:{MAIN}:failure": len(polled.requested or ()) - len(polled.answered),
            "polls": 1,
        }
        left = polled.quota.day_remaining if polled.quota is not None else None
        gauges = {} if left is None else {"quota_day_left": float(left)}
        answers = {}
        if polled.only_main and polled.requested is not None:
            before = self._state.last_answers(MAIN)
            answers[MAIN] = before.after(polled.requested, polled.answered, polled.at)
        self._state.record_poll_metrics(counters, gauges, answers)

    # -- reports --------------------------------------------------------------------------

    def _update_main_records(
        self, records: Records, requested: Sequence[int], answer: Answer, poll: _Poll
    ) -> None:
        """R1: updates the main provider's records; the collector updates those of the others."""
        changes = []
        for id_ in requested:
            before = records.get((id_, MAIN))
            record = before or ProviderRecord(id_, MAIN, poll.now)
            sighting = answer.sightings.get(id_)
            after = _record_main(
                record, sighting, records_elsewhere(records, record, poll.precedence), poll
            )
            records[id_, MAIN] = after
            changes.append((before, after))
        self._records.save(changes)

    def _trusted_reports(
        self, ids: Sequence[int], records: Records, poll: _Poll
    ) -> dict[int, list[Report]]:
        """The trusted reports of the other providers, highest precedence first."""
        domains = poll.enabled - {MAIN}
        if not domains:
            return {}
        found = self._records.reports(ids, poll.now - REPORTED_WITHIN)
        trusted: dict[int, list[Report]] = {}
        for id_, reports in found.items():
            for report in reports:
                record = records.get((id_, report.domain))
                if report.domain not in domains or record is None:
                    continue
                rated = with_confidence(
                    replace(report, at=poll.now),
                    record,
                    records_elsewhere(records, record, poll.precedence),
                    poll.precedence,
                )
                if rated.confidence >= MIN_CONFIDENCE:
                    trusted.setdefault(id_, []).append(replace(rated, at=report.at))
        for reports in trusted.values():
            reports.sort(key=lambda report: poll.precedence.get(report.domain, 0), reverse=True)
        return trusted

    # -- merging --------------------------------------------------------------------------

    def _merge(
        self,
        ids: Sequence[int],
        answer: Answer,
        records: Records,
        others: dict[int, list[Report]],
        poll: _Poll,
    ) -> Answer:
        states = self._snapshots.latest(ids)
        known = self._store.fixtures_by_id(list(ids))
        goals = self._store.goals_of(list(others))
        conflicts: list[tuple[int, Conflict]] = []
        saved: list[tuple[int, MatchState, MatchState]] = []
        for id_ in ids:
            main = _main_answer(answer.sightings.get(id_), records, id_, poll)
            other_reports = others.get(id_, [])
            reports = [*([main.report] if main else []), *other_reports]
            if not reports:
                continue
            before = states.get(id_, MatchState())
            if main is not None and not main.trusted and not other_reports:
                # Old, and the only answer: it may add goals, and removes none.
                after = MatchState(before.snapshot, _raise_scores(before.lines, main.report))
                saved.append((id_, before, after))
                answer.sightings[id_] = merge_untrusted(main, _scores(after.lines))
                continue
            reconciled = reconcile(reports, poll.precedence)
            conflicts += [(id_, conflict) for conflict in reconciled.conflicts]
            after = _next_state(id_, before, reconciled, reports, poll)
            saved.append((id_, before, after))
            if id_ in known:
                fields = _with_guarded_score(reconciled.fields, after.lines)
                live_goals = [goal for goal in goals.get(id_, ()) if goal.live]
                answer.sightings[id_] = merge(known[id_], live_goals, main, other_reports, fields)
        self._snapshots.save(saved)
        self._snapshots.record_conflicts(conflicts, poll.now, poll.poll_id)
        return answer


def _record_main(
    record: ProviderRecord,
    sighting: FixtureSighting | None,
    others: Iterable[ProviderRecord],
    poll: _Poll,
) -> ProviderRecord:
    if sighting is None:
        return record.failed(poll.now)
    match = to_report(sighting, MAIN, poll.now).match
    answered = record_answer(record, match, others, poll.precedence, poll.now)
    return with_priority(answered, priority_of(match.phase, match.start, poll.now))


def _main_answer(
    sighting: FixtureSighting | None, records: Records, id_: int, poll: _Poll
) -> MainAnswer | None:
    if sighting is None:
        return None
    record = records[id_, MAIN]
    report = to_report(sighting, MAIN, poll.now)
    other_reports = records_elsewhere(records, record, poll.precedence)
    return MainAnswer(sighting, with_confidence(report, record, other_reports, poll.precedence))


def _next_state(
    id_: int, before: MatchState, found: ReconciledMatch, reports: Sequence[Report], poll: _Poll
) -> MatchState:
    """R3: the snapshot after this poll, with a guarded score."""
    decisions = [d for r in reports if r.confidence >= MIN_CONFIDENCE for d in r.cancellations]
    lines = {
        side: after_poll(
            before.lines.get(side, Scoreline()),
            found.fields.get(f"score.{side}"),
            poll.poll_id,
            [minute for whose, minute in decisions if whose == side],
        )
        for side in SIDES
    }
    fields = _with_guarded_score(found.fields, lines)
    provenance = _guarded_provenance(before, found, fields)
    made = next_snapshot(before.snapshot, id_, fields, provenance, poll.now)
    return MatchState(made or before.snapshot, lines)


def _with_guarded_score(
    fields: Mapping[str, Any], lines: Mapping[str, Scoreline]
) -> dict[str, Any]:
    return {**fields, **{n: goals for n, goals in _scores(lines).items() if n in fields}}


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


def _raise_scores(lines: Mapping[str, Scoreline], report: Report) -> dict[str, Scoreline]:
    score = report.match.score
    return {side: raise_score(lines.get(side, Scoreline()), getattr(score, side)) for side in SIDES}


def _scores(lines: Mapping[str, Scoreline]) -> dict[str, int | None]:
    return {f"score.{side}": line.goals for side, line in lines.items()}
