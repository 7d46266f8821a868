"""One monitor cycle: read the fixtures to poll, fetch them from the provider, write changes."""

import uuid
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any

from footy_assets.clock import Clock
from footy_assets.logs import Stage, StageLog
from footy_assets.matchday.rules.confirm import is_unconfirmed, needs_confirmation
from footy_assets.matchday.rules.feed import Failure, Feed, Unreadable
from footy_assets.matchday.rules.fixture import Fixture, has_unknown_status
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.lifecycle import Deadlines, after_poll, past_deadline
from footy_assets.matchday.rules.observe import GoalChange, Poll, observe
from footy_assets.matchday.rules.pace import Quota, backfill_pause
from footy_assets.matchday.rules.plan import FixturePlan, PollInput
from footy_assets.matchday.rules.quiet import QuietMatches
from footy_assets.matchday.rules.sighting import FixtureSighting
from footy_assets.matchday.rules.statuses import FixtureState, state_of
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.tracing import span, traceparent

MAX_FINAL_POLLS = 12
# Of the process: every tick of the sensor is a cycle of its own.
QUIET_MATCHES = QuietMatches()

# Describes what a poll changed in a match, for triggers: from the match before and after, the
# changed goals, all goals and the sighting, to the match to store and the snapshots to store with
# it.
Describe = Callable[
    [Fixture, Fixture, Sequence[GoalChange], Collection[GoalEvent], FixtureSighting],
    tuple[Fixture, tuple[dict[str, Any], ...]],
]


def no_snapshots(
    before: Fixture,
    after: Fixture,
    changes: Sequence[GoalChange],
    goals: Collection[GoalEvent],
    sighting: FixtureSighting,
) -> tuple[Fixture, tuple[dict[str, Any], ...]]:
    return after, ()


def no_search_attempts(kickoff: datetime, now: datetime) -> int:
    return 0


@dataclass(frozen=True, slots=True)
class MonitorPolicy:
    """The monitor's settings, and the functions that other rooms pass in."""

    deadlines: Deadlines = field(default_factory=Deadlines)
    # How many search attempts a new goal gets, given the kickoff and the time.
    attempts_for: Callable[[datetime, datetime], int] = no_search_attempts
    describe: Describe = no_snapshots
    # How long a cycle waits for the provider; a sensor tick must stay far below 60 s.
    answer_within: float = 20.0
    # F11: how far apart polls are that count towards stable.
    counted_apart: timedelta = timedelta(0)


@dataclass(slots=True)
class CycleReport:
    """The result of a cycle; `changed_matchdays` are to be materialized."""

    poll: Poll
    active: int = 0
    staging: int = 0
    activated: int = 0
    sighted: int = 0
    written: int = 0
    superseded: int = 0
    calls: int = 0
    quota: Quota | None = None
    unreadable: list[Unreadable] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    unknown_statuses: dict[int, str] = field(default_factory=dict)
    changed_matchdays: set[date] = field(default_factory=set)
    removed: list[GoalEvent] = field(default_factory=list)
    # E4: goals that this poll made stable.
    stable: list[GoalEvent] = field(default_factory=list)
    goals: Counter[str] = field(default_factory=Counter)
    # F11: matches with a goal that more polls make certain.
    unconfirmed: set[int] = field(default_factory=set)

    @property
    def changed(self) -> bool:
        return bool(self.changed_matchdays)


