"""V7: what is known of a goal now, from the database, and what its clips teach."""

from collections.abc import Callable, Sequence
from datetime import datetime

from footy_assets.clips.batch import ClipBatch
from footy_assets.clips.rules.goal_facts import goal_facts
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.media.goal_facts import GoalFacts


def facts_of_goal(
    documents: ClipDocuments, aliases_of: Callable[[int], Sequence[str]], goal: GoalEvent
) -> GoalFacts:
    goals = documents.goals
    others, fixture = goals.other_goals_of_match(goal), goals.fixture_of(goal)
    if fixture is None:
        return goal_facts(goal, fixture, others, aliases_of)
    teams = fixture.home.id, fixture.away.id
    known = documents.abbreviations.of_teams(fixture.league.id, teams, fixture.id)
    return goal_facts(goal, fixture, others, aliases_of, known)


def learn_abbreviations(documents: ClipDocuments, batch: ClipBatch, now: datetime) -> None:
    """V7: before the clips are stored: a batch that is killed is repeated, and teaches the same
    again. SE8: a goal that is not stable teaches nothing."""
    fixture = documents.goals.fixture_of(batch.goal)
    if fixture is None or not batch.goal.stable:
        return
    for accepted in batch.accepted:
        found = accepted.examination.validation
        shown = found.abbreviation if found else None
        if shown is not None:
            team = fixture.home if shown.is_home else fixture.away
            documents.abbreviations.learn(fixture.league.id, team.id, shown.text, fixture.id, now)
