"""The lines of an events list, and what a provider does to them afterwards."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from footy_assets.sim.clubs import NOBODY, Club, Person
from footy_assets.sim.script import SHOOTOUT, FeedEvent, Form, Line, Minute, Timetable
from footy_assets.sim.statuses import Status
from footy_assets.sim.timetables import SHOOTOUT_KICK_EVERY

Kick = tuple[Club, Person, bool]


def goal(
    timetable: Timetable,
    minute: Minute,
    team: Club,
    scorer: Person,
    *,
    detail: str = "Normal Goal",
    assist: Person = NOBODY,
    second: int = 30,
    reported_late: timedelta = timedelta(0),
) -> Line:
    """A goal, listed `second` seconds into its minute. For an own goal `team` is who benefits."""
    event = FeedEvent(minute, team, scorer, "Goal", detail, assist)
    return Line((Form(timetable.moment(minute, second) + reported_late, event),))


def named_late(line: Line, placeholder: Person, after: timedelta = timedelta(minutes=4)) -> Line:
    """The goal stands at once, its scorer is filled in later."""
    scorer, assist = line.last_shown.player, line.last_shown.assist
    unnamed = replace(line.last_shown, player=placeholder, assist=NOBODY)
    first = replace(line, forms=(Form(line.settled_at, unnamed),))
    return first.then(after, "late name", player=scorer, assist=assist)


def never_named(line: Line, placeholder: Person = NOBODY) -> Line:
    unnamed = replace(line.last_shown, player=placeholder, assist=NOBODY)
    return Line((Form(line.settled_at, unnamed),), "never named")


def reattributed(line: Line, to: Person, after: timedelta = timedelta(minutes=5)) -> Line:
    return line.then(after, "re-attributed", player=to, assist=NOBODY)


def ruled_own_goal(line: Line, by: Person, after: timedelta = timedelta(minutes=6)) -> Line:
    return line.then(
        after, "re-attributed as own goal", player=by, detail="Own Goal", assist=NOBODY
    )


def minute_edited(line: Line, to: Minute, after: timedelta = timedelta(minutes=2)) -> Line:
    return line.then(after, "minute edited", minute=to)


def flickering(
    line: Line,
    after: timedelta = timedelta(minutes=3),
    gone_for: timedelta = timedelta(seconds=40),
) -> Line:
    """The goal is missing for a moment, then back as it was."""
    return line.gone(after, "flicker").then(gone_for, "flicker")


def vanished(line: Line, after: timedelta = timedelta(minutes=4)) -> Line:
    """Taken back without a word."""
    return line.gone(after, "vanished", removed_by="vanished")


def disallowed(
    line: Line,
    verdict: str = "Goal cancelled",
    after: timedelta = timedelta(minutes=4),
    minute: Minute | None = None,
) -> tuple[Line, Line]:
    """Taken back by VAR: the goal goes and the verdict comes in the same instant.

    The verdict's own minute may differ from the goal's.
    """
    taken_back = line.gone(after, "disallowed by VAR", removed_by="var")
    event = replace(
        line.last_shown,
        minute=minute or line.last_shown.minute,
        type="Var",
        detail=verdict,
        assist=NOBODY,
    )
    return taken_back, Line((Form(taken_back.settled_at, event),), "VAR verdict")


def missed_penalty(
    timetable: Timetable, minute: Minute, team: Club, taker: Person, second: int = 30
) -> Line:
    event = FeedEvent(minute, team, taker, "Goal", "Missed Penalty")
    return Line((Form(timetable.moment(minute, second), event),), "missed penalty")


def card(
    timetable: Timetable, minute: Minute, team: Club, player: Person, detail: str = "Yellow Card"
) -> Line:
    event = FeedEvent(minute, team, player, "Card", detail, comments="Foul")
    return Line((Form(timetable.moment(minute, 40), event),), "card")


def substitution(
    timetable: Timetable, minute: Minute, team: Club, off: Person, on: Person, number: int = 1
) -> Line:
    event = FeedEvent(minute, team, off, "subst", f"Substitution {number}", assist=on)
    return Line((Form(timetable.moment(minute, 15), event),), "substitution")


def shootout_kicks(timetable: Timetable, kicks: Sequence[Kick]) -> tuple[Line, ...]:
    """Kicks in turn: they look like goals and are none."""
    first = timetable.starts(Status.SHOOTOUT) + timedelta(minutes=3)
    return tuple(
        Line(
            (
                Form(
                    first + SHOOTOUT_KICK_EVERY * number,
                    FeedEvent(
                        Minute(120, number + 1),
                        team,
                        taker,
                        "Goal",
                        "Penalty" if scored else "Missed Penalty",
                        comments=SHOOTOUT,
                    ),
                ),
            ),
            "shoot-out kick",
        )
        for number, (team, taker, scored) in enumerate(kicks)
    )
