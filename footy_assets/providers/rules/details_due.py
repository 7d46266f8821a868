"""When the details of a match are requested: when its list of goals and cards has changed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from footy_assets.identity_cache import cached_by_identity
from footy_assets.providers.rules.adapter import IncidentClaim, MatchDetails, ProviderMatch
from footy_assets.providers.rules.match import GoalClaim

# A goal vanishes from the list before its VAR decision is in the details: so many looks for it.
LOOKS_FOR_A_DECISION = 3
# Of the matches of a few days.
CACHED_MATCHES = 2048
NO_DETAILS = MatchDetails()

Listed = tuple[tuple[GoalClaim, ...], tuple[IncidentClaim, ...]]


@dataclass(frozen=True, slots=True)
class KnownDetails:
    """The last details of a match, and the list that they belong to. Line-ups are kept elsewhere:
    they are large, and every poll reads this."""

    details: MatchDetails = NO_DETAILS
    goals: tuple[GoalClaim, ...] = ()
    incidents: tuple[IncidentClaim, ...] = ()
    # After a goal vanished: how often the details were looked at since.
    looks: int = LOOKS_FOR_A_DECISION


def are_due(match: ProviderMatch, known: KnownDetails) -> bool:
    if match.goals is None or not match.goals_complete:
        return False
    is_same = _is_same(match.goals, match.incidents, known)
    return not is_same or known.looks < LOOKS_FOR_A_DECISION


@cached_by_identity(CACHED_MATCHES)
def _is_same(
    goals: tuple[GoalClaim, ...] | None,
    incidents: tuple[IncidentClaim, ...] | None,
    known: KnownDetails,
) -> bool:
    return (goals or (), incidents or ()) == (known.goals, known.incidents)


def after_look(match: ProviderMatch, known: KnownDetails, found: MatchDetails) -> KnownDetails:
    goals, incidents = _listed(match)
    looks = 1 if len(goals) < len(known.goals) else known.looks + 1
    decided = len(found.cancellations) > len(known.details.cancellations)
    return replace(
        known,
        details=replace(found, line_ups=(), unreadable=()),
        goals=goals,
        incidents=incidents,
        looks=LOOKS_FOR_A_DECISION if decided else min(looks, LOOKS_FOR_A_DECISION),
    )


def _listed(match: ProviderMatch) -> Listed:
    return tuple(match.goals or ()), tuple(match.incidents or ())


def most_urgent(
    matches: Sequence[ProviderMatch], known: dict[str, KnownDetails], at_most: int
) -> list[ProviderMatch]:
    """Those whose details are due, goals before cards."""
    due = [one for one in matches if are_due(one, known.get(one.listed.id, KnownDetails()))]

    def is_only_a_card(match: ProviderMatch) -> bool:
        return tuple(match.goals or ()) == known.get(match.listed.id, KnownDetails()).goals

    return sorted(due, key=is_only_a_card)[:at_most]
