"""A match's status: the codes, and what follows from each of them.

The codes are API-Football's. Other providers are translated into them. A code that is not listed
here stays a plain string: it is stored and shown as it is, and is in none of the tables.
"""

from collections.abc import Mapping
from enum import StrEnum


class MatchStatus(StrEnum):
    TIME_TO_BE_DECIDED = "TBD"
    NOT_STARTED = "NS"
    POSTPONED = "PST"
    FIRST_HALF = "1H"
    HALF_TIME = "HT"
    SECOND_HALF = "2H"
    EXTRA_TIME = "ET"
    EXTRA_TIME_BREAK = "BT"
    SHOOTOUT = "P"
    # In play, at a provider that does not say in which half.
    IN_PLAY = "LIVE"
    SUSPENDED = "SUSP"
    INTERRUPTED = "INT"
    FULL_TIME = "FT"
    AFTER_EXTRA_TIME = "AET"
    AFTER_SHOOTOUT = "PEN"
    AWARDED = "AWD"
    WALKOVER = "WO"
    CANCELLED = "CANC"
    ABANDONED = "ABD"


class FixtureState(StrEnum):
    STAGING = "staging"
    ACTIVE = "active"
    COMPLETED = "completed"


BEFORE_KICKOFF: frozenset[str] = frozenset(
    {MatchStatus.TIME_TO_BE_DECIDED, MatchStatus.NOT_STARTED}
)
# The last minute of each status in which the clock runs; stoppage time is shown as that minute.
LAST_MINUTE: Mapping[str, int] = {
    MatchStatus.FIRST_HALF: 45,
    MatchStatus.SECOND_HALF: 90,
    MatchStatus.EXTRA_TIME: 120,
    MatchStatus.IN_PLAY: 90,
}
CLOCK_RUNS: frozenset[str] = frozenset(LAST_MINUTE)
BREAKS: frozenset[str] = frozenset({MatchStatus.HALF_TIME, MatchStatus.EXTRA_TIME_BREAK})
IN_PROGRESS: frozenset[str] = CLOCK_RUNS | BREAKS | {MatchStatus.SHOOTOUT}
STOPPED: frozenset[str] = frozenset({MatchStatus.SUSPENDED, MatchStatus.INTERRUPTED})
PLAYED_TO_THE_END: frozenset[str] = frozenset(
    {MatchStatus.FULL_TIME, MatchStatus.AFTER_EXTRA_TIME, MatchStatus.AFTER_SHOOTOUT}
)
DECIDED_WITHOUT_PLAY: frozenset[str] = frozenset({MatchStatus.AWARDED, MatchStatus.WALKOVER})
CALLED_OFF: frozenset[str] = frozenset({MatchStatus.CANCELLED, MatchStatus.ABANDONED})

# The minute at which each status begins.
BEGINS_AT: Mapping[str, int] = {
    MatchStatus.FIRST_HALF: 0,
    MatchStatus.HALF_TIME: 45,
    MatchStatus.SECOND_HALF: 45,
    MatchStatus.FULL_TIME: 90,
    MatchStatus.EXTRA_TIME: 90,
    MatchStatus.EXTRA_TIME_BREAK: 105,
    MatchStatus.SHOOTOUT: 120,
    MatchStatus.AFTER_EXTRA_TIME: 120,
    MatchStatus.AFTER_SHOOTOUT: 120,
}
# The order in which a match passes its statuses; those that may come at any time are not in it.
ORDER: tuple[str, ...] = (
    MatchStatus.TIME_TO_BE_DECIDED,
    MatchStatus.NOT_STARTED,
    MatchStatus.POSTPONED,
    MatchStatus.FIRST_HALF,
    MatchStatus.HALF_TIME,
    MatchStatus.SECOND_HALF,
    MatchStatus.EXTRA_TIME_BREAK,
    MatchStatus.EXTRA_TIME,
    MatchStatus.SHOOTOUT,
    MatchStatus.FULL_TIME,
    MatchStatus.AFTER_EXTRA_TIME,
    MatchStatus.AFTER_SHOOTOUT,
)

STATE_OF_STATUS: Mapping[str, FixtureState] = {
    **dict.fromkeys(BEFORE_KICKOFF, FixtureState.STAGING),
    # A postponed match is active: short delays are common, and the deadline closes the rest.
    **dict.fromkeys(IN_PROGRESS | STOPPED | {MatchStatus.POSTPONED}, FixtureState.ACTIVE),
    **dict.fromkeys(PLAYED_TO_THE_END | DECIDED_WITHOUT_PLAY | CALLED_OFF, FixtureState.COMPLETED),
}


def state_of(status: str) -> FixtureState | None:
    """F1: the state a status maps to; None for a code that is not listed."""
    return STATE_OF_STATUS.get(status.strip().upper())


def is_before(status: str, other: str) -> bool:
    """Does a match pass the first status before the other? False where the order is open."""
    if status not in ORDER or other not in ORDER:
        return False
    return ORDER.index(status) < ORDER.index(other)
