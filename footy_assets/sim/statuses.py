"""The provider's status codes of a match."""

from enum import StrEnum


class Status(StrEnum):
    TO_BE_DEFINED = "TBD"
    NOT_STARTED = "NS"
    FIRST_HALF = "1H"
    HALF_TIME = "HT"
    SECOND_HALF = "2H"
    EXTRA_TIME = "ET"
    BREAK_TIME = "BT"
    SHOOTOUT = "P"
    SUSPENDED = "SUSP"
    INTERRUPTED = "INT"
    FINISHED = "FT"
    AFTER_EXTRA_TIME = "AET"
    AFTER_SHOOTOUT = "PEN"
    POSTPONED = "PST"
    CANCELLED = "CANC"
    ABANDONED = "ABD"
    AWARDED = "AWD"
    WALKOVER = "WO"
    LIVE = "LIVE"


LONG_NAMES: dict[str, str] = {
    Status.TO_BE_DEFINED: "Time To Be Defined",
    Status.NOT_STARTED: "Not Started",
    Status.FIRST_HALF: "First Half",
    Status.HALF_TIME: "Halftime",
    Status.SECOND_HALF: "Second Half",
    Status.EXTRA_TIME: "Extra Time",
    Status.BREAK_TIME: "Break Time",
    Status.SHOOTOUT: "Penalty In Progress",
    Status.SUSPENDED: "Match Suspended",
    Status.INTERRUPTED: "Match Interrupted",
    Status.FINISHED: "Match Finished",
    Status.AFTER_EXTRA_TIME: "Match Finished",
    Status.AFTER_SHOOTOUT: "Match Finished",
    Status.POSTPONED: "Match Postponed",
    Status.CANCELLED: "Match Cancelled",
    Status.ABANDONED: "Match Abandoned",
    Status.AWARDED: "Technical Loss",
    Status.WALKOVER: "WalkOver",
    Status.LIVE: "In Progress",
}
# The ball is in play and the clock runs.
CLOCK_RUNS = frozenset({Status.FIRST_HALF, Status.SECOND_HALF, Status.EXTRA_TIME})
IN_PLAY = CLOCK_RUNS | {
    Status.HALF_TIME,
    Status.BREAK_TIME,
    Status.SHOOTOUT,
    Status.SUSPENDED,
    Status.INTERRUPTED,
    Status.LIVE,
}
DECIDED_AT_THE_TABLE = frozenset({Status.AWARDED, Status.WALKOVER})
DECIDED = DECIDED_AT_THE_TABLE | {
    Status.FINISHED,
    Status.AFTER_EXTRA_TIME,
    Status.AFTER_SHOOTOUT,
}
NOT_PLAYED = frozenset(
    {
        Status.TO_BE_DEFINED,
        Status.NOT_STARTED,
        Status.POSTPONED,
        Status.CANCELLED,
        Status.WALKOVER,
    }
)
# The minute that the provider shows while the clock stands.
STANDING_MINUTES: dict[str, int] = {
    Status.HALF_TIME: 45,
    Status.FINISHED: 90,
    Status.AFTER_EXTRA_TIME: 120,
    Status.AFTER_SHOOTOUT: 120,
}
