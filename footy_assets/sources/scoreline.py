"""A score is not rolled back in silence: a lower one needs VAR or three confirmations."""

from collections.abc import Collection
from dataclasses import dataclass, replace

CONFIRMED_BY = 3


@dataclass(frozen=True, slots=True)
class Scoreline:
    """One side's goals. `doubt` is a lower number that was told, `polls` in which polls;
    `decisions` are the VAR decisions against it that have had their poll."""

    goals: int | None = None
    doubt: int | None = None
    polls: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()


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


def after_poll(
    line: Scoreline, told: int | None, poll_id: str, decisions: Collection[str]
) -> Scoreline:
    """A VAR decision speaks for a lower score in the poll that first tells of it, and in no other:
    it stays in the list to the end of the match."""
    new = set(decisions) - set(line.decisions)
    after = after_told(line, told, poll_id, var=bool(new))
    return replace(after, decisions=tuple(sorted({*line.decisions, *new})))


def raised(line: Scoreline, told: int | None) -> Scoreline:
    """By an answer that is not believed: nothing is taken back for it, however often it comes."""
    if told is None or (line.goals is not None and told <= line.goals):
        return line
    return Scoreline(told, decisions=line.decisions)
