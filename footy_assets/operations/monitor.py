"""One monitor cycle: read what is watched, ask the provider, write what changed."""

import uuid
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import date, datetime

from footy_assets.clock import Clock
from footy_assets.discovery.attempts import attempts_for
from footy_assets.logs import Stage, StageLog
from footy_assets.matchday.feed import Failure, Feed, Unreadable
from footy_assets.matchday.fixture import Fixture, unknown_status
from footy_assets.matchday.goal import EventState, GoalEvent
from footy_assets.matchday.lifecycle import after_poll, past_deadline
from footy_assets.matchday.observe import GoalChange, Poll, observe
from footy_assets.matchday.pace import Quota, backfill_pause
from footy_assets.matchday.plan import FixturePlan, Watched
from footy_assets.matchday.sighting import FixtureSighting
from footy_assets.matchday.statuses import FixtureState, state_of
from footy_assets.operations.rules import Rules
from footy_assets.store.matchdays import MatchdayStore
from footy_assets.triggers.live import moments, with_told

SETTLE_POLLS = 12


@dataclass(slots=True)
class CycleReport:
    """What a cycle saw and did; `changed_matchdays` is what is worth a materialization."""

    poll: Poll
    active: int = 0
    looked_at: int = 0
    activated: int = 0
    sighted: int = 0
    written: int = 0
    superseded: int = 0
    calls: int = 0
    quota: Quota | None = None
    unreadable: list[Unreadable] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    unknown_statuses: dict[int, str] = field(default_factory=dict)
    changed_matchdays: set[date] = field(default_factory=set)
    removed: list[GoalEvent] = field(default_factory=list)
    goals: Counter[str] = field(default_factory=Counter)

    @property
    def changed(self) -> bool:
        return bool(self.changed_matchdays)


