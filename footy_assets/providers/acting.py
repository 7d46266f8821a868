"""L2: the goals of a match while another provider acts for the lead, and when it is handed back."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.sighting import FixtureSighting
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.providers.rosters import name_scorers_of
from footy_assets.providers.rules.leadership import Leadership
from footy_assets.providers.rules.match import Report
from footy_assets.providers.rules.merge import LeadAnswer
from footy_assets.providers.rules.take_over import handed_back, is_outdated, merge_acting
from footy_assets.providers.store.our_ids import Kind, OurIds


class TakeOver:
    def __init__(self, store: MatchdayStore) -> None:
        self._store = store

    def merge(
        self,
        known: Fixture,
        live_goals: Sequence[GoalEvent],
        lead: LeadAnswer | None,
        acting: Report,
        fields: Mapping[str, Any],
    ) -> FixtureSighting:
        """A scorer has the lead's number, if the lead's rosters have the name; else a number of
        the provider that acts."""
        named = merge_acting(known, live_goals, lead, acting, fields, {})
        named = name_scorers_of(self._store, {known.id: named})[known.id]
        theirs = {claim.scorer_id for claim in acting.goals or () if claim.scorer_id}
        players = OurIds(self._store.database, acting.domain).of(Kind.PLAYER, theirs)
        numbered = merge_acting(known, live_goals, lead, acting, fields, players)
        if named.goals is None or numbered.goals is None:
            return numbered
        goals = tuple(
            by_name if by_name.scorer.known else by_number
            for by_name, by_number in zip(named.goals, numbered.goals, strict=True)
        )
        return replace(numbered, goals=goals)

    def hand_back(
        self,
        sighting: FixtureSighting,
        live_goals: Sequence[GoalEvent],
        lead: str,
        leadership: Leadership,
    ) -> FixtureSighting:
        """The lead's sighting. The other found the goals that were first seen before it handed
        back, and those whose scorers the lead has never named."""
        scorers = {goal.player.id for goal in live_goals if goal.player.id is not None}
        named = OurIds(self._store.database, lead).theirs(Kind.PLAYER, scorers)
        found_by_other = {
            goal.key
            for goal in live_goals
            if goal.player.id not in named or _was_seen_before(goal, leadership.since)
        }
        return handed_back(sighting, live_goals, found_by_other)


def _was_seen_before(goal: GoalEvent, moment: datetime | None) -> bool:
    return goal.first_seen_at is not None and moment is not None and goal.first_seen_at <= moment


def acting_report(
    leadership: Leadership, lead: LeadAnswer | None, others: Sequence[Report]
) -> Report | None:
    """The report of the provider that acts for the lead; None if the lead leads.

    It goes on acting while the lead is back with an older clock, or fewer goals.
    """
    report = next((one for one in others if one.domain == leadership.acting), None)
    if report is None or leadership.leads:
        return report
    if lead is None or not lead.trusted:
        return None
    return report if is_outdated(lead.report, report) else None


def with_acting_first(precedence: Mapping[str, int], acting: Report | None) -> Mapping[str, int]:
    """While another provider acts for the lead, its values come first."""
    if acting is None:
        return precedence
    return {**precedence, acting.domain: max(precedence.values()) + 1}
