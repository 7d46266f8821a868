"""Is what we hold of a matchday whole and consistent? The questions behind the asset checks."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from footy_assets.matchday.goal import event_id, sequence_of
from footy_assets.matchday.score import explain_difference
from footy_assets.matchday.sighting import Side
from footy_assets.matchday.statuses import state_of
from footy_assets.store.matchdays import MatchdayStore
from footy_assets.store.team_aliases import Provenance, TeamAliasStore

MOST_FALLBACKS = 0.2


@dataclass(frozen=True, slots=True)
class Finding:
    passed: bool
    summary: str
    details: dict[str, Any] = field(default_factory=dict)


def no_fixture_lost(store: MatchdayStore, day: date) -> Finding:
    """Every fixture that ingest kept is still there, whatever its status."""
    kept = store.journal.ingested_ids(day)
    known = store.known(kept)
    lost = [fixture_id for fixture_id in kept if fixture_id not in known]
    odd = {str(f.id): f.status for f in known.values() if state_of(f.status) is None}
    return Finding(
        not lost,
        f"{len(lost)} of {len(kept)} fixtures lost" if lost else f"all {len(kept)} fixtures there",
        {"lost": lost, "unknown_statuses": odd},
    )


def identities_unique(store: MatchdayStore, day: date) -> Finding:
    """Among the goals that stand, an identity is held once and names its own goal."""
    goals = [
        goal
        for found in store.goals_of([f.id for f in store.fixtures_of(day)]).values()
        for goal in found
        if goal.live
    ]
    held = Counter(goal.event_id for goal in goals)
    doubled = [identity for identity, count in held.items() if count > 1]
    misnamed = [
        goal.event_id
        for goal in goals
        if goal.event_id
        != event_id(goal.fixture_id, goal.team_id, goal.player, sequence_of(goal.event_id)[1])
    ]
    return Finding(
        not doubled and not misnamed,
        f"{len(goals)} goals, {len(doubled)} identities doubled, {len(misnamed)} misnamed",
        {"doubled": doubled, "misnamed": misnamed},
    )


def score_agrees(store: MatchdayStore, day: date) -> Finding:
    """Our goals add up to the provider's score, or it is known why they do not."""
    fixtures = store.fixtures_of(day)
    goals = store.goals_of([fixture.id for fixture in fixtures])
    explained: dict[str, str] = {}
    unexplained: list[str] = []
    for fixture in fixtures:
        why = explain_difference(fixture.status, fixture.goals, fixture.listed, goals[fixture.id])
        if why is None:
            unexplained.append(f"{fixture.id} {fixture.name}")
        elif why:
            explained[str(fixture.id)] = why
    return Finding(
        not unexplained,
        f"{len(fixtures)} scores, {len(explained)} differ and are explained, "
        f"{len(unexplained)} differ for no known reason",
        {"explained": explained, "unexplained": unexplained},
    )


def aliases_known(store: TeamAliasStore, teams: Sequence[Side]) -> Finding:
    """Every team of the matches to come has words to search for (S3)."""
    known = store.known([team.id for team in teams])
    without = [f"{team.id} {team.name}" for team in teams if team.id not in known]
    return Finding(
        not without,
        f"{len(without)} of {len(teams)} teams have no words yet",
        {"without": without},
    )


def aliases_found_out(store: TeamAliasStore, teams: Sequence[Side]) -> Finding:
    """No more than a fifth of the teams have but a fallback's words (S3)."""
    known = store.known([team.id for team in teams]).values()
    fallbacks = [w for w in known if w.provenance is Provenance.FALLBACK]
    share = len(fallbacks) / len(known) if known else 0.0
    return Finding(
        share <= MOST_FALLBACKS,
        f"{len(fallbacks)} of {len(known)} teams with the words of their name only",
        {"fallback_share": share, "fallbacks": [f"{w.team_id} {w.name}" for w in fallbacks]},
    )
