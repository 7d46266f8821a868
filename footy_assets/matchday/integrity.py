"""Whether the stored fixtures and goals of a matchday are complete and consistent."""

from collections import Counter
from datetime import date

from footy_assets.findings import Finding
from footy_assets.matchday.rules.goal import event_id, sequence_of
from footy_assets.matchday.rules.score import explain_difference
from footy_assets.matchday.rules.statuses import state_of
from footy_assets.matchday.store.matchdays import MatchdayStore


def no_fixture_lost(store: MatchdayStore, day: date) -> Finding:
    """Every ingested fixture is still stored, whatever its status."""
    kept = store.journal.ingested_ids(day)
    known = store.fixtures_by_id(kept)
    lost = [fixture_id for fixture_id in kept if fixture_id not in known]
    unknown_statuses = {str(f.id): f.status for f in known.values() if state_of(f.status) is None}
    return Finding(
        not lost,
        f"{len(lost)} of {len(kept)} fixtures lost" if lost else f"all {len(kept)} fixtures there",
        {"lost": lost, "unknown_statuses": unknown_statuses},
    )


def identities_unique(store: MatchdayStore, day: date) -> Finding:
    """Every live goal has a unique event id that matches its team and scorer."""
    goals = [
        goal
        for found in store.goals_of([f.id for f in store.fixtures_of(day)]).values()
        for goal in found
        if goal.live
    ]
    counts = Counter(goal.event_id for goal in goals)
    doubled = [identity for identity, count in counts.items() if count > 1]
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
    """Our goals add up to the provider's score, or the difference has a known reason."""
    fixtures = store.fixtures_of(day)
    goals = store.goals_of([fixture.id for fixture in fixtures])
    explained: dict[str, str] = {}
    unexplained: list[str] = []
    for fixture in fixtures:
        reason = explain_difference(
            fixture.status, fixture.goals, fixture.listed, goals[fixture.id]
        )
        if reason is None:
            unexplained.append(f"{fixture.id} {fixture.name}")
        elif reason:
            explained[str(fixture.id)] = reason
    return Finding(
        not unexplained,
        f"{len(fixtures)} scores, {len(explained)} differ and are explained, "
        f"{len(unexplained)} differ for no known reason",
        {"explained": explained, "unexplained": unexplained},
    )
