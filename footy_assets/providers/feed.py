"""The feed of the live poll: the lead's answer, reconciled with the other providers.

The latest reports of the other providers are read from MongoDB, where `collect.py` stores them, so
a slow provider delays no poll. With the lead only, its answer passes through unchanged;
`record_poll` stores the metrics of the poll afterwards.
"""

import copy
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from footy_assets.clock import Clock
from footy_assets.matchday.rules.feed import Answer, Feed, SeasonSpan
from footy_assets.matchday.rules.pace import Quota
from footy_assets.matchday.rules.sighting import FixtureSighting
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.providers.acting import TakeOver, acting_report, with_acting_first
from footy_assets.providers.guarded_score import (
    next_state,
    raise_scores,
    scores,
    with_guarded_score,
)
from footy_assets.providers.rosters import name_scorers_of
from footy_assets.providers.rules.confidence import MIN_CONFIDENCE, record_answer, with_confidence
from footy_assets.providers.rules.descriptors import ProvidersFile, switched_off
from footy_assets.providers.rules.leadership import NEVER_CHANGED
from footy_assets.providers.rules.lifecycle import DEFAULT_LIFECYCLE, LifecycleLimits
from footy_assets.providers.rules.match import Report
from footy_assets.providers.rules.merge import LeadAnswer, merge, merge_untrusted
from footy_assets.providers.rules.normalise import to_report
from footy_assets.providers.rules.priority import priority_of
from footy_assets.providers.rules.reconcile import (
    Conflict,
    reconcile,
)
from footy_assets.providers.rules.records import ProviderRecord, records_elsewhere
from footy_assets.providers.store.leaderships import Leaderships
from footy_assets.providers.store.provider_state import ProviderState
from footy_assets.providers.store.records import ProviderRecords, with_priority
from footy_assets.providers.store.snapshots import MatchState, MergedSnapshots

# Reports of other providers that are older than this are not used.
REPORTED_WITHIN = timedelta(seconds=90)

Records = dict[tuple[int, str], ProviderRecord]


@dataclass(frozen=True, slots=True)
class _Poll:
    """The context of one poll."""

    lead: str
    now: datetime
    poll_id: str
    enabled: frozenset[str]
    precedence: dict[str, int]
    limits: LifecycleLimits
    extra: bool


@dataclass(frozen=True, slots=True)
class _PollSummary:
    """The matches requested from the lead, and those it answered."""

    lead: str
    # None while it is switched off: it gets no request, so it cannot fail.
    requested: tuple[int, ...] | None
    answered: frozenset[int]
    quota: Quota | None
    at: datetime
    # Whether this is the record of when the lead last answered: with others there are records of
    # all providers, and an extra poll asks for few matches.
    records_answers: bool


