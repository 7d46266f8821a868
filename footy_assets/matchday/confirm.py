"""F11: polls of the matches with an unconfirmed goal, between two ordinary polls."""

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from datetime import timedelta

from footy_assets.clock import Clock
from footy_assets.matchday.monitor import CycleReport, MonitorPolicy, run_cycle
from footy_assets.matchday.rules.confirm import COUNTED_APART, confirmation_seconds, leaves_room
from footy_assets.matchday.rules.feed import Feed
from footy_assets.matchday.rules.pace import Quota
from footy_assets.matchday.store.matchdays import MatchdayStore

# How late the last of them may begin.
LATE = timedelta(seconds=1)
# No sooner: a clock that is set by milliseconds must not make a poll worthless.
MARGIN_SECONDS = 0.05
# The next ordinary poll must not wait for one of these.
ANSWERED_WITHIN = 5.0
IDS_PER_REQUEST = 20


def policy_with_confirmation(
    policy: MonitorPolicy, wanted: float | None, base: float
) -> MonitorPolicy:
    """The policy of ordinary polls: they count towards stable only so far from the others."""
    if not leaves_room(wanted, base):
        return policy
    return replace(policy, counted_apart=COUNTED_APART)


def confirmation_polls(
    run: Callable[[Collection[int]], CycleReport],
    ordinary: CycleReport,
    clock: Clock,
    wanted: float | None,
    base: float,
    quota: Quota | None,
) -> Iterator[CycleReport]:
    """The extra polls after an ordinary one. None if no goal is unconfirmed, or if the quota does
    not allow them."""
    report, waiting = ordinary, ordinary.unconfirmed
    while waiting:
        calls = ordinary.calls + math.ceil(base / COUNTED_APART.total_seconds()) * math.ceil(
            len(waiting) / IDS_PER_REQUEST
        )
        seconds = confirmation_seconds(wanted, base, quota, calls, clock.now())
        if seconds is None:
            return
        begins = max(report.poll.at + timedelta(seconds=seconds), clock.now())
        if begins > ordinary.poll.at + timedelta(seconds=base - seconds) + LATE:
            return
        if (wait := (begins - clock.now()).total_seconds()) > 0:
            clock.sleep(wait + MARGIN_SECONDS)
        report = run(sorted(waiting))
        waiting, quota = report.unconfirmed, report.quota or quota
        yield report


def run_extra_cycle(
    store: MatchdayStore, feed: Feed, clock: Clock, policy: MonitorPolicy, ids: Collection[int]
) -> CycleReport:
    within = min(policy.answer_within, ANSWERED_WITHIN)
    quick = replace(policy, answer_within=within, counted_apart=COUNTED_APART)
    return run_cycle(store, feed, clock, quick, only=ids, extra=True)
