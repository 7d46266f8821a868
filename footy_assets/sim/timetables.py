"""Timetables of a match from announcement to final status, one function for each kind."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from footy_assets.sim.script import BEGINNING, Announcement, Phase, Timetable
from footy_assets.sim.statuses import Status

HALF_TIME = timedelta(minutes=15)
SHOOTOUT_KICK_EVERY = timedelta(seconds=50)


def minutes(count: float) -> timedelta:
    return timedelta(minutes=count)


def league_match(kickoff: datetime, first_stoppage: int = 2, second_stoppage: int = 7) -> Timetable:
    phases, whistle = _regular_phases(kickoff, first_stoppage, second_stoppage)
    return _timetable(kickoff, (*phases, Phase(whistle, Status.FINISHED, 90)))


def extra_time(kickoff: datetime, second_stoppage: int = 7) -> Timetable:
    """Level after 90 minutes, decided after 120."""
    phases, end = _extra_time_phases(kickoff, second_stoppage)
    return _timetable(kickoff, (*phases, Phase(end, Status.AFTER_EXTRA_TIME, 120)))


def shootout(kickoff: datetime, kicks: int = 10, second_stoppage: int = 7) -> Timetable:
    """Level after 120 minutes, decided by a shoot-out."""
    phases, end = _extra_time_phases(kickoff, second_stoppage)
    first_kick = end + minutes(3)
    decided = first_kick + SHOOTOUT_KICK_EVERY * kicks + minutes(2)
    return _timetable(
        kickoff,
        (*phases, Phase(end, Status.SHOOTOUT, 120), Phase(decided, Status.AFTER_SHOOTOUT, 120)),
    )


def long_stoppage(kickoff: datetime) -> Timetable:
    return league_match(kickoff, first_stoppage=4, second_stoppage=14)


def time_to_be_defined(kickoff: datetime, known_at: datetime | None = None) -> Timetable:
    """Listed as TBD until shortly before kick-off."""
    usual = league_match(kickoff)
    known = known_at or kickoff - minutes(75)
    first, *rest = usual.phases
    return replace(
        usual,
        phases=(
            replace(first, status=Status.TO_BE_DEFINED),
            Phase(known, Status.NOT_STARTED),
            *rest,
        ),
    )


def interrupted(
    kickoff: datetime, minute: int = 25, pause: timedelta = timedelta(minutes=22)
) -> Timetable:
    """Stopped in the first half (INT), then played to the end."""
    usual = league_match(kickoff)
    stop = kickoff + minutes(minute)
    before, after = usual.phases[:2], usual.phases[2:]
    later = tuple(replace(phase, since=phase.since + pause) for phase in after)
    break_ = (
        Phase(stop, Status.INTERRUPTED, minute),
        Phase(stop + pause, Status.FIRST_HALF, minute, 45),
    )
    return replace(usual, phases=(*before, *break_, *later))


def abandoned(
    kickoff: datetime, minute: int = 60, suspended: timedelta = timedelta(minutes=20)
) -> Timetable:
    """Suspended in the second half and never resumed."""
    usual = league_match(kickoff)
    stop = usual.starts(Status.SECOND_HALF) + minutes(minute - 45)
    played = tuple(phase for phase in usual.phases if phase.since < stop)
    end = (Phase(stop, Status.SUSPENDED, minute), Phase(stop + suspended, Status.ABANDONED, minute))
    return replace(usual, phases=(*played, *end))


def postponed(kickoff: datetime, notice: timedelta = timedelta(minutes=40)) -> Timetable:
    """Postponed for good: the status never changes again."""
    return _timetable(
        kickoff, (Phase(BEGINNING, Status.NOT_STARTED), Phase(kickoff - notice, Status.POSTPONED))
    )


def cancelled(kickoff: datetime) -> Timetable:
    """Postponed, then cancelled."""
    return _timetable(
        kickoff,
        (
            Phase(BEGINNING, Status.NOT_STARTED),
            Phase(kickoff - minutes(20), Status.POSTPONED),
            Phase(kickoff + minutes(45), Status.CANCELLED),
        ),
    )


def delayed(kickoff: datetime, delay: timedelta = timedelta(minutes=45)) -> Timetable:
    """Postponed shortly before kick-off, announced again, then played."""
    postponed_at, later = kickoff - minutes(10), kickoff + delay
    usual = league_match(later)
    news = Announcement(kickoff + minutes(15), later)
    return Timetable(
        announced=(Announcement(BEGINNING, kickoff), news),
        phases=(usual.phases[0], Phase(postponed_at, Status.POSTPONED), *usual.phases[1:]),
    )


def undocumented_status(kickoff: datetime, code: str = "XX", minute: int = 62) -> Timetable:
    """The provider shows an undocumented code for six minutes of the second half."""
    usual = league_match(kickoff)
    second = usual.starts(Status.SECOND_HALF)
    odd = Phase(second + minutes(minute - 45), code, minute, 90)
    again = Phase(odd.since + minutes(6), Status.SECOND_HALF, minute + 6, 90)
    return replace(usual, phases=(*usual.phases[:-1], odd, again, usual.phases[-1]))


def awarded(
    kickoff: datetime, score: tuple[int, int] = (3, 0), status: str = Status.AWARDED
) -> Timetable:
    """Awarded (AWD, or WO for a walkover): a score without goals."""
    phases = (Phase(BEGINNING, Status.NOT_STARTED), Phase(kickoff + minutes(30), status))
    return replace(_timetable(kickoff, phases), awarded=score)


def _timetable(kickoff: datetime, phases: Iterable[Phase]) -> Timetable:
    return Timetable((Announcement(BEGINNING, kickoff),), tuple(phases))


def _regular_phases(
    kickoff: datetime, first_stoppage: int, second_stoppage: int
) -> tuple[tuple[Phase, ...], datetime]:
    half = kickoff + minutes(45 + first_stoppage)
    second = half + HALF_TIME
    whistle = second + minutes(45 + second_stoppage)
    phases = (
        Phase(BEGINNING, Status.NOT_STARTED),
        Phase(kickoff, Status.FIRST_HALF, 0, 45),
        Phase(half, Status.HALF_TIME, 45),
        Phase(second, Status.SECOND_HALF, 45, 90),
    )
    return phases, whistle


def _extra_time_phases(
    kickoff: datetime, second_stoppage: int
) -> tuple[tuple[Phase, ...], datetime]:
    ninety, whistle = _regular_phases(kickoff, 2, second_stoppage)
    break_ = whistle + minutes(16)
    again = break_ + minutes(3)
    end = again + minutes(17)
    phases = (
        *ninety,
        Phase(whistle, Status.EXTRA_TIME, 90, 105),
        Phase(break_, Status.BREAK_TIME, 105),
        Phase(again, Status.EXTRA_TIME, 105, 120),
    )
    return phases, end