class MergedFeed:
    """A `Feed`: the lead's, reconciled with the others."""

    def __init__(
        self,
        lead: Feed,
        store: MatchdayStore,
        clock: Clock,
        descriptor: Callable[[], ProvidersFile],
        limits: LifecycleLimits = DEFAULT_LIFECYCLE,
    ) -> None:
        self._lead, self._store, self._clock = lead, store, clock
        self._load_file, self._limits = descriptor, limits
        self._records = ProviderRecords(store.database)
        self._snapshots = MergedSnapshots(store.database)
        self._state = ProviderState(store.database)
        self._leaderships = Leaderships(store.database)
        self._take_over = TakeOver(store)
        self._polled: _PollSummary | None = None
        self._extra = False

    def for_extra_polls(self) -> "MergedFeed":
        """F11: the same feed for polls between two ordinary ones. It has only matches that the lead
        answers and leads: of the others it would repeat reports that have counted. What it fails to
        answer counts as no failure, and a lower score as no confirmation of it."""
        other = copy.copy(self)
        other._extra, other._polled = True, None
        return other

    @property
    def lists_only_tracked(self) -> bool:
        return self._lead.lists_only_tracked

    def by_date(self, day: date) -> Answer:
        return self._lead.by_date(day)

    def days_with_matches(self, first: date, last: date) -> Collection[date] | None:
        return self._lead.days_with_matches(first, last)

    def team_ids(self, league_id: int, season: int) -> list[int]:
        return self._lead.team_ids(league_id, season)

    def seasons(self, league_id: int) -> list[SeasonSpan]:
        return self._lead.seasons(league_id)

    def by_ids(self, ids: Sequence[int], within: float | None = None) -> Answer:
        file = self._load_file()
        enabled = file.enabled(self._state.switches())
        lead_enabled = file.lead in enabled
        answer = self._lead.by_ids(ids, within) if lead_enabled else Answer()
        if not lead_enabled and file.only_lead:
            answer.warnings.append(switched_off(file.lead))
        answer.sightings = name_scorers_of(self._store, answer.sightings)
        requested = tuple(id_ for id_ in ids if id_ not in answer.skipped) if lead_enabled else None
        now = self._clock.now()
        self._polled = _PollSummary(
            *(file.lead, requested, frozenset(answer.sightings), answer.quota, now),
            records_answers=file.only_lead and not self._extra,
        )
        if file.only_lead:
            return answer
        if self._extra:
            ids = requested = tuple(id_ for id_ in ids if id_ in answer.sightings)
        poll = _Poll(
            *(file.lead, now, now.isoformat(), frozenset(enabled), file.precedence()),
            limits=self._limits,
            extra=self._extra,
        )
        records = self._records.of(ids)
        if requested is not None:
            self._update_lead_records(records, requested, answer, poll)
        others = self._trusted_reports(ids, records, poll)
        return self._merge(ids, answer, records, others, poll)

    def record_poll(self) -> None:
        """Stores the metrics of the last poll, in one write. Call it when the poll has ended."""
        polled, self._polled = self._polled, None
        if polled is None:
            return
        counters = {
            f"scrapes:{polled.lead}:success": len(polled.answered),
            f"scrapes:{polled.lead}:failure": len(polled.requested or ()) - len(polled.answered),
            "polls": 1,
        }
        left = polled.quota.day_remaining if polled.quota is not None else None
        gauges = {} if left is None else {"quota_day_left": float(left)}
        answers = {}
        if polled.records_answers and polled.requested is not None:
            before = self._state.last_answers(polled.lead)
            answers[polled.lead] = before.after(polled.requested, polled.answered, polled.at)
        self._state.record_poll_metrics(counters, gauges, answers)

    # -- reports --------------------------------------------------------------------------

    def _update_lead_records(
        self, records: Records, requested: Sequence[int], answer: Answer, poll: _Poll
    ) -> None:
        """R1: updates the lead's records; the collector updates those of the others."""
        changes = []
        for id_ in requested:
            before = records.get((id_, poll.lead))
            record = before or ProviderRecord(id_, poll.lead, poll.now)
            sighting = answer.sightings.get(id_)
            after = _record_lead(
                record, sighting, records_elsewhere(records, record, poll.precedence), poll
            )
            records[id_, poll.lead] = after
            changes.append((before, after))
        self._records.save(changes)

    def _trusted_reports(
        self, ids: Sequence[int], records: Records, poll: _Poll
    ) -> dict[int, list[Report]]:
        """The trusted reports of the other providers, highest precedence first."""
        domains = poll.enabled - {poll.lead}
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
        leaderships = self._leaderships.of(ids)
        conflicts: list[tuple[int, Conflict]] = []
        saved: list[tuple[int, MatchState, MatchState]] = []
        for id_ in ids:
            lead = _lead_answer(answer.sightings.get(id_), records, id_, poll)
            other_reports = others.get(id_, [])
            reports = [*([lead.report] if lead else []), *other_reports]
            if not reports:
                continue
            before = states.get(id_, MatchState())
            if lead is not None and not lead.trusted and not other_reports:
                # Old, and the only answer: it may add goals, and removes none.
                after = MatchState(before.snapshot, raise_scores(before.lines, lead.report))
                saved.append((id_, before, after))
                answer.sightings[id_] = merge_untrusted(lead, scores(after.lines))
                continue
            leadership = leaderships.get(id_, NEVER_CHANGED)
            acting = acting_report(leadership, lead, other_reports)
            if poll.extra and acting is not None:
                answer.sightings.pop(id_, None)
                continue
            reconciled = reconcile(reports, with_acting_first(poll.precedence, acting))
            conflicts += [(id_, conflict) for conflict in reconciled.conflicts]
            counted = None if poll.extra else poll.poll_id
            after = next_state(before, id_, reconciled, reports, poll.now, counted)
            saved.append((id_, before, after))
            if id_ not in known:
                continue
            fields = with_guarded_score(reconciled.fields, after.lines)
            live_goals = [goal for goal in goals.get(id_, ()) if goal.live]
            if acting is not None:
                answer.sightings[id_] = self._take_over.merge(
                    known[id_], live_goals, lead, acting, fields
                )
                continue
            merged = merge(known[id_], live_goals, lead, other_reports, fields)
            if leadership.acting is not None:
                merged = self._take_over.hand_back(merged, live_goals, poll.lead, leadership)
            answer.sightings[id_] = merged
        self._snapshots.save(saved)
        self._snapshots.record_conflicts(conflicts, poll.now, poll.poll_id)
        return answer


def _record_lead(
    record: ProviderRecord,
    sighting: FixtureSighting | None,
    others: Iterable[ProviderRecord],
    poll: _Poll,
) -> ProviderRecord:
    if sighting is None:
        return record.failed(poll.now, poll.limits)
    match = to_report(sighting, poll.lead, poll.now).match
    answered = record_answer(record, match, others, poll.precedence, poll.now, poll.limits)
    return with_priority(answered, priority_of(match.phase, match.start, poll.now))


def _lead_answer(
    sighting: FixtureSighting | None, records: Records, id_: int, poll: _Poll
) -> LeadAnswer | None:
    if sighting is None:
        return None
    record = records[id_, poll.lead]
    report = to_report(sighting, poll.lead, poll.now)
    other_reports = records_elsewhere(records, record, poll.precedence)
    return LeadAnswer(sighting, with_confidence(report, record, other_reports, poll.precedence))
