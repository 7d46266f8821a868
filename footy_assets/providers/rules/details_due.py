"""When the details of a match are asked for: when its list of goals and cards has changed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from footy_assets.providers.rules.adapter import IncidentClaim, MatchDetails, ProviderMatch
from footy_assets.providers.rules.match import GoalClaim

# A goal vanishes from the list before its VAR decision is in the details: so many looks for it.
LOOKS_FOR_A_DECISION = 3
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
    goals, incidents = _listed(match)
    changed = (goals, incidents) != (known.goals, known.incidents)
    return changed or known.looks < LOOKS_FOR_A_DECISION


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
