"""The four tiers, and the states of the saga that waits for them (Y1, Y4)."""

from enum import StrEnum


class Tier(StrEnum):
    SEASON = "season"
    VENUE = "venue"
    TEAM_SEASON = "team_season"
    PLAYER_SEASON = "player_season"


TIERS = tuple(Tier)


class SagaState(StrEnum):
    NOT_STARTED = "NotStarted"
    WAITING_FOR_SEASON = "WaitingForSeason"
    WAITING_FOR_VENUE = "WaitingForVenue"
    WAITING_FOR_TEAM_SEASON = "WaitingForTeamSeason"
    WAITING_FOR_PLAYER_SEASON = "WaitingForPlayerSeason"
    COMPLETED = "Completed"


WAITS_FOR = {
    SagaState.WAITING_FOR_SEASON: Tier.SEASON,
    SagaState.WAITING_FOR_VENUE: Tier.VENUE,
    SagaState.WAITING_FOR_TEAM_SEASON: Tier.TEAM_SEASON,
    SagaState.WAITING_FOR_PLAYER_SEASON: Tier.PLAYER_SEASON,
}
WAITING = {tier: state for state, tier in WAITS_FOR.items()}


def started(state: SagaState) -> tuple[Tier, ...]:
    """The tiers whose documents may be fetched in this state."""
    if state is SagaState.NOT_STARTED:
        return ()
    if state is SagaState.COMPLETED:
        return TIERS
    return TIERS[: TIERS.index(WAITS_FOR[state]) + 1]


def next_tier(tier: Tier) -> Tier | None:
    place = TIERS.index(tier) + 1
    return TIERS[place] if place < len(TIERS) else None