def new_poll(now: datetime, *, extra: bool = False, apart: timedelta = timedelta(0)) -> Poll:
    """A poll with a unique id that sorts by time."""
    at = now.replace(microsecond=now.microsecond // 1000 * 1000)
    return Poll(f"{at:%Y%m%dT%H%M%SZ}-{uuid.uuid4().hex[:8]}", at, extra, apart)


def run_cycle(
    store: MatchdayStore,
    feed: Feed,
    clock: Clock,
    policy: MonitorPolicy,
    only: Collection[int] | None = None,
    *,
    extra: bool = False,
) -> CycleReport:
    """Poll every active fixture, and every staging one that is due.

    An `extra` cycle, between two ordinary ones, counts neither absences nor the end of a match.

    Fixtures are read before the request and written only if nobody else wrote them in between: of
    two concurrent cycles, one counts and the other writes nothing.
    """
    poll = new_poll(clock.now(), extra=extra, apart=policy.counted_apart)
    with span("poll", poll_id=poll.id, extra=extra):
        return _poll(poll, store, feed, policy, only)


def _poll(
    poll: Poll,
    store: MatchdayStore,
    feed: Feed,
    policy: MonitorPolicy,
    only: Collection[int] | None,
) -> CycleReport:
    report = CycleReport(poll)
    activated = [] if poll.extra else store.activate_due(poll.at)
    report.activated = len(activated)
    report.changed_matchdays |= {fixture.matchday for fixture in activated}
    inputs = store.poll_inputs(poll.at, only)
    report.active = sum(one.fixture.state is FixtureState.ACTIVE for one in inputs)
    report.staging = len(inputs) - report.active
    if not inputs:
        return report
    answer = feed.by_ids([one.fixture.id for one in inputs], within=policy.answer_within)
    report.calls, report.quota = answer.calls, answer.quota
    report.sighted = len(answer.sightings)
    report.unreadable, report.failures = answer.unreadable, answer.failures
    report.warnings = answer.warnings

    plans = []
    for one in inputs:
        sighting = answer.sightings.get(one.fixture.id)
        if sighting is not None and has_unknown_status(sighting):
            report.unknown_statuses[one.fixture.id] = sighting.status
        plan, goals = _plan(one, sighting, poll, policy)
        plans.append(plan)
        if needs_confirmation(goals, poll.at):
            report.unconfirmed.add(one.fixture.id)
    # F5: an answer without the fixture counts as a poll; a failed request does not.
    failed = {id_ for failure in answer.failures for id_ in failure.fixture_ids}
    polled = [
        one.fixture.id
        for one in inputs
        if one.fixture.state is FixtureState.STAGING and one.fixture.id not in failed
    ]
    if polled:
        store.record_polled(polled, poll.at)
    applied = store.apply([plan for plan in plans if plan.changed])
    report.written, report.superseded = len(applied.written), applied.superseded
    report.failures += applied.failures
    for failure in report.failures:
        StageLog(Stage.MONITOR, ids={"poll_id": poll.id}).warning(
            "part_failed", subject=failure.subject, reason=failure.reason
        )
    for warning in report.warnings:
        StageLog(Stage.MONITOR, ids={"poll_id": poll.id}).warning("provider_warns", reason=warning)
    for plan in applied.written:
        _report_written(report, plan)
    store.journal.record_unreadable(report.unreadable, poll.at)
    if report.changed:
        days = sorted(report.changed_matchdays)
        store.journal.record_poll(poll, report.active, days, dict(report.goals))
    return report


def poll_until_final(
    store: MatchdayStore, feed: Feed, clock: Clock, policy: MonitorPolicy, ids: Collection[int]
) -> list[CycleReport]:
    """Poll finished matches like live ones until nothing more can change.

    Those of them that are still in play are left to the live poll.
    """
    reports: list[CycleReport] = []
    while len(reports) < MAX_FINAL_POLLS and (ended := _ended(store, clock.now(), policy, ids)):
        last = run_cycle(store, feed, clock, policy, only=ended)
        reports.append(last)
        if not last.written and not last.superseded:
            break
        clock.sleep(backfill_pause(last.quota, last.calls))
    return reports


def _ended(
    store: MatchdayStore, now: datetime, policy: MonitorPolicy, ids: Collection[int]
) -> list[int]:
    """Active matches that the provider reports as ended, or that are past their deadline."""
    return [
        fixture.id
        for fixture in store.fixtures_by_id(ids).values()
        if fixture.state is FixtureState.ACTIVE
        and (
            state_of(fixture.status) is FixtureState.COMPLETED
            or now >= fixture.kickoff + policy.deadlines.unfinished_after
        )
    ]


def poll_once(
    store: MatchdayStore, feed: Feed, clock: Clock, policy: MonitorPolicy, ids: Collection[int]
) -> list[CycleReport]:
    """One cycle over these matches; no cycle if there are none."""
    return [run_cycle(store, feed, clock, policy, only=ids)] if ids else []


def _plan(
    given: PollInput, sighting: FixtureSighting | None, poll: Poll, policy: MonitorPolicy
) -> tuple[FixturePlan, Collection[GoalEvent]]:
    """What the poll changes in a match, and the match's goals after it."""
    if sighting is None:
        after = past_deadline(given.fixture, poll.at, policy.deadlines)
        return FixturePlan(given.fixture, after), given.goals
    before = given.fixture

    def find_changes() -> Sequence[GoalChange]:
        return observe(
            given.goals,
            given.tombstones,
            sighting,
            poll,
            new_key=lambda: uuid.uuid4().hex,
            search_attempts=policy.attempts_for(given.fixture.kickoff, poll.at),
        )

    # QuietMatches relies on it that every poll counts.
    may_not_count = poll.extra or (poll.apart and any(map(is_unconfirmed, given.goals)))
    changes = (
        find_changes() if may_not_count else QUIET_MATCHES.changes(given, sighting, find_changes)
    )
    changes = [_traced(change) for change in changes]
    current = {goal.key: goal for goal in given.goals}
    current |= {change.after.key: change.after for change in changes}
    after = after_poll(before, sighting, current.values(), poll, policy.deadlines)
    after, snapshots = policy.describe(before, after, changes, current.values(), sighting)
    if not changes and after == before:
        return FixturePlan(before, after), current.values()
    return FixturePlan(before, after, tuple(changes), snapshots), current.values()


def _traced(change: GoalChange) -> GoalChange:
    """A new goal begins the trace of all that is done for it."""
    if change.before is not None:
        return change
    goal = change.after
    with span("goal", event_id=goal.event_id, fixture_id=goal.fixture_id):
        return replace(change, after=replace(goal, traceparent=traceparent()))


def _report_written(report: CycleReport, plan: FixturePlan) -> None:
    if _differs_visibly(plan.before, plan.after) or plan.goals:
        report.changed_matchdays |= {plan.before.matchday, plan.after.matchday}
    log = StageLog(Stage.MONITOR, ids={"poll_id": report.poll.id, "fixture_id": plan.after.id})
    if plan.before.state is not plan.after.state:
        log.info("fixture_state_changed", state=str(plan.after.state), status=plan.after.status)
    for change in plan.goals:
        report.goals[change.kind.value] += 1
        log.bind(event_id=change.after.event_id).info(
            f"goal_{change.kind}", state=change.after.state_label
        )
        if not change.after.live:
            report.removed.append(change.after)
        elif change.after.stable and not (change.before and change.before.stable):
            report.stable.append(change.after)


def _differs_visibly(before: Fixture, after: Fixture) -> bool:
    return (before.state, before.status, before.goals, before.kickoff) != (
        after.state,
        after.status,
        after.goals,
        after.kickoff,
    )
