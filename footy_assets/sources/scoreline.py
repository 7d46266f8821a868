"""A score is not rolled back in silence: a lower one needs VAR or three confirmations."""

from dataclasses import dataclass

CONFIRMED_BY = 3


@dataclass(frozen=True, slots=True)
class Scoreline:
    """One side's goals. `doubt` is a lower number that was told, `polls` in which polls."""

    goals: int | None = None
    doubt: int | None = None
    polls: tuple[str, ...] = ()


def after_told(line: Scoreline, told: int | None, poll_id: str, var: bool) -> Scoreline:
    if told is None:
        return line
    if line.goals is None or told >= line.goals or var:
        return Scoreline(told)
    polls = line.polls if told == line.doubt else ()
    polls = tuple(dict.fromkeys((*polls, poll_id)))
    if len(polls) >= CONFIRMED_BY:
        return Scoreline(told)
    return Scoreline(line.goals, told, polls)