def new_poll(now: datetime) -> Poll:
    """A poll's id sorts by time and is its own."""
    at = now.replace(microsecond=now.microsecond // 1000 * 1000)
    return Poll(f"{at:%Y%m%dT%H%M%SZ}-{uuid.uuid4().hex[:8]}", at)


def run_cycle(
    store: MatchdayStore,
    feed: Feed,
    clock: Clock,
    rules: Rules,
    only: Collection[int] | None = None,
) -> CycleReport:
    """Poll every active fixture, and every staging one whose quarter hour has come.

    What is known is read before the provider is asked, and written on the condition that nobody
    wrote in between: of two cycles at once, one counts and the other leaves no trace.
    """
    poll = new_poll(clock.now())
    report = CycleReport(poll)
    activated = store.activate_due(poll.at)
    report.activated = len(activated)
    report.changed_matchdays |= {fixture.matchday for fixture in activated}
    watched = store.watched(poll.at, only)
    report.active = sum(w.fixture.state is FixtureState.ACTIVE for w in watched)
    report.looked_at = len(watched) - report.active
    if not watched:
        return report
    answer = feed.by_ids([w.fixture.id for w in watched], within=rules.answer_within)
    report.calls, report.quota = answer.calls, answer.quota
    report.sighted = len(answer.sightings)
    report.unreadable, report.failures = answer.unreadable, answer.failures

    plans = []
    for one in watched:
        sighting = answer.sightings.get(one.fixture.id)
        if sighting is not None and unknown_status(sighting):
            report.unknown_statuses[one.fixture.id] = sighting.status
        plans.append(_plan(one, sighting, poll, rules))
    # F5: an answer without the fixture is a look, too; only a request that failed is not.
    unasked = {id_ for failure in answer.failures for id_ in failure.fixture_ids}
    looked = [
        w.fixture.id
        for w in watched
        if w.fixture.state is FixtureState.STAGING and w.fixture.id not in unasked
    ]
    if looked:
        store.looked_at(looked, poll.at)
    applied = store.apply([plan for plan in plans if plan.changed])
    report.written, report.superseded = len(applied.written), applied.superseded
    report.failures += applied.failures
    for failure in report.failures:
        StageLog(Stage.MONITOR, ids={"poll_id": poll.id}).warning(
            "part_failed", subject=failure.subject, reason=failure.reason
        )
    for plan in applied.written:
        _count(report, plan)
    store.journal.note_unreadable(report.unreadable, poll.at)
    if report.changed:
        days = sorted(report.changed_matchdays)
        store.journal.record_poll(poll, report.active, days, dict(report.goals))
    return report


def settle(
    store: MatchdayStore, feed: Feed, clock: Clock, rules: Rules, ids: Collection[int]
) -> list[CycleReport]:
    """Watch matches that are over as if live, poll after poll, until nothing more can change.

    Whatever is still being played among them is left to the live loop and its pace.
    """
    reports: list[CycleReport] = []
    while len(reports) < SETTLE_POLLS and (over := _over(store, clock.now(), rules, ids)):
        last = run_cycle(store, feed, clock, rules, only=over)
        reports.append(last)
        if not last.written and not last.superseded:
            break
        clock.sleep(backfill_pause(last.quota, last.calls))
    return reports


def _over(store: MatchdayStore, now: datetime, rules: Rules, ids: Collection[int]) -> list[int]:
    """Matches that we still watch though the provider has ended them, or their time is up."""
    return [
        fixture.id
        for fixture in store.known(ids).values()
        if fixture.state is FixtureState.ACTIVE
        and (
            state_of(fixture.status) is FixtureState.COMPLETED
            or now >= fixture.kickoff + rules.deadlines.unfinished_after
        )
    ]


def watch_once(
    store: MatchdayStore, feed: Feed, clock: Clock, rules: Rules, ids: Collection[int]
) -> list[CycleReport]:
    """One cycle over some matches; none, no cycle."""
    return [run_cycle(store, feed, clock, rules, only=ids)] if ids else []


def _plan(
    watched: Watched, sighting: FixtureSighting | None, poll: Poll, rules: Rules
) -> FixturePlan:
    if sighting is None:
        after = past_deadline(watched.fixture, poll.at, rules.deadlines)
        return FixturePlan(watched.fixture, after)
    before = watched.fixture
    changes = observe(
        watched.goals,
        watched.tombstones,
        sighting,
        poll,
        new_key=lambda: uuid.uuid4().hex,
        search_attempts=attempts_for(watched.fixture.kickoff, poll.at, rules.search_attempts),
    )
    current = {goal.key: goal for goal in watched.goals}
    current |= {change.after.key: change.after for change in changes}
    after = after_poll(before, sighting, current.values(), poll, rules.deadlines)
    after = with_told(after, sighting)
    if after == before and not changes:
        return FixturePlan(before, after)
    told = moments(before, after, changes, current.values(), sighting.elapsed)
    snapshots = tuple(moment.model_dump(exclude_none=True) for moment in told)
    return FixturePlan(before, after, tuple(changes), snapshots)


def _count(report: CycleReport, plan: FixturePlan) -> None:
    if _worth_telling(plan.before, plan.after) or plan.goals:
        report.changed_matchdays |= {plan.before.matchday, plan.after.matchday}
    log = StageLog(Stage.MONITOR, ids={"poll_id": report.poll.id, "fixture_id": plan.after.id})
    if plan.before.state is not plan.after.state:
        log.info("fixture_moved", state=str(plan.after.state), status=plan.after.status)
    for change in plan.goals:
        happened = _what_happened(change)
        report.goals[happened] += 1
        log.of(event_id=change.after.event_id).info(
            f"goal_{happened}", state=change.after.state_label
        )
        if not change.after.live:
            report.removed.append(change.after)


def _what_happened(change: GoalChange) -> str:
    before, after = change.before, change.after
    if before is None:
        return "new"
    if not after.live:
        return "removed"
    if before.event_id != after.event_id:
        return "renamed"
    if after.state is EventState.STABLE and before.state is not EventState.STABLE:
        return "stable"
    return "updated"


def _worth_telling(before: Fixture, after: Fixture) -> bool:
    return (before.state, before.status, before.goals, before.kickoff) != (
        after.state,
        after.status,
        after.goals,
        after.kickoff,
    )
