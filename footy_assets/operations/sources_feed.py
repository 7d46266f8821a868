"""The live poll on top of all providers: what reaches the rules is the reconciled match.

The main provider is asked as ever. What the others last said lies in MongoDB, put there by whoever
runs them (`sources_collect.py`): a slow one holds no poll up. With one provider its answer passes
through as it is: the poll writes nothing of its own, and `tell` says afterwards how it went.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

from footy_assets.clock import Clock
from footy_assets.matchday.feed import Answer, Feed, SeasonSpan
from footy_assets.matchday.pace import Quota
from footy_assets.matchday.sighting import FixtureSighting
from footy_assets.sources.confidence import LEAST_CONFIDENCE, judged, noted
from footy_assets.sources.descriptors import MAIN, SourcesFile
from footy_assets.sources.match import Report
from footy_assets.sources.merge import MainAnswer, merge, merge_unbelieved
from footy_assets.sources.normalise import report_of
from footy_assets.sources.priority import priority_of
from footy_assets.sources.reconcile import Conflict, Provenance, Reconciled, reconcile
from footy_assets.sources.records import SourceRecord, beside_of
from footy_assets.sources.scoreline import Scoreline, after_poll, raised
from footy_assets.sources.snapshots import next_snapshot
from footy_assets.store.matchdays import MatchdayStore
from footy_assets.store.source_records import SourceRecords, with_priority
from footy_assets.store.source_snapshots import Kept, SourceSnapshots
from footy_assets.store.source_state import SourceState

# What another provider said longer ago than this is not laid beside what the main one says now.
HEARD_WITHIN = timedelta(seconds=90)
SIDES = ("home", "away")

Records = dict[tuple[int, str], SourceRecord]


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is known of the matches of a poll before anything is made of it."""

    now: datetime
    poll_id: str
    enabled: frozenset[str]
    precedence: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Polled:
    """What the main provider was asked, and which matches it told of."""

    asked: tuple[int, ...]
    heard: frozenset[int]
    quota: Quota | None
    at: datetime
    alone: bool


class MergedFeed:
    """A `Feed`: the main provider's, with the others laid beside it."""

    def __init__(
        self, main: Feed, store: MatchdayStore, clock: Clock, described: Callable[[], SourcesFile]
    ) -> None:
        self._main, self._store, self._clock = main, store, clock
        self._described = described
        self._records = SourceRecords(store.database)
        self._snapshots = SourceSnapshots(store.database)
        self._state = SourceState(store.database)
        self._polled: _Polled | None = None

    def by_date(self, day: date) -> Answer:
        return self._main.by_date(day)

    def team_ids(self, league_id: int, season: int) -> list[int]:
        return self._main.team_ids(league_id, season)

    def seasons(self, league_id: int) -> list[SeasonSpan]:
        return self._main.seasons(league_id)

    def by_ids(self, ids: Sequence[int], within: float | None = None) -> Answer:
        content = self._described()
        enabled = content.enabled(self._state.switches())
        answer = self._main.by_ids(ids, within) if MAIN in enabled else Answer()
        now = self._clock.now()
        self._polled = _Polled(
            tuple(ids), frozenset(answer.sightings), answer.quota, now, content.alone
        )
        if content.alone:
            return answer
        seen = _Seen(now, now.isoformat(), frozenset(enabled), content.precedence())
        records = self._note_main(ids, answer, seen)
        others = self._others(ids, records, seen)
        return self._merged(ids, answer, records, others, seen)

    def tell(self) -> None:
        """How the last poll went, in one write; for whoever polls, when the poll is over."""
        polled, self._polled = self._polled, None
        if polled is None:
            return
        counters = {
            f"scrapes:{MAIN}:success": len(polled.heard),
            f"scrapes:{MAIN}:failure": len(polled.asked) - len(polled.heard),
            "polls": 1,
        }
        left = polled.quota.day_remaining if polled.quota is not None else None
        gauges = {} if left is None else {"quota_day_left": float(left)}
        heard = {}
        if polled.alone:
            before = self._state.heard(MAIN)
            heard[MAIN] = before.after(polled.asked, polled.heard, polled.at)
        self._state.note_poll(counters, gauges, heard)

    # -- what each said -------------------------------------------------------------------

    def _note_main(self, ids: Sequence[int], answer: Answer, seen: _Seen) -> Records:
        """R1 for the main provider; others note theirs when they are asked."""
        records = self._records.of(ids)
        if MAIN not in seen.enabled:
            return records
        changes = []
        for id_ in ids:
            before = records.get((id_, MAIN))
            record = before or SourceRecord(id_, MAIN, seen.now)
            sighting = answer.sightings.get(id_)
            after = _heard(record, sighting, beside_of(records, record, seen.precedence), seen)
            records[id_, MAIN] = after
            changes.append((before, after))
        self._records.save(changes)
        return records

    def _others(self, ids: Sequence[int], records: Records, seen: _Seen) -> dict[int, list[Report]]:
        """The believed reports of all but the main provider, highest precedence first."""
        domains = seen.enabled - {MAIN}
        if not domains:
            return {}
        found = self._records.reports(ids, seen.now - HEARD_WITHIN)
        believed: dict[int, list[Report]] = {}
        for id_, reports in found.items():
            for report in reports:
                record = records.get((id_, report.domain))
                if report.domain not in domains or record is None:
                    continue
                told = judged(
                    replace(report, at=seen.now),
                    record,
                    beside_of(records, record, seen.precedence),
                    seen.precedence,
                )
                if told.confidence >= LEAST_CONFIDENCE:
                    believed.setdefault(id_, []).append(replace(told, at=report.at))
        for reports in believed.values():
            reports.sort(key=lambda report: seen.precedence.get(report.domain, 0), reverse=True)
        return believed

    # -- what is made of it ---------------------------------------------------------------

    def _merged(
        self,
        ids: Sequence[int],
        answer: Answer,
        records: Records,
        others: dict[int, list[Report]],
        seen: _Seen,
    ) -> Answer:
        kept = self._snapshots.latest(ids)
        known = self._store.known(list(ids))
        goals = self._store.goals_of(list(others))
        conflicts: list[tuple[int, Conflict]] = []
        saved: list[tuple[int, Kept, Kept]] = []
        for id_ in ids:
            main = _main_answer(answer.sightings.get(id_), records, id_, seen)
            beside = others.get(id_, [])
            reports = [*([main.report] if main else []), *beside]
            if not reports:
                continue
            before = kept.get(id_, Kept())
            if main is not None and not main.believed and not beside:
                # Old, and all there is: it may add to what we know, and takes nothing away.
                after = Kept(before.snapshot, _raised(before.lines, main.report))
                saved.append((id_, before, after))
                answer.sightings[id_] = merge_unbelieved(main, _scores(after.lines))
                continue
            found = reconcile(reports, seen.precedence)
            conflicts += [(id_, conflict) for conflict in found.conflicts]
            after = _next(id_, before, found, reports, seen)
            saved.append((id_, before, after))
            if id_ in known:
                fields = _guarded(found.fields, after.lines)
                standing = [goal for goal in goals.get(id_, ()) if goal.live]
                answer.sightings[id_] = merge(known[id_], standing, main, beside, fields)
        self._snapshots.save(saved)
        self._snapshots.note_conflicts(conflicts, seen.now, seen.poll_id)
        return answer


