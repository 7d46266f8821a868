"""Guards the score: a lower one needs a VAR decision or three confirmations."""

from collections.abc import Collection
from dataclasses import dataclass, replace

CONFIRMATIONS = 3


@dataclass(frozen=True, slots=True)
class Scoreline:
    """One side's goals. `doubt` is a lower number reported in `polls`; `decisions` are the VAR
    decisions against it that have been applied."""

    goals: int | None = None
    doubt: int | None = None
    polls: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()


def after_report(
    line: Scoreline, reported: int | None, poll_id: str | None, var: bool
) -> Scoreline:
    """Without `poll_id` the report confirms no lower score: it is of an extra poll (F11)."""
    if reported is None:
        return line
    if line.goals is None or reported >= line.goals or var:
        return Scoreline(reported)
    if poll_id is None:
        return line
    polls = line.polls if reported == line.doubt else ()
    polls = tuple(dict.fromkeys((*polls, poll_id)))
    if len(polls) >= CONFIRMATIONS:
        return Scoreline(reported)
    return Scoreline(line.goals, reported, polls)


def after_poll(
    line: Scoreline, reported: int | None, poll_id: str | None, decisions: Collection[str]
) -> Scoreline:
    """A VAR decision permits a lower score only in the poll that first lists it: it stays listed to
    the end of the match."""
    new = set(decisions) - set(line.decisions)
    after = after_report(line, reported, poll_id, var=bool(new))
    return replace(after, decisions=tuple(sorted({*line.decisions, *new})))


def raise_score(line: Scoreline, reported: int | None) -> Scoreline:
    """For an untrusted answer: it may raise the score, and never lowers it."""
    if reported is None or (line.goals is not None and reported <= line.goals):
        return line
    return Scoreline(reported, decisions=line.decisions)
