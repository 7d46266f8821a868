"""What a provider's status code means for us."""

from enum import StrEnum


class FixtureState(StrEnum):
    STAGING = "staging"
    ACTIVE = "active"
    COMPLETED = "completed"


STATE_OF_STATUS: dict[str, FixtureState] = {
    **dict.fromkeys(("TBD", "NS"), FixtureState.STAGING),
    # A postponed match is active: short delays are common, and the deadline closes the rest.
    **dict.fromkeys(
        ("1H", "HT", "2H", "ET", "BT", "P", "SUSP", "INT", "LIVE", "PST"), FixtureState.ACTIVE
    ),
    **dict.fromkeys(("FT", "AET", "PEN", "CANC", "ABD", "AWD", "WO"), FixtureState.COMPLETED),
}

AWARDED = frozenset({"AWD", "WO"})
CLOCK_RUNS = {"1H": 45, "2H": 90, "ET": 120, "LIVE": 90}


def state_of(status: str) -> FixtureState | None:
    """F1: the state a status maps to; None for a status nobody documented."""
    return STATE_OF_STATUS.get(status.strip().upper())
