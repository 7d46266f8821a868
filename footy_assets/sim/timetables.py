"""The course of a match from announcement to final status, one function per kind of course."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from footy_assets.sim.script import BEGINNING, Announcement, Phase, Timetable

HALF_TIME = timedelta(minutes=15)
SHOOTOUT_KICK_EVERY = timedelta(seconds=50)


def minutes(count: float) -> timedelta:
    return timedelta(minutes=count)


def league_match(kickoff: datetime, first_stoppage: int = 2, second_stoppage: int = 7) -> Timetable:
    phases, whistle = _ninety_minutes(kickoff, first_stoppage, second_stoppage)
    return _timetable(kickoff, (*phases, Phase(whistle, "FT", 90)))


def extra_time(kickoff: datetime, second_stoppage: int = 7) -> Timetable:
    """Level after ninety, decided after a hundred and twenty."""
    phases, end = _hundred_and_twenty_minutes(kickoff, second_stoppage)
    return _timetable(kickoff, (*phases, Phase(end, "AET", 120)))


def shootout(kickoff: datetime, kicks: int = 10, second_stoppage: int = 7) -> Timetable:
    """Level after a hundred and twenty, decided from the spot."""
    phases, end = _hundred_and_twenty_minutes(kickoff, second_stoppage)
    first_kick = end + minutes(3)
    decided = first_kick + SHOOTOUT_KICK_EVERY * kicks + minutes(2)
    return _timetable(kickoff, (*phases, Phase(end, "P", 120), Phase(decided, "PEN", 120)))


def long_stoppage(kickoff: datetime) -> Timetable:
    return league_match(kickoff, first_stoppage=4, second_stoppage=14)


def to_be_decided(kickoff: datetime, known_at: datetime | None = None) -> Timetable:
    """Listed as TBD until shortly before kick-off."""
    usual = league_match(kickoff)
    known = known_at or kickoff - minutes(75)
    first, *rest = usual.phases
    return replace(usual, phases=(replace(first, status="TBD"), Phase(known, "NS"), *rest))


def interrupted(
    kickoff: datetime, minute: int = 25, pause: timedelta = timedelta(minutes=22)
) -> Timetable:
    """Stopped in the first half (INT), then played to the end."""
    usual = league_match(kickoff)
    stop = kickoff + minutes(minute)
    before, after = usual.phases[:2], usual.phases[2:]
    later = tuple(replace(phase, since=phase.since + pause) for phase in after)
    break_ = (Phase(stop, "INT", minute), Phase(stop + pause, "1H", minute, 45))
    return replace(usual, phases=(*before, *break_, *later))


def abandoned(
    kickoff: datetime, minute: int = 60, suspended: timedelta = timedelta(minutes=20)
) -> Timetable:
    """Suspended in the second half and never resumed."""
    usual = league_match(kickoff)
    stop = usual.starts("2H") + minutes(minute - 45)
    played = tuple(phase for phase in usual.phases if phase.since < stop)
    end = (Phase(stop, "SUSP", minute), Phase(stop + suspended, "ABD", minute))
    return replace(usual, phases=(*played, *end))


def postponed(kickoff: datetime, told: timedelta = timedelta(minutes=40)) -> Timetable:
    """Postponed for good: the provider never says anything else."""
    return _timetable(kickoff, (Phase(BEGINNING, "NS"), Phase(kickoff - told, "PST")))


def cancelled(kickoff: datetime) -> Timetable:
    """First postponed, then called off."""
    return _timetable(
        kickoff,
        (
            Phase(BEGINNING, "NS"),
            Phase(kickoff - minutes(20), "PST"),
            Phase(kickoff + minutes(45), "CANC"),
        ),
    )


def delayed(kickoff: datetime, delay: timedelta = timedelta(minutes=45)) -> Timetable:
    """Postponed shortly before kick-off, announced anew, then played."""
    told, later = kickoff - minutes(10), kickoff + delay
    usual = league_match(later)
    news = Announcement(kickoff + minutes(15), later)
    return Timetable(
        announced=(Announcement(BEGINNING, kickoff), news),
        phases=(usual.phases[0], Phase(told, "PST"), *usual.phases[1:]),
    )


def strange_status(kickoff: datetime, code: str = "XX", minute: int = 62) -> Timetable:
    """The provider shows a code nobody knows for six minutes of the second half."""
    usual = league_match(kickoff)
    second = usual.starts("2H")
    odd = Phase(second + minutes(minute - 45), code, minute, 90)
    again = Phase(odd.since + minutes(6), "2H", minute + 6, 90)
    return replace(usual, phases=(*usual.phases[:-1], odd, again, usual.phases[-1]))


def awarded(kickoff: datetime, score: tuple[int, int] = (3, 0), status: str = "AWD") -> Timetable:
    """Decided at a table (AWD, or WO for a walkover): a score without goals."""
    phases = (Phase(BEGINNING, "NS"), Phase(kickoff + minutes(30), status))
    return replace(_timetable(kickoff, phases), awarded=score)


def _timetable(kickoff: datetime, phases: Iterable[Phase]) -> Timetable:
    return Timetable((Announcement(BEGINNING, kickoff),), tuple(phases))


def _ninety_minutes(
    kickoff: datetime, first_stoppage: int, second_stoppage: int
) -> tuple[tuple[Phase, ...], datetime]:
    half = kickoff + minutes(45 + first_stoppage)
    second = half + HALF_TIME
    whistle = second + minutes(45 + second_stoppage)
    phases = (
        Phase(BEGINNING, "NS"),
        Phase(kickoff, "1H", 0, 45),
        Phase(half, "HT", 45),
        Phase(second, "2H", 45, 90),
    )
    return phases, whistle


def _hundred_and_twenty_minutes(
    kickoff: datetime, second_stoppage: int
) -> tuple[tuple[Phase, ...], datetime]:
    ninety, whistle = _ninety_minutes(kickoff, 2, second_stoppage)
    break_ = whistle + minutes(16)
    again = break_ + minutes(3)
    end = again + minutes(17)
    phases = (
        *ninety,
        Phase(whistle, "ET", 90, 105),
        Phase(break_, "BT", 105),
        Phase(again, "ET", 105, 120),
    )
    return phases, end
