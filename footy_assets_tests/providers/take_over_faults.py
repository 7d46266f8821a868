"""L2: each fault of the lead, from its start to the end of the match, and what became of goals."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from footy_assets_tests.providers.take_over_rig import (
    AT_ONCE,
    BRACE,
    EARLY,
    FAULT_AT,
    LATE,
    MEANWHILE,
    TakeOverRig,
)

STARTS_AT = 16
BACK_AT = 40
# The break and most of the second half are left out.
PAUSES_AT, RESUMES_AT, ENDS_AT = 47, 106, 120
BEHIND = timedelta(minutes=13)


@dataclass
class Times:
    """Seconds until the other led, since the fault began, and until the lead led again, since it
    was back."""

    take_over: float | None = None
    hand_back: float | None = None


def never_returns(rig: TakeOverRig) -> Times:
    rig.break_down(rig.lead)
    return Times(rig.seconds_until_leader(rig.other))


def comes_back(rig: TakeOverRig) -> Times:
    times = never_returns(rig)
    rig.run_until(BACK_AT)
    rig.mend(rig.lead)
    times.hand_back = rig.seconds_until_leader(rig.lead)
    return times


def freezes(rig: TakeOverRig) -> Times:
    rig.lens(rig.lead).frozen_at = rig.clock.now()
    times = Times(rig.seconds_until_leader(rig.other))
    rig.run_until(BACK_AT)
    rig.mend(rig.lead)
    times.hand_back = rig.seconds_until_leader(rig.lead)
    return times


def comes_back_wrong(rig: TakeOverRig) -> Times:
    """Its clock runs, but all it reports is thirteen minutes old, for five minutes."""
    times = never_returns(rig)
    rig.run_until(33)
    rig.mend(rig.lead)
    rig.lens(rig.lead).offset = -BEHIND
    times.hand_back = rig.seconds_until_leader(rig.lead)
    rig.run_until(38)
    rig.mend(rig.lead)
    return times


def disagrees_on_scorers(rig: TakeOverRig) -> Times:
    """The other provider has another scorer of every goal so far, and all goals a minute later."""
    for script in rig.world.scripts:
        for minute in (EARLY, AT_ONCE, MEANWHILE, BRACE, LATE):
            club = script.away if minute in (AT_ONCE, LATE) else script.home
            other = club.strikers[3]
            scorer = (other.id or 0, other.name or "")
            rig.lens(rig.other).scorers[script.fixture_id, minute] = scorer
    rig.lens(rig.other).minutes_late = 1
    return comes_back(rig)


def short_outage(rig: TakeOverRig) -> Times:
    """A goal falls while the lead is down, and the lead is back before the other takes over."""
    rig.break_down(rig.lead)
    rig.run_until(AT_ONCE + 0.5)
    rig.mend(rig.lead)
    return Times()


def both_die(rig: TakeOverRig) -> Times:
    """The one that acts dies, too; the lead comes back first."""
    times = never_returns(rig)
    rig.run_until(28)
    rig.break_down(rig.other)
    rig.run_until(38)
    rig.mend(rig.lead)
    times.hand_back = rig.seconds_until_leader(rig.lead)
    rig.run_until(44)
    rig.mend(rig.other)
    return times


def acting_dies_and_returns(rig: TakeOverRig) -> Times:
    """The one that acts dies, too, and comes back; the lead does not."""
    times = never_returns(rig)
    rig.run_until(28)
    rig.break_down(rig.other)
    rig.run_until(38)
    rig.mend(rig.other)
    return times


@dataclass(frozen=True, slots=True)
class LeadFault:
    start: Callable[[TakeOverRig], Times]
    takes_over: bool = True
    with_rosters: bool = True


FAULTS = {
    "dies, never returns": LeadFault(never_returns),
    "dies, comes back": LeadFault(comes_back),
    "dies, comes back; no line-ups": LeadFault(comes_back, with_rosters=False),
    "freezes, thaws": LeadFault(freezes),
    "dies, comes back with 13 min old data": LeadFault(comes_back_wrong),
    "dies, comes back; other scorers and minutes meanwhile": LeadFault(disagrees_on_scorers),
    "the same without line-ups": LeadFault(disagrees_on_scorers, with_rosters=False),
    "down for 90 s, with a goal": LeadFault(short_outage, takes_over=False),
    "dies, then the other, too; the lead comes back": LeadFault(both_die),
    "dies for good; the other dies and comes back": LeadFault(acting_dies_and_returns),
}


@dataclass(frozen=True, slots=True)
class FaultOutcome:
    times: Times
    ended: bool
    goals: int
    goals_meanwhile: int
    lost: int
    doubled: int
    vanished: int
    renamed: int
    unstable: int
    wrong_scorers: int
    polls_with_cancelled: int


def measure_fault(rig: TakeOverRig, fault: LeadFault) -> FaultOutcome:
    rig.with_rosters = fault.with_rosters
    rig.run_until(-4)
    rig.jump_to(STARTS_AT)
    rig.run_until_polled(FAULT_AT)
    before = len(rig.played())
    times = fault.start(rig)
    rig.run_until(PAUSES_AT)
    meanwhile = len(rig.played()) - before
    rig.jump_to(RESUMES_AT)
    rig.run_until(ENDS_AT)
    return outcome(rig, times, meanwhile)


def outcome(rig: TakeOverRig, times: Times, meanwhile: int = 0) -> FaultOutcome:
    played, found = rig.played(), rig.found()
    left = list(found)
    lost = wrong = 0
    for goal in played:
        same = [o for o in left if (o.match, o.team) == (goal.match, goal.team)]
        near = [o for o in same if abs(o.minute - goal.minute) <= 1]
        if not near:
            lost += 1
            continue
        best = min(near, key=lambda o: (o.scorer != goal.scorer, abs(o.minute - goal.minute)))
        left.remove(best)
        wrong += best.scorer != goal.scorer
    return FaultOutcome(
        times,
        rig.ended(),
        len(played),
        meanwhile,
        lost,
        max(rig.doubled, len(left)),
        len(rig.vanished),
        len(rig.renamed),
        sum(not goal.stable for goal in rig.live_goals()),
        wrong,
        rig.polls_with_cancelled,
    )