def _heard(
    record: SourceRecord,
    sighting: FixtureSighting | None,
    others: Iterable[SourceRecord],
    seen: _Seen,
) -> SourceRecord:
    if sighting is None:
        return record.failed(seen.now)
    match = report_of(sighting, MAIN, seen.now).match
    heard = noted(record, match, others, seen.precedence, seen.now)
    return with_priority(heard, priority_of(match.status, match.start, seen.now))


def _main_answer(
    sighting: FixtureSighting | None, records: Records, id_: int, seen: _Seen
) -> MainAnswer | None:
    if sighting is None:
        return None
    record = records[id_, MAIN]
    report = report_of(sighting, MAIN, seen.now)
    beside = beside_of(records, record, seen.precedence)
    return MainAnswer(sighting, judged(report, record, beside, seen.precedence))


def _next(
    id_: int, before: Kept, found: Reconciled, reports: Sequence[Report], seen: _Seen
) -> Kept:
    """R3: the snapshot after this poll, its score guarded."""
    decisions = [d for r in reports if r.confidence >= LEAST_CONFIDENCE for d in r.takes_back]
    lines = {
        side: after_poll(
            before.lines.get(side, Scoreline()),
            found.fields.get(f"score.{side}"),
            seen.poll_id,
            [minute for whose, minute in decisions if whose == side],
        )
        for side in SIDES
    }
    fields = _guarded(found.fields, lines)
    provenance = _kept_provenance(before, found, fields)
    made = next_snapshot(before.snapshot, id_, fields, provenance, seen.now)
    return Kept(made or before.snapshot, lines)


def _guarded(fields: Mapping[str, Any], lines: Mapping[str, Scoreline]) -> dict[str, Any]:
    return {**fields, **{n: goals for n, goals in _scores(lines).items() if n in fields}}


def _kept_provenance(
    before: Kept, found: Reconciled, fields: Mapping[str, Any]
) -> dict[str, Provenance]:
    """R3: a value that the guard kept is from whoever told it, not from whoever denies it now."""
    last = before.snapshot
    if last is None:
        return dict(found.provenance)
    kept = {
        name: last.provenance[name]
        for name, value in fields.items()
        if value != found.fields[name] and value == last.fields.get(name)
    }
    return {**found.provenance, **kept}


def _raised(lines: Mapping[str, Scoreline], report: Report) -> dict[str, Scoreline]:
    score = report.match.score
    return {side: raised(lines.get(side, Scoreline()), getattr(score, side)) for side in SIDES}


def _scores(lines: Mapping[str, Scoreline]) -> dict[str, int | None]:
    return {f"score.{side}": line.goals for side, line in lines.items()}
